import type { Spend, TransferAsset } from '../../chains/port.ts'
import { assert, required } from '../../core/assert.ts'
import type { DepositPlace, Intent, IntentAsset, WalletPlace } from '../../signing/intent.ts'

/** Where our own keys lie on a network. */
export interface OwnPlaces {
  /** By their numbers. */
  readonly lanes: readonly string[]
  /** The contract to which deposit addresses are delegated. */
  readonly delegate: string
  /** Where the operator takes money to; undefined where none is set. */
  readonly cold: string | undefined
  deposit(place: DepositPlace): string
}

export function addressAt(own: OwnPlaces, place: WalletPlace): string {
  if (place.type === 'deposit') return own.deposit(place)
  assert(place.type === 'lane', 'an account sends from a lane')
  return required(own.lanes[place.lane], `lane ${place.lane}`)
}

/** An intent in the chain's own terms. What is to be signed of delegations is left to the signer. */
export function spendOf(intent: Intent, own: OwnPlaces): Spend {
  switch (intent.kind) {
    case 'withdrawal': {
      assert(intent.payments.length === 1, 'a transaction of an account carries one payment')
      const payment = required(intent.payments[0], 'a payment')
      return pay(payment, payment.address, payment.netMinor)
    }
    case 'top_up':
      return {
        type: 'pay',
        asset: { type: 'coin' },
        recipient: own.deposit(intent.deposit),
        ...amount(intent),
      }
    case 'forward':
    case 'rebalance':
      return pay(intent, addressAt(own, { type: 'lane', lane: intent.lane }), intent.amountMinor)
    case 'take_out':
      return pay(intent, required(own.cold, 'a cold address'), intent.amountMinor)
    case 'sweep':
      return {
        type: 'gather',
        delegate: own.delegate,
        addresses: intent.deposits.map((place) => own.deposit(place)),
        assets: intent.assets.map(assetOf),
        delegations: intent.deposits.flatMap((place) =>
          place.delegationNonce === null
            ? []
            : [{ address: own.deposit(place), delegate: own.delegate, nonce: place.delegationNonce }],
        ),
      }
    case 'deploy':
      return { type: 'deploy', lanes: own.lanes }
    case 'lift':
    case 'reclaim':
    case 'consolidate':
      throw new RangeError(`no account sends a ${intent.kind}`)
  }
}

function pay(asset: IntentAsset, recipient: string, amountMinor: bigint): Spend {
  return { type: 'pay', asset: assetOf(asset), recipient, amountMinor }
}

function amount({ amountMinor }: { amountMinor: bigint }) {
  return { amountMinor }
}

function assetOf({ contract }: Pick<IntentAsset, 'contract'>): TransferAsset {
  return contract === null ? { type: 'coin' } : { type: 'token', contract }
}
