/** What transactions of ours took away that no journal tells of yet, by the node's word alone. */
import sql from 'sql-template-tag'
import {
  type AccountSender,
  NodeError,
  type TransactionReceipt,
  type Transfer,
} from '../../../chains/port.ts'
import { required } from '../../../core/assert.ts'
import { limits } from '../../../core/limits.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { ComparedChain } from '../invariant.ts'

/** What is asked of a chain about transactions of ours. */
export interface SettledChain extends Pick<ComparedChain, 'reader'> {
  readonly sender: Pick<AccountSender, 'readReceipts'> | undefined
}

export interface OpenAttempt {
  readonly txHash: string
  readonly wallet: string
}

export interface MinedAttempt extends OpenAttempt {
  readonly receipt: TransactionReceipt
}

/** What left for good, by contract (undefined for the coin), and what mining it cost. */
export interface SentOut {
  readonly moved: readonly { readonly contract: string | undefined; readonly amountMinor: bigint }[]
  readonly feesMinor: bigint
}

/** Everything that was signed on a network and is not booked; at most one attempt of each payout is ever mined. */
export function readOpenAttempts(on: Queryable, network: string): Promise<readonly OpenAttempt[]> {
  return on.query<OpenAttempt>(sql`
    select attempt.tx_hash as "txHash", payout.wallet
    from payout_attempt attempt join payout on payout.id = attempt.payout_id
    where payout.network = ${network} and payout.state in ('signed', 'broadcast', 'in_doubt', 'included')
    order by attempt.tx_hash`)
}

/** Those that are mined up to `height`, whether our own machine has seen it yet or not. */
export async function readMined(
  { sender }: SettledChain,
  attempts: readonly OpenAttempt[],
  height: number,
  signal: AbortSignal,
): Promise<readonly MinedAttempt[]> {
  const mined: MinedAttempt[] = []
  for (let from = 0; from < attempts.length; from += limits.receiptsAtOnce) {
    const some = attempts.slice(from, from + limits.receiptsAtOnce)
    const hashes = some.map(({ txHash }) => txHash)
    const receipts = await required(sender, 'a sender').readReceipts(hashes, signal)
    for (const [place, attempt] of some.entries()) {
      const receipt = receipts[place]
      if (receipt !== undefined && receipt.height <= height) mined.push({ ...attempt, receipt })
    }
  }
  return mined
}

/** What all that are mined up to `height` moved from `ours` to others, and their fees; failed ones cost theirs too. */
export async function readMinedOutflows(
  chain: SettledChain,
  attempts: readonly OpenAttempt[],
  { height, ours }: { readonly height: number; readonly ours: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<SentOut> {
  const moved: { contract: string | undefined; amountMinor: bigint }[] = []
  let feesMinor = 0n
  for (const { receipt } of await readMined(chain, attempts, height, signal)) {
    feesMinor += receipt.feeMinor
    if (!receipt.isSuccess) continue
    for (const { asset, sender = '', recipient, amountMinor } of await transfersOf(chain, receipt, signal)) {
      const contract = asset.type === 'token' ? asset.contract : undefined
      if (ours.has(sender) && !ours.has(recipient)) moved.push({ contract, amountMinor })
    }
  }
  return { moved, feesMinor }
}

/** By the block, on which nodes agree where there are several. @throws NodeError where it and the receipt contradict each other */
async function transfersOf(
  { reader }: SettledChain,
  { txHash, height, blockHash }: TransactionReceipt,
  signal: AbortSignal,
): Promise<readonly Transfer[]> {
  const facts = await reader.readBlock(height, signal)
  if (facts?.block.hash === blockHash) return facts.transfers.filter((moved) => moved.txHash === txHash)
  throw new NodeError(`the receipt of ${txHash} tells of block ${blockHash}, where it is not to be seen`)
}
