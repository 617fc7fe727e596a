import type { Spend, TransferAsset } from '../../chains/port.ts'
import { assert, required } from '../../core/assert.ts'
import type { DepositKeyPath, EvmKeyPath, Intent, IntentAsset } from '../../signing/intent.ts'

/** Our own addresses on a network, by derivation path. */
export interface AddressBook {
  /** The address of each hot wallet, in the order of their indexes. */
  readonly hotWallets: readonly string[]
  /** The sweep contract to which deposit addresses are delegated. */
  readonly delegate: string
  /** The operator's cold address; undefined if none is set. */
  readonly cold: string | undefined
  deposit(keyPath: DepositKeyPath): string
}

export function addressAt(own: AddressBook, keyPath: EvmKeyPath): string {
  if (keyPath.type === 'deposit') return own.deposit(keyPath)
  return required(own.hotWallets[keyPath.hotWallet], `hot wallet ${keyPath.hotWallet}`)
}

/**
 * Returns the transfer or contract call that carries out an intent on chain. The signatures of delegations
 * are missing; the signer adds them.
 */
export function spendOf(intent: Intent, own: AddressBook): Spend {
  switch (intent.kind) {
    case 'withdrawal': {
      assert(intent.payments.length === 1, 'a transaction of an account has exactly one payment')
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
    case 'direct_sweep':
    case 'rebalance':
      return pay(
        intent,
        addressAt(own, { type: 'hotWallet', hotWallet: intent.hotWallet }),
        intent.amountMinor,
      )
    case 'treasury_withdrawal':
      return pay(intent, required(own.cold, 'a cold address'), intent.amountMinor)
    case 'sweep':
      return {
        type: 'sweep',
        delegate: own.delegate,
        addresses: intent.deposits.map((keyPath) => own.deposit(keyPath)),
        assets: intent.assets.map(assetOf),
        delegations: intent.deposits.flatMap((keyPath) =>
          keyPath.delegationNonce === null
            ? []
            : [{ address: own.deposit(keyPath), delegate: own.delegate, nonce: keyPath.delegationNonce }],
        ),
      }
    case 'deploy':
      return { type: 'deploy', hotWallets: own.hotWallets }
    case 'cpfp':
    case 'reclaim':
    case 'consolidate':
      throw new RangeError(`a transaction of an account cannot be a ${intent.kind}`)
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
