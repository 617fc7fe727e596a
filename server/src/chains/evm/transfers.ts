/** What moved in a block, out of its logs and call traces. Pure. */
import { groupBy } from '../../core/group-by.ts'
import { NodeError, type Transfer } from '../port.ts'
import { addressOf, type CoinMove, type Log, type Trace } from './answers.ts'

/** keccak256("Transfer(address,address,uint256)"): EIP-20's event. */
export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Token and coin transfers in the block's order; within a transaction the coin comes first. */
export function orderTransfers(
  txHashes: ReadonlySet<string>,
  coin: readonly Transfer[],
  token: readonly Transfer[],
): Transfer[] {
  const byTx = groupBy([...coin, ...token], ({ txHash }) => txHash)
  return [...txHashes].flatMap((txHash) => byTx.get(txHash) ?? [])
}

/**
 * The EIP-20 transfers among all logs of a block, each keyed by its place among ALL logs of its own transaction. A
 * log's number within the block is no key: it changes when the transaction is mined again elsewhere.
 */
export function tokenTransfers(logs: readonly Log[]): Transfer[] {
  const counts = new Map<string, number>()
  const transfers: Transfer[] = []
  for (const log of logs) {
    const place = counts.get(log.txHash) ?? 0
    counts.set(log.txHash, place + 1)
    const transfer = tokenTransfer(log, place)
    if (transfer !== undefined) transfers.push(transfer)
  }
  return transfers
}

/**
 * EIP-721's event has the same topic and a fourth one. A transfer of zero is a legal event, by which scammers plant
 * look-alike addresses in histories: it moves nothing and is dropped.
 */
function tokenTransfer({ txHash, address, topics, payload }: Log, place: number): Transfer | undefined {
  const [topic, from, to] = topics
  if (topic !== transferTopic || from === undefined || to === undefined) return undefined
  if (topics.length !== 3 || payload.length !== 66) return undefined
  const sender = addressIn(from)
  const recipient = addressIn(to)
  const amountMinor = BigInt(payload)
  if (sender === undefined || recipient === undefined || amountMinor === 0n) return undefined
  const asset = { type: 'token', contract: address } as const
  return { key: `${txHash}:log:${place}`, txHash, asset, sender, recipient, amountMinor }
}

/** An address as a topic: twelve zero bytes, then twenty of its own. */
function addressIn(topic: string): string | undefined {
  return topic.startsWith('0x000000000000000000000000') ? `0x${topic.slice(26)}` : undefined
}

/**
 * The coin's transfers among all traces of a block that holds `txHashes`. What stands below a failed step has been
 * undone with it. Throws NodeError when a transaction has no trace, or a step comes twice or before the one that made it: an
 * incomplete answer must not pass for a block in which nothing moved.
 */
export function coinTransfers(txHashes: ReadonlySet<string>, traces: readonly Trace[]): Transfer[] {
  const undone = new Map<string, boolean>()
  const transfers: Transfer[] = []
  for (const { txHash, place, failed, move } of traces) {
    const path = place.join('.')
    const above = place.length === 0 ? false : undone.get(stepKey(txHash, place.slice(0, -1).join('.')))
    if (above === undefined) throw new NodeError(`the trace ${txHash}:${path} comes without the one above it`)
    if (undone.has(stepKey(txHash, path))) throw new NodeError(`the trace ${txHash}:${path} is told twice`)
    undone.set(stepKey(txHash, path), above || failed)
    if (move !== undefined && !above && !failed) transfers.push(coinTransfer(txHash, path, move))
  }
  for (const txHash of txHashes)
    if (!undone.has(stepKey(txHash, ''))) throw new NodeError(`transaction ${txHash} has no trace`)
  return transfers
}

/**
 * Transfers with whoever signed their transactions, where that is not their sender. Every transaction has a trace of its own,
 * which states it.
 */
export function withOrigins(transfers: readonly Transfer[], traces: readonly Trace[]): readonly Transfer[] {
  const signers = new Map<string, unknown>()
  for (const { txHash, place, signer } of traces) if (place.length === 0) signers.set(txHash, signer)
  return transfers.map((transfer) => {
    const stated = signers.get(transfer.txHash)
    if (stated === transfer.sender) return transfer
    const origin = addressOf(stated, 'sender of a transaction')
    return origin === transfer.sender ? transfer : { ...transfer, origin }
  })
}

/** Most steps are whole transactions, whose hashes need not be written anew. */
function stepKey(txHash: string, path: string): string {
  return path === '' ? txHash : `${txHash}:${path}`
}

/** `place` is the trace address joined by dots; empty for the transaction's own value. */
function coinTransfer(txHash: string, place: string, move: CoinMove): Transfer {
  return { key: `${txHash}:call:${place}`, txHash, asset: { type: 'coin' }, ...move }
}
