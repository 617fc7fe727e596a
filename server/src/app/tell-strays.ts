import type { UtxoNetwork } from '../chains/networks.ts'
import { addressCodecOf } from '../chains/open-chain.ts'
import type { ChainReader } from '../chains/port.ts'
import { accountPathOf } from '../chains/utxo/account-key.ts'
import { formatDecimal } from '../core/money.ts'
import { findStrays } from '../payments/deposits/recording/find-strays.ts'
import type { Queryable } from '../platform/db/pool.ts'

export interface TellStraysParts {
  readonly db: Queryable
  readonly chain: Pick<ChainReader, 'readTransaction'>
  readonly network: UtxoNetwork
}

/** What a transaction paid to keys of ours at another kind of address, as lines for an operator; none where nothing. */
export async function tellStrays(
  { db, chain, network }: TellStraysParts,
  txHash: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const sight = await chain.readTransaction(txHash, signal)
  if (sight.type !== 'mined') return []
  const { symbol, decimals } = network.coin
  const strays = await findStrays(db, addressCodecOf(network), sight.transfers)
  return strays.map(({ transfer: { key, recipient, amountMinor }, meant }) => {
    const { address, branch, index, invoiceId, merchantId } = meant
    const whose = invoiceId === undefined ? 'nobody' : `invoice ${invoiceId} of merchant ${merchantId}`
    const path = `${accountPathOf(network.chain)}/${branch}/${index}`
    return (
      `${key}  ${formatDecimal(amountMinor, decimals)} ${symbol} to ${recipient}  unattributed: ` +
      `the key of ${address}, of ${whose}, at ${path}`
    )
  })
}
