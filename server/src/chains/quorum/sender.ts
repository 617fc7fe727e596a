/**
 * Combines several nodes of one chain into one sender. Transactions are sent to all nodes. Receipts and used
 * nonces need two nodes that agree. For most other requests, the answer of one node suffices.
 */
import { required } from '../../core/assert.ts'
import type { Log } from '../../core/log.ts'
import { max } from '../../core/money.ts'
import {
  type AccountSender,
  type BroadcastAnswer,
  type FeeLevel,
  NodeError,
  type SentCounts,
  type SentTransaction,
  type TakenSlot,
  type TransactionReceipt,
} from '../port.ts'
import { findAgreed, quorumSize } from './agreement.ts'
import { firstAnswer } from './failover.ts'

export interface QuorumSenderOptions {
  /**
   * Whether transactions pay the whole price that nodes state, as on networks without base fees. The median of all
   * nodes then counts.
   */
  readonly paysWholePrice?: boolean
}

/**
 * Combines `senders` of one network into one sender. The preferred sender comes first. Closing the result
 * closes all of them.
 */
export function openQuorumSender(
  senders: readonly AccountSender[],
  log: Log,
  { paysWholePrice = false }: QuorumSenderOptions = {},
): AccountSender {
  const first = required(senders[0], 'the first node')
  if (senders.length === 1) return first
  const ask = firstAnswer(senders, log)
  return {
    network: first.network,
    canDelegate: first.canDelegate,
    readFees: (signal) =>
      paysWholePrice ? medianFees(senders, signal) : ask((sender) => sender.readFees(signal), signal),
    readDataFees: (transactions, signal) => highestDataFees(senders, transactions, signal),
    estimateGas: (from, spend, signal) => estimateByAll(senders, from, spend, signal),
    broadcast: (raw, signal) => combineVerdicts(senders.map((sender) => sender.broadcast(raw, signal))),
    readReceipts: (txHashes, signal, agreedUpTo) =>
      collectReceipts(senders, { txHashes, agreedUpTo }, signal),
    readNonces: (addresses, height, signal) =>
      ask((sender) => sender.readNonces(addresses, height, signal), signal),
    readSentCounts: (addresses, signal) => countByEach(senders, addresses, signal),
    readSent: (txHash, signal) => firstThatHas(senders, txHash, signal),
    findTaken: (address, nonce, height, signal) => agreeOnTaken(senders, address, nonce, height, signal),
    readDelegates: (addresses, signal) => ask((sender) => sender.readDelegates(addresses, signal), signal),
    hasCode: (address, signal) => ask((sender) => sender.hasCode(address, signal), signal),
    close: async () => {
      await Promise.all(senders.map((sender) => sender.close()))
    },
  }
}

/**
 * Reasons for rejection, the most significant first. For example, `nonce-used` from one node says more than
 * `underpriced` from another node.
 */
const rejections = ['nonce-used', 'missing-inputs', 'conflict', 'underpriced', 'no-funds', 'other'] as const

/**
 * Returns `taken` if any node accepted the transaction; otherwise returns the most significant rejection.
 * @throws the first error if no node answered
 */
export async function combineVerdicts(
  verdicts: readonly Promise<BroadcastAnswer>[],
): Promise<BroadcastAnswer> {
  const asked = await Promise.allSettled(verdicts)
  const answers = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (answers.some(({ type }) => type === 'taken')) return { type: 'taken' }
  for (const why of rejections) {
    const rejection = answers.find((answer) => answer.type === 'refused' && answer.why === why)
    if (rejection !== undefined) return rejection
  }
  throw asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))[0]
}

/**
 * Returns the answers of all nodes that answer.
 * @throws the first error if no node answered
 */
async function answersOfAll<T>(
  senders: readonly AccountSender[],
  ask: (sender: AccountSender) => Promise<T>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const asked = await Promise.allSettled(senders.map(ask))
  signal.throwIfAborted()
  const failures = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  const unexpected = failures.find((failure) => !(failure instanceof NodeError))
  if (unexpected !== undefined) throw unexpected
  const answers = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (answers.length === 0) throw failures[0]
  return answers
}

/**
 * Returns the median of the prices that the nodes state, so that one of three nodes cannot set the price. Of two
 * middle prices the lower one counts, because a price that is too low delays a transaction and costs nothing.
 * @throws the first error if no node answered
 */
async function medianFees(senders: readonly AccountSender[], signal: AbortSignal): Promise<FeeLevel> {
  const levels = await answersOfAll(senders, (sender) => sender.readFees(signal), signal)
  const priceOf = ({ baseFeePerGas, maxPriorityFeePerGas }: FeeLevel) => baseFeePerGas + maxPriorityFeePerGas
  const sorted = levels.toSorted((a, b) => Number(priceOf(a) > priceOf(b)) - Number(priceOf(a) < priceOf(b)))
  return required(sorted[Math.floor((sorted.length - 1) / 2)], 'the price of a node')
}

/**
 * Returns the highest fee that any node reports for each transaction. A node that is behind may report too
 * little, and a transaction from an address without further coin would then not be mined.
 * @throws the first error if no node answered
 */
async function highestDataFees(
  senders: readonly AccountSender[],
  ...question: Parameters<AccountSender['readDataFees']>
): Promise<readonly bigint[]> {
  const [, signal] = question
  const answers = await answersOfAll(senders, (sender) => sender.readDataFees(...question), signal)
  return answers.reduce((highest, fees) => highest.map((fee, index) => max(fee, fees[index] ?? 0n)))
}

/**
 * Returns the first successful estimate. A transaction that fails on one node may succeed on another. So
 * `error` is returned only if every node that answers reports a failure.
 */
async function estimateByAll(
  senders: readonly AccountSender[],
  ...question: Parameters<AccountSender['estimateGas']>
): ReturnType<AccountSender['estimateGas']> {
  const [, , signal] = question
  let failure: unknown
  let error: { readonly error: string } | undefined
  for (const sender of senders) {
    try {
      const answer = await sender.estimateGas(...question)
      if ('gas' in answer) return answer
      error ??= answer
    } catch (error) {
      if (!(error instanceof NodeError) || signal.aborted) throw error
      failure ??= error
    }
  }
  if (error !== undefined) return error
  throw failure
}

/**
 * Returns the receipts that two nodes report alike. One node is not enough, because a receipt decides whether
 * held money is booked as sent. If one of only two nodes is unreachable, the other is trusted alone, and no
 * block becomes final until both answer again.
 * @throws NodeError if `agreedUpTo` is given and no two nodes agree on a receipt. Receipts above that height
 * are then left out, because a node that is a few blocks behind does not have them yet.
 */
async function collectReceipts(
  senders: readonly AccountSender[],
  { txHashes, agreedUpTo }: { readonly txHashes: readonly string[]; readonly agreedUpTo: number | undefined },
  signal: AbortSignal,
): Promise<readonly (TransactionReceipt | undefined)[]> {
  const asked = await Promise.allSettled(senders.map((sender) => sender.readReceipts(txHashes, signal)))
  signal.throwIfAborted()
  const answers = asked.flatMap((one, node) =>
    one.status === 'fulfilled' ? [{ node, value: one.value }] : [],
  )
  const failures = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  const unexpected = failures.find((failure) => !(failure instanceof NodeError))
  if (unexpected !== undefined) throw unexpected
  const [only] = answers
  if (answers.length === 1 && senders.length === quorumSize && only !== undefined) return only.value
  if (answers.length < quorumSize) throw failures[0]
  return txHashes.map((txHash, index) => {
    const reported = answers.map(({ node, value }) => ({
      node,
      value: receiptUpTo(agreedUpTo, value[index]),
    }))
    const agreed = findAgreed(reported, receiptKey)
    if (agreed === undefined && agreedUpTo !== undefined)
      throw new NodeError(`no two of ${senders.length} nodes agree on the receipt of ${txHash}`)
    return agreed?.value
  })
}

/** Returns the receipt, or undefined if its block is above `height`. */
function receiptUpTo(
  height: number | undefined,
  receipt: TransactionReceipt | undefined,
): TransactionReceipt | undefined {
  const isAbove = height !== undefined && receipt !== undefined && receipt.height > height
  return isAbove ? undefined : receipt
}

/** Returns the transaction counts of each node. The caller decides how many nodes must have answered. */
async function countByEach(
  senders: readonly AccountSender[],
  ...question: Parameters<AccountSender['readSentCounts']>
): Promise<readonly (readonly SentCounts[] | undefined)[]> {
  const [, signal] = question
  const asked = await Promise.allSettled(senders.map((sender) => sender.readSentCounts(...question)))
  signal.throwIfAborted()
  const unexpected = asked.find((one) => one.status === 'rejected' && !(one.reason instanceof NodeError))
  if (unexpected?.status === 'rejected') throw unexpected.reason
  return asked.flatMap((one) => (one.status === 'fulfilled' ? one.value : [undefined]))
}

/**
 * Returns the transaction from the first node that has it. One node is enough, because the transaction's hash
 * proves its bytes.
 */
async function firstThatHas(
  senders: readonly AccountSender[],
  ...question: Parameters<AccountSender['readSent']>
): Promise<SentTransaction | undefined> {
  const [, signal] = question
  let failure: unknown
  for (const sender of senders) {
    try {
      const sent = await sender.readSent(...question)
      if (sent !== undefined) return sent
    } catch (error) {
      if (!(error instanceof NodeError) || signal.aborted) throw error
      failure ??= error
    }
  }
  if (failure !== undefined) throw failure
  return undefined
}

/**
 * Returns the block that used the nonce according to two nodes, even if other nodes disagree. One node is not
 * enough: held money may be released because of this result.
 */
async function agreeOnTaken(
  senders: readonly AccountSender[],
  ...question: Parameters<AccountSender['findTaken']>
): Promise<TakenSlot | undefined> {
  const [, , , signal] = question
  const asked = await Promise.allSettled(senders.map((sender) => sender.findTaken(...question)))
  signal.throwIfAborted()
  const reported = asked.flatMap((one, node) =>
    one.status === 'fulfilled' ? [{ node, value: one.value }] : [],
  )
  const keyOf = (taken: TakenSlot | undefined) =>
    taken === undefined ? 'free' : `${taken.height} ${taken.blockHash} ${taken.txHash}`
  return findAgreed(reported, keyOf)?.value
}

function receiptKey(receipt: TransactionReceipt | undefined): string {
  if (receipt === undefined) return 'none'
  const { height, blockHash, isSuccess, feeMinor } = receipt
  return `${height} ${blockHash} ${isSuccess} ${feeMinor}`
}
