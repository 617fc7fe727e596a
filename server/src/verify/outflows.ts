/** What transactions of ours took away that no journal tells of yet, by the node's word. */
import sql from 'sql-template-tag'
import type { ChainReader } from '../chains/port.ts'
import type { Queryable } from '../db/pool.ts'

export interface OpenAttempt {
  readonly txHash: string
  /** Undefined until it was found in a block. */
  readonly feeMinor: bigint | undefined
}

/** What left for good, by contract (undefined for the coin), and what mining it cost. */
export interface SentOut {
  readonly moved: readonly { readonly contract: string | undefined; readonly amountMinor: bigint }[]
  readonly feesMinor: bigint
}

/** Everything that was signed on a network and is not booked; at most one attempt of each payout is ever mined. */
export async function readOpenAttempts(on: Queryable, network: string): Promise<readonly OpenAttempt[]> {
  const rows = await on.query<{ tx_hash: string; fee: string | null }>(sql`
    select attempt.tx_hash, case when included_tx_hash = attempt.tx_hash then fee_minor end as fee
    from payout_attempt attempt join payout on payout.id = attempt.payout_id
    where payout.network = ${network} and payout.state in ('signed', 'broadcast', 'in_doubt', 'included')
    order by attempt.tx_hash`)
  return rows.map(({ tx_hash, fee }) => ({
    txHash: tx_hash,
    feeMinor: fee === null ? undefined : BigInt(fee),
  }))
}

/** All that are mined up to `height`; undefined where one is whose fee is not known yet. */
export async function readMinedOutflows(
  reader: ChainReader,
  attempts: readonly OpenAttempt[],
  { height, ours }: { readonly height: number; readonly ours: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<SentOut | undefined> {
  const moved: { contract: string | undefined; amountMinor: bigint }[] = []
  let feesMinor = 0n
  for (const { txHash, feeMinor } of attempts) {
    const sight = await reader.readTransaction(txHash, signal)
    if (sight.type !== 'mined' && sight.type !== 'failed') continue
    if ((sight.type === 'mined' ? sight.block.height : sight.height) > height) continue
    if (feeMinor === undefined) return undefined
    feesMinor += feeMinor
    for (const { asset, sender = '', recipient, amountMinor } of sight.type === 'mined'
      ? sight.transfers
      : []) {
      const contract = asset.type === 'token' ? asset.contract : undefined
      if (ours.has(sender) && !ours.has(recipient)) moved.push({ contract, amountMinor })
    }
  }
  return { moved, feesMinor }
}
