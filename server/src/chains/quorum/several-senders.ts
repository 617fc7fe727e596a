/** Several nodes of one chain as one sender: what is sent goes to all, receipts are what two tell alike, the rest one tells. */
import { required } from '../../core/assert.ts'
import type { Log } from '../../core/log.ts'
import {
  type AccountSender,
  type BroadcastAnswer,
  NodeError,
  type SentCounts,
  type SentTransaction,
  type TakenPlace,
  type TransactionReceipt,
} from '../port.ts'
import { findAgreed, voicesMin } from './agreement.ts'
import { firstAnswer } from './failover.ts'

/** `senders` are of one network, best first, and are closed with the result. */
export function sendToAll(senders: readonly AccountSender[], log: Log): AccountSender {
  const first = required(senders[0], 'the first node')
  if (senders.length === 1) return first
  const ask = firstAnswer(senders, log)
  return {
    network: first.network,
    canDelegate: first.canDelegate,
    readFees: (signal) => ask((sender) => sender.readFees(signal), signal),
    estimateGas: (from, spend, signal) => estimateByAll(senders, from, spend, signal),
    broadcast: (raw, signal) => judgedByAll(senders.map((sender) => sender.broadcast(raw, signal))),
    readReceipts: (txHashes, signal) => collectReceipts(senders, txHashes, signal),
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

/** The gravest first: one node that knows the nonce as used knows more than one that finds the fee too low. */
const refusals = ['nonce-used', 'coins-gone', 'conflict', 'underpriced', 'no-funds', 'other'] as const

/** Taken where any node took it, else the gravest of their reasons. */
export async function judgedByAll(judging: readonly Promise<BroadcastAnswer>[]): Promise<BroadcastAnswer> {
  const asked = await Promise.allSettled(judging)
  const answers = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (answers.some(({ type }) => type === 'taken')) return { type: 'taken' }
  for (const why of refusals) {
    const refusal = answers.find((answer) => answer.type === 'refused' && answer.why === why)
    if (refusal !== undefined) return refusal
  }
  throw asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))[0]
}

/** What one node finds impossible another may know to be fine: a payment fails by the word of all that answer, not of one. */
async function estimateByAll(
  senders: readonly AccountSender[],
  ...question: Parameters<AccountSender['estimateGas']>
): ReturnType<AccountSender['estimateGas']> {
  const [, , signal] = question
  let failure: unknown
  let fault: { readonly fault: string } | undefined
  for (const sender of senders) {
    try {
      const answer = await sender.estimateGas(...question)
      if ('gas' in answer) return answer
      fault ??= answer
    } catch (error) {
      if (!(error instanceof NodeError) || signal.aborted) throw error
      failure ??= error
    }
  }
  if (fault !== undefined) return fault
  throw failure
}

/**
 * What two nodes tell alike of each transaction: whether it succeeded decides what becomes of held money, so the word of
 * one is not enough. Of two nodes one is believed while the other is away, and final is nothing then.
 */
async function collectReceipts(
  senders: readonly AccountSender[],
  txHashes: readonly string[],
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
  if (answers.length === 1 && senders.length === voicesMin && only !== undefined) return only.value
  if (answers.length < voicesMin) throw failures[0]
  return txHashes.map((_, place) => {
    const told = answers.map(({ node, value }) => ({ node, value: value[place] }))
    return findAgreed(told, receiptKey)?.value
  })
}

/** Each node's own word; the caller decides how many of them must be there. */
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

/** Bytes are shown by their hash, so that it does not matter which node has them. */
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

/** By the word of two, whoever else is away, lags or lies: a hold is released by it. */
async function agreeOnTaken(
  senders: readonly AccountSender[],
  ...question: Parameters<AccountSender['findTaken']>
): Promise<TakenPlace | undefined> {
  const [, , , signal] = question
  const asked = await Promise.allSettled(senders.map((sender) => sender.findTaken(...question)))
  signal.throwIfAborted()
  const told = asked.flatMap((one, node) => (one.status === 'fulfilled' ? [{ node, value: one.value }] : []))
  const keyOf = (taken: TakenPlace | undefined) =>
    taken === undefined ? 'free' : `${taken.height} ${taken.blockHash} ${taken.txHash}`
  return findAgreed(told, keyOf)?.value
}

function receiptKey(receipt: TransactionReceipt | undefined): string {
  if (receipt === undefined) return 'none'
  const { height, blockHash, isSuccess, feeMinor } = receipt
  return `${height} ${blockHash} ${isSuccess} ${feeMinor}`
}
