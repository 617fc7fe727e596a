/** Several nodes of one chain as one sender: what is sent goes to all of them, what is asked to the first that answers. */
import { required } from '../core/assert.ts'
import type { Log } from '../core/log.ts'
import { firstAnswer } from './failover.ts'
import { type BroadcastAnswer, type ChainSender, NodeError, type TransactionReceipt } from './port.ts'

/** `senders` are of one network, best first, and are closed with the result. */
export function sendToAll(senders: readonly ChainSender[], log: Log): ChainSender {
  const first = required(senders[0], 'the first node')
  if (senders.length === 1) return first
  const ask = firstAnswer(senders, log)
  return {
    network: first.network,
    canDelegate: first.canDelegate,
    readFees: (signal) => ask((sender) => sender.readFees(signal), signal),
    estimateGas: (from, spend, signal) => ask((sender) => sender.estimateGas(from, spend, signal), signal),
    broadcast: (raw, signal) => broadcastToAll(senders, raw, signal),
    readReceipts: (txHashes, signal) => collectReceipts(senders, txHashes, signal),
    readNonces: (addresses, height, signal) =>
      ask((sender) => sender.readNonces(addresses, height, signal), signal),
    readDelegates: (addresses, signal) => ask((sender) => sender.readDelegates(addresses, signal), signal),
    hasCode: (address, signal) => ask((sender) => sender.hasCode(address, signal), signal),
    close: async () => {
      await Promise.all(senders.map((sender) => sender.close()))
    },
  }
}

/** The gravest first: one node that knows the nonce as used knows more than one that finds the fee too low. */
const refusals = ['nonce-used', 'underpriced', 'no-funds', 'other'] as const

async function broadcastToAll(
  senders: readonly ChainSender[],
  raw: string,
  signal: AbortSignal,
): Promise<BroadcastAnswer> {
  const asked = await Promise.allSettled(senders.map((sender) => sender.broadcast(raw, signal)))
  const answers = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (answers.some(({ type }) => type === 'taken')) return { type: 'taken' }
  for (const why of refusals) {
    const refusal = answers.find((answer) => answer.type === 'refused' && answer.why === why)
    if (refusal !== undefined) return refusal
  }
  throw asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))[0]
}

/** A receipt that one node has not, another may have; nodes are asked until all are found. */
async function collectReceipts(
  senders: readonly ChainSender[],
  txHashes: readonly string[],
  signal: AbortSignal,
): Promise<readonly (TransactionReceipt | undefined)[]> {
  const found = new Map<string, TransactionReceipt>()
  let failure: NodeError | undefined
  let answers = 0
  for (const sender of senders) {
    const missing = txHashes.filter((txHash) => !found.has(txHash))
    if (missing.length === 0) break
    try {
      const receipts = await sender.readReceipts(missing, signal)
      for (const receipt of receipts) if (receipt !== undefined) found.set(receipt.txHash, receipt)
      answers += 1
    } catch (error) {
      if (!(error instanceof NodeError) || signal.aborted) throw error
      failure = error
    }
  }
  if (answers === 0 && failure !== undefined) throw failure
  return txHashes.map((txHash) => found.get(txHash))
}
