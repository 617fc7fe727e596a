/**
 * Computes, from the node's answers, the amounts that our transactions sent and that no journal has booked
 * yet.
 */
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

/** The clients of a chain with which the outcome of our transactions is read. */
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

/** Amounts that left our addresses, by token contract (undefined for native coin), and network fees. */
export interface SentOut {
  readonly moved: readonly { readonly contract: string | undefined; readonly amountMinor: bigint }[]
  readonly feesMinor: bigint
}

/**
 * Returns every signed attempt on an EVM network whose outcome is not booked yet. At most one attempt of each
 * outgoing transaction is ever mined.
 */
export function readOpenAttempts(on: Queryable, network: string): Promise<readonly OpenAttempt[]> {
  return on.query<OpenAttempt>(sql`
    select attempt.tx_hash as "txHash", evm.wallet
    from outgoing_transaction_attempt attempt join outgoing_transaction on outgoing_transaction.id = attempt.outgoing_transaction_id
    join outgoing_evm evm on evm.outgoing_transaction_id = outgoing_transaction.id
    where outgoing_transaction.network = ${network} and outgoing_transaction.state in ('signed', 'broadcast', 'needs_recheck', 'included')
    order by attempt.tx_hash`)
}

/**
 * Returns the attempts that the node has mined up to `height`, even if our database does not say so yet.
 * @throws NodeError if several nodes are asked and no two agree on the receipt of an attempt. If the attempt
 * counted as not mined, the money that it moved would seem to be missing.
 */
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
    const receipts = await required(sender, 'a sender').readReceipts(hashes, signal, height)
    for (const [index, attempt] of some.entries()) {
      const receipt = receipts[index]
      if (receipt !== undefined && receipt.height <= height) mined.push({ ...attempt, receipt })
    }
  }
  return mined
}

/**
 * Returns the amounts that attempts mined up to `height` moved from our addresses to others, and the fees of
 * these attempts. Failed transactions cost fees too.
 */
export async function readMinedOutflows(
  chain: SettledChain,
  attempts: readonly OpenAttempt[],
  { height, ownAddresses }: { readonly height: number; readonly ownAddresses: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<SentOut> {
  const moved: { contract: string | undefined; amountMinor: bigint }[] = []
  let feesMinor = 0n
  for (const { receipt } of await readMined(chain, attempts, height, signal)) {
    feesMinor += receipt.feeMinor
    if (!receipt.isSuccess) continue
    for (const { asset, sender = '', recipient, amountMinor } of await transfersOf(chain, receipt, signal)) {
      const contract = asset.type === 'token' ? asset.contract : undefined
      if (ownAddresses.has(sender) && !ownAddresses.has(recipient)) moved.push({ contract, amountMinor })
    }
  }
  return { moved, feesMinor }
}

/**
 * Returns the transfers of a transaction. Reads them from the block and not from the receipt, because several
 * nodes must agree on a block.
 * @throws NodeError if the block and the receipt contradict each other
 */
async function transfersOf(
  { reader }: SettledChain,
  { txHash, height, blockHash }: TransactionReceipt,
  signal: AbortSignal,
): Promise<readonly Transfer[]> {
  const facts = await reader.readBlock(height, signal)
  if (facts?.block.hash === blockHash) return facts.transfers.filter((moved) => moved.txHash === txHash)
  throw new NodeError(`the receipt of ${txHash} names block ${blockHash}, which does not contain it`)
}
