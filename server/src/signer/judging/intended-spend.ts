/**
 * What an intent means in the chain's own terms. Every address of ours is derived here, from its place; what goes outside
 * goes where a payment's MAC or the signer's own settings say.
 */
import type { KeyObject } from 'node:crypto'
import type { Delegation, Spend, SpendCodec, TransferAsset } from '../../chains/port.ts'
import type { Intent, IntentAsset, WalletPlace } from '../../signing/intent.ts'
import type { OrderVerifier } from '../../signing/order-signature.ts'
import type { AccountRequest } from '../../signing/signer-port.ts'
import type { KeyTree } from '../keys/key-tree.ts'
import { requireApproved } from './approved.ts'
import { coldAddressOf } from './cold-address.ts'
import { requireKnownAsset } from './known-assets.ts'
import type { Policy } from './policy.ts'
import { Refusal } from './refusal.ts'

export interface IntentParts {
  readonly keys: KeyTree
  readonly codec: SpendCodec
  readonly policy: Policy
  readonly intentKey: KeyObject
  readonly orders: OrderVerifier
  /** The operator's own addresses by network, in canonical spelling. */
  readonly coldAddresses: ReadonlyMap<string, string>
}

/** @throws Refusal where the intent is not approved, or where no such thing is ever done */
export function intendedSpend(parts: IntentParts, { network, from, intent }: AccountRequest): Spend {
  requireSender(from, intent)
  for (const moved of assetsOf(intent)) requireKnownAsset(parts.policy, network, moved)
  switch (intent.kind) {
    case 'withdrawal':
      return withdrawalSpend(parts, network, intent)
    case 'sweep':
      return sweepSpend(parts, intent)
    case 'top_up':
      return payCoin(addressAt(parts, intent.deposit), intent.amountMinor)
    case 'forward':
      return pay(intent, addressAt(parts, { type: 'lane', lane: intent.lane }), intent.amountMinor)
    case 'rebalance':
      return rebalanceSpend(parts, from, intent)
    case 'take_out':
      return pay(intent, coldAddressOf(parts.coldAddresses, network), intent.amountMinor)
    case 'deploy':
      return { type: 'deploy', lanes: parts.keys.lanes }
    case 'lift':
    case 'reclaim':
    case 'consolidate':
      throw new Refusal('not-allowed', `No account sends a ${intent.kind}`)
  }
}

function withdrawalSpend(
  parts: IntentParts,
  network: string,
  { payments }: Extract<Intent, { kind: 'withdrawal' }>,
): Spend {
  const [payment, ...more] = payments
  if (payment === undefined || more.length > 0) {
    throw new Refusal('not-allowed', 'A transaction of this family carries one payment')
  }
  requireApproved(parts, network, payment)
  return pay(payment, payment.address, payment.netMinor)
}

function sweepSpend(parts: IntentParts, { deposits, assets }: Extract<Intent, { kind: 'sweep' }>): Spend {
  const delegate = parts.codec.delegateOf(parts.keys.lanes)
  const places = deposits.map(({ delegationNonce, ...place }) => ({
    address: addressAt(parts, place),
    delegationNonce,
  }))
  const delegations = places.flatMap(({ address, delegationNonce }): Delegation[] =>
    delegationNonce === null ? [] : [{ address, delegate, nonce: delegationNonce }],
  )
  const addresses = places.map(({ address }) => address)
  return { type: 'gather', delegate, addresses, assets: assets.map(transferAsset), delegations }
}

function rebalanceSpend(
  parts: IntentParts,
  from: WalletPlace,
  intent: Extract<Intent, { kind: 'rebalance' }>,
): Spend {
  if (from.type === 'lane' && from.lane === intent.lane && !isFiller(parts, intent)) {
    throw new Refusal('not-allowed', 'A lane sends nothing to itself')
  }
  return pay(intent, addressAt(parts, { type: 'lane', lane: intent.lane }), intent.amountMinor)
}

/** Of an only lane, whose order would have a gap for ever: the one unit of the coin that moves nothing. */
function isFiller(
  { keys }: IntentParts,
  { contract, amountMinor }: Extract<Intent, { kind: 'rebalance' }>,
): boolean {
  return keys.lanes.length === 1 && contract === null && amountMinor === 1n
}

/** A deposit address sends to a lane and nothing else; all else is sent by lanes. */
function requireSender(from: WalletPlace, { kind }: Intent): void {
  const wanted = kind === 'forward' ? 'deposit' : 'lane'
  if (from.type !== wanted) throw new Refusal('not-allowed', `A ${from.type} sends no ${kind}`)
}

function assetsOf(intent: Intent): readonly IntentAsset[] {
  switch (intent.kind) {
    case 'withdrawal':
      return intent.payments
    case 'sweep':
      return intent.assets
    case 'forward':
    case 'rebalance':
    case 'take_out':
      return [intent]
    case 'top_up':
    case 'deploy':
    case 'lift':
    case 'reclaim':
    case 'consolidate':
      return []
  }
}

function addressAt({ keys }: IntentParts, place: WalletPlace): string {
  const wallet = keys.walletAt(place)
  if (wallet === undefined) throw new Refusal('not-allowed', 'There is no such lane')
  return wallet.address
}

function pay(asset: IntentAsset, recipient: string, amountMinor: bigint): Spend {
  return { type: 'pay', asset: transferAsset(asset), recipient, amountMinor }
}

function payCoin(recipient: string, amountMinor: bigint): Spend {
  return { type: 'pay', asset: { type: 'coin' }, recipient, amountMinor }
}

function transferAsset({ contract }: IntentAsset): TransferAsset {
  return contract === null ? { type: 'coin' } : { type: 'token', contract }
}
