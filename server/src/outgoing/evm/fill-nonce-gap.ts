import { newId } from '../../core/ids.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Intent } from '../../signing/intent.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import { coinOf } from '../engine/engine-parts.ts'
import {
  type EvmOutgoingTransaction,
  insertOutgoingTransactions,
  type StoredOutgoingTransaction,
} from '../engine/store.ts'
import type { AccountParts } from './account-parts.ts'
import { dataGasMax } from './price-gas.ts'
import { isFollowed } from './wallet-store.ts'

/**
 * Plans a nonce-gap transaction for the nonce of a deleted transaction if later nonces of the wallet are
 * already signed. Without the nonce-gap transaction, the transactions with later nonces would wait forever.
 * The nonce-gap transaction sends 1 unit of the coin to the next hot wallet. If there is only one hot wallet,
 * it sends to itself.
 */
export async function fillGap(
  parts: AccountParts,
  { hotWallets }: EngineMemory,
  tx: Tx,
  { network, slot, fees }: EvmOutgoingTransaction,
): Promise<void> {
  if (slot.sender.type !== 'hotWallet' || !(await isFollowed(tx, network, slot))) return
  const intent = nonceGapIntent(coinOf(parts), slot.sender.hotWallet, hotWallets.length)
  const spends = { asset: coinOf(parts), contract: null, amountMinor: nonceGapMinor }
  await insertOutgoingTransactions(tx, [
    {
      id: newId(),
      network,
      intent,
      spends,
      family: 'evm',
      slot,
      fees: { ...fees, gasLimit: nonceGapGas + dataGasMax({ intent }, parts.network.feeModel) },
      maxFeePerGasLimit: undefined,
    },
  ])
}

const nonceGapMinor = 1n
/**
 * The gas limit, without gas for data: one fifth above the 21,000 gas that a transfer of the coin between our
 * wallets takes.
 */
const nonceGapGas = 25_200n

export function nonceGapIntent(coin: string, hotWallet: number, hotWalletCount: number): Intent {
  const to = (hotWallet + 1) % hotWalletCount
  return { kind: 'rebalance', hotWallet: to, asset: coin, contract: null, amountMinor: nonceGapMinor }
}

export function isNonceGapTransaction({ intent }: StoredOutgoingTransaction): boolean {
  return intent.kind === 'rebalance' && intent.amountMinor === nonceGapMinor
}
