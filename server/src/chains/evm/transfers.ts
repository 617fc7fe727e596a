/** Finds the transfers of a block in its logs and call traces. Pure. */
import { groupBy } from '../../core/group-by.ts'
import { NodeError, type Transfer } from '../port.ts'
import { addressOf, type CoinMove, type Log, type Trace } from './answers.ts'

/** keccak256("Transfer(address,address,uint256)"), the topic of EIP-20's event. */
export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/**
 * Returns token and coin transfers in the order of their transactions in the block. Within a transaction, the
 * coin transfers come first.
 */
export function orderTransfers(
  txHashes: ReadonlySet<string>,
  coin: readonly Transfer[],
  token: readonly Transfer[],
): Transfer[] {
  const byTx = groupBy([...coin, ...token], ({ txHash }) => txHash)
  return [...txHashes].flatMap((txHash) => byTx.get(txHash) ?? [])
}

/**
 * Returns the EIP-20 transfers among all logs of a block. The key of a transfer contains the index of its log
 * among ALL logs of its own transaction. A log's index within the block is not used, because it changes if
 * the transaction is mined again in another block.
 */
export function tokenTransfers(logs: readonly Log[]): Transfer[] {
  const counts = new Map<string, number>()
  const transfers: Transfer[] = []
  for (const log of logs) {
    const position = counts.get(log.txHash) ?? 0
    counts.set(log.txHash, position + 1)
    const transfer = tokenTransfer(log, position)
    if (transfer !== undefined) transfers.push(transfer)
  }
  return transfers
}

/**
 * Returns the token transfer of a log; undefined if the log is none. EIP-721's event has the same topic hash,
 * but four topics. A transfer of zero is a valid event, but moves nothing. It is left out, because scammers
 * use such transfers to place look-alike addresses in payment histories.
 */
export function tokenTransfer(
  { txHash, address, topics, payload }: Log,
  position: number,
): Transfer | undefined {
  const [topic, from, to] = topics
  if (topic !== transferTopic || from === undefined || to === undefined) return undefined
  if (topics.length !== 3 || payload.length !== 66) return undefined
  const sender = addressIn(from)
  const recipient = addressIn(to)
  const amountMinor = BigInt(payload)
  if (sender === undefined || recipient === undefined || amountMinor === 0n) return undefined
  const asset = { type: 'token', contract: address } as const
  return { key: `${txHash}:log:${position}`, txHash, asset, sender, recipient, amountMinor }
}

/** Returns the address in a topic, which must be twelve zero bytes and the twenty bytes of the address. */
function addressIn(topic: string): string | undefined {
  return topic.startsWith('0x000000000000000000000000') ? `0x${topic.slice(26)}` : undefined
}

/**
 * Returns the coin transfers in the call traces of a block. `txHashes` are the block's transactions. If a call
 * failed, all its inner calls were reverted too. Incomplete traces are rejected, because a missing trace may
 * hide a transfer.
 * @throws NodeError if a transaction has no trace, or if a call is reported twice or before its parent
 */
export function coinTransfers(txHashes: ReadonlySet<string>, traces: readonly Trace[]): Transfer[] {
  const undone = new Map<string, boolean>()
  const transfers: Transfer[] = []
  for (const { txHash, position, failed, move } of traces) {
    const path = position.join('.')
    const above = position.length === 0 ? false : undone.get(stepKey(txHash, position.slice(0, -1).join('.')))
    if (above === undefined) throw new NodeError(`the trace ${txHash}:${path} has no parent`)
    if (undone.has(stepKey(txHash, path)))
      throw new NodeError(`the trace ${txHash}:${path} is reported twice`)
    undone.set(stepKey(txHash, path), above || failed)
    if (move !== undefined && !above && !failed) transfers.push(coinTransfer(txHash, path, move))
  }
  for (const txHash of txHashes)
    if (!undone.has(stepKey(txHash, ''))) throw new NodeError(`transaction ${txHash} has no trace`)
  return transfers
}

/**
 * Adds to each transfer the signer of its transaction, if the signer is not the sender. The trace of the
 * outermost call states the signer. A transaction without a trace has no signer.
 */
export function withOrigins(transfers: readonly Transfer[], traces: readonly Trace[]): readonly Transfer[] {
  const signers = new Map<string, unknown>()
  for (const { txHash, position, signer } of traces) if (position.length === 0) signers.set(txHash, signer)
  return transfers.map((transfer) => {
    const stated = signers.get(transfer.txHash)
    if (stated === transfer.sender || !signers.has(transfer.txHash)) return transfer
    const origin = addressOf(stated, 'sender of a transaction')
    return origin === transfer.sender ? transfer : { ...transfer, origin }
  })
}

/**
 * Returns the key of a call in the traces. Most calls are outermost; their key is the transaction hash alone.
 */
function stepKey(txHash: string, path: string): string {
  return path === '' ? txHash : `${txHash}:${path}`
}

/**
 * Builds a transfer of the coin. `position` is the trace address joined by dots, empty for the outermost
 * call.
 */
function coinTransfer(txHash: string, position: string, move: CoinMove): Transfer {
  return { key: `${txHash}:call:${position}`, txHash, asset: { type: 'coin' }, ...move }
}
