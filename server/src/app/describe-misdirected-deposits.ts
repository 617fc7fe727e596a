import type { UtxoNetwork } from '../chains/networks.ts'
import { addressCodecOf } from '../chains/open-chain.ts'
import type { ChainReader } from '../chains/port.ts'
import { accountPathOf } from '../chains/utxo/account-key.ts'
import { formatDecimal } from '../core/money.ts'
import { findMisdirectedDeposits } from '../payments/deposits/recording/find-misdirected-deposits.ts'
import type { Queryable } from '../platform/db/pool.ts'

export interface DescribeMisdirectedDepositsParts {
  readonly db: Queryable
  readonly chain: Pick<ChainReader, 'readTransaction'>
  readonly network: UtxoNetwork
}

/**
 * Returns a line for an operator about each misdirected deposit of a transaction. A misdirected deposit is a
 * payment to an address of one of our keys that has another type than the address that the payer was shown.
 * The list is empty if there are none.
 */
export async function describeMisdirectedDeposits(
  { db, chain, network }: DescribeMisdirectedDepositsParts,
  txHash: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const lookup = await chain.readTransaction(txHash, signal)
  if (lookup.type !== 'mined') return []
  const { symbol, decimals } = network.coin
  const misdirected = await findMisdirectedDeposits(db, addressCodecOf(network), lookup.transfers)
  return misdirected.map(({ transfer: { key, recipient, amountMinor }, meant }) => {
    const { address, branch, index, invoiceId, merchantId } = meant
    const owner = invoiceId === undefined ? 'nobody' : `invoice ${invoiceId} of merchant ${merchantId}`
    const path = `${accountPathOf(network.chain)}/${branch}/${index}`
    return (
      `${key}  ${formatDecimal(amountMinor, decimals)} ${symbol} to ${recipient}  unattributed: ` +
      `the key of ${address}, of ${owner}, at ${path}`
    )
  })
}
