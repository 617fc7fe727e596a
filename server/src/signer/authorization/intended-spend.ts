/**
 * Translates an intent into a spend on its chain. Our own addresses are derived here from their derivation
 * paths. The MAC of a payment authenticates its recipient; other recipients come from the signer's own
 * settings.
 */
import type { KeyObject } from 'node:crypto'
import type { Delegation, Spend, SpendCodec, TransferAsset } from '../../chains/port.ts'
import type { Intent, IntentAsset, WalletKeyPath } from '../../signing/intent.ts'
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
  /** The operator's cold addresses by network, in canonical form. */
  readonly coldAddresses: ReadonlyMap<string, string>
}

/**
 * Returns the spend that corresponds to an intent.
 * @throws Refusal if the intent is not approved or is never allowed.
 */
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
    case 'direct_sweep':
      return pay(
        intent,
        addressAt(parts, { type: 'hotWallet', hotWallet: intent.hotWallet }),
        intent.amountMinor,
      )
    case 'rebalance':
      return rebalanceSpend(parts, from, intent)
    case 'treasury_withdrawal':
      return pay(intent, coldAddressOf(parts.coldAddresses, network), intent.amountMinor)
    case 'deploy':
      return { type: 'deploy', hotWallets: parts.keys.hotWallets }
    case 'cpfp':
    case 'reclaim':
    case 'consolidate':
      throw new Refusal('not-allowed', `A transaction of an account cannot be a ${intent.kind}`)
  }
}

function withdrawalSpend(
  parts: IntentParts,
  network: string,
  { payments }: Extract<Intent, { kind: 'withdrawal' }>,
): Spend {
  const [payment, ...more] = payments
  if (payment === undefined || more.length > 0) {
    throw new Refusal('not-allowed', 'A transaction of this address family has exactly one payment')
  }
  requireApproved(parts, network, payment)
  return pay(payment, payment.address, payment.netMinor)
}

function sweepSpend(parts: IntentParts, { deposits, assets }: Extract<Intent, { kind: 'sweep' }>): Spend {
  const delegate = parts.codec.delegateOf(parts.keys.hotWallets)
  const keyPaths = deposits.map(({ delegationNonce, ...keyPath }) => ({
    address: addressAt(parts, keyPath),
    delegationNonce,
  }))
  const delegations = keyPaths.flatMap(({ address, delegationNonce }): Delegation[] =>
    delegationNonce === null ? [] : [{ address, delegate, nonce: delegationNonce }],
  )
  const addresses = keyPaths.map(({ address }) => address)
  return { type: 'sweep', delegate, addresses, assets: assets.map(transferAsset), delegations }
}

function rebalanceSpend(
  parts: IntentParts,
  from: WalletKeyPath,
  intent: Extract<Intent, { kind: 'rebalance' }>,
): Spend {
  if (
    from.type === 'hotWallet' &&
    from.hotWallet === intent.hotWallet &&
    !isNonceGapTransaction(parts, intent)
  ) {
    throw new Refusal('not-allowed', 'A hot wallet must not send to itself')
  }
  return pay(intent, addressAt(parts, { type: 'hotWallet', hotWallet: intent.hotWallet }), intent.amountMinor)
}

/**
 * Decides whether a rebalance (a transfer between hot wallets) to the same hot wallet is a nonce-gap
 * transaction, which sends one unit of the native coin. Such a rebalance is allowed only if there is a single
 * hot wallet. If it were refused, a gap in the nonces of that wallet would stay for ever.
 */
function isNonceGapTransaction(
  { keys }: IntentParts,
  { contract, amountMinor }: Extract<Intent, { kind: 'rebalance' }>,
): boolean {
  return keys.hotWallets.length === 1 && contract === null && amountMinor === 1n
}

/**
 * Checks that the sender may send this kind of intent. Deposit addresses send direct sweeps to a hot wallet
 * and nothing else. Hot wallets send everything else.
 */
function requireSender(from: WalletKeyPath, { kind }: Intent): void {
  const wanted = kind === 'direct_sweep' ? 'deposit' : 'hotWallet'
  if (from.type !== wanted) throw new Refusal('not-allowed', `A ${from.type} must not send a ${kind}`)
}

function assetsOf(intent: Intent): readonly IntentAsset[] {
  switch (intent.kind) {
    case 'withdrawal':
      return intent.payments
    case 'sweep':
      return intent.assets
    case 'direct_sweep':
    case 'rebalance':
    case 'treasury_withdrawal':
      return [intent]
    case 'top_up':
    case 'deploy':
    case 'cpfp':
    case 'reclaim':
    case 'consolidate':
      return []
  }
}

function addressAt({ keys }: IntentParts, keyPath: WalletKeyPath): string {
  const wallet = keys.walletAt(keyPath)
  if (wallet === undefined) throw new Refusal('not-allowed', 'There is no such wallet')
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
