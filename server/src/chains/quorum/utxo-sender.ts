/**
 * Combines several nodes of one UTXO chain into one sender. Transactions are sent to all nodes. Two nodes
 * must agree that an output is spent.
 */
import { required } from '../../core/assert.ts'
import type { Log } from '../../core/log.ts'
import type { BroadcastAnswer } from '../port.ts'
import type { SpentOutput, UtxoSender } from '../utxo/utxo-port.ts'
import { findAgreed, quorumSize } from './agreement.ts'
import { firstAnswer } from './failover.ts'
import { combineVerdicts } from './sender.ts'

/**
 * Combines `senders` of one network into one sender. The preferred sender comes first. Closing the result
 * closes all of them.
 */
export function openQuorumUtxoSender(senders: readonly UtxoSender[], log: Log): UtxoSender {
  const first = required(senders[0], 'the first node')
  if (senders.length === 1) return first
  const ask = firstAnswer(senders, log)
  return {
    network: first.network,
    readFeeRate: (blocks, signal) => ask((sender) => sender.readFeeRate(blocks, signal), signal),
    testAccept: (raw, signal) => testByAll(senders, raw, signal),
    broadcast: (raw, signal) => combineVerdicts(senders.map((sender) => sender.broadcast(raw, signal))),
    findSpent: (outpoint, span, signal) =>
      agreeOnSpent(
        senders.map((sender) => sender.findSpent(outpoint, span, signal)),
        signal,
      ),
    findWaitingSpender: (outpoint, signal) => findInAnyMempool(senders, outpoint, signal),
    // One node is enough, because the hash of a transaction proves its bytes.
    readPreviousTransactions: (blockHash, txHashes, signal) =>
      ask((sender) => sender.readPreviousTransactions(blockHash, txHashes, signal), signal),
    close: async () => {
      await Promise.all(senders.map((sender) => sender.close()))
    },
  }
}

/** Runs the mempool test on all nodes and combines the results. Undefined if no node supports the test. */
async function testByAll(
  senders: readonly UtxoSender[],
  raw: string,
  signal: AbortSignal,
): Promise<BroadcastAnswer | undefined> {
  const asked = await Promise.allSettled(senders.map((sender) => sender.testAccept(raw, signal)))
  const reported = asked.flatMap((one) => {
    if (one.status === 'rejected') return [Promise.reject<BroadcastAnswer>(one.reason)]
    return one.value === undefined ? [] : [Promise.resolve(one.value)]
  })
  return reported.length === 0 ? undefined : combineVerdicts(reported)
}

/**
 * Returns a transaction in any node's mempool that spends the output. All nodes are asked, because mempools
 * differ. At least two must answer, because a single node may be cut off from the network.
 */
async function findInAnyMempool(
  senders: readonly UtxoSender[],
  outpoint: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const asked = await Promise.allSettled(senders.map((sender) => sender.findWaitingSpender(outpoint, signal)))
  signal.throwIfAborted()
  const failures = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (asked.length - failures.length < quorumSize) throw failures[0]
  return asked.flatMap((one) => (one.status === 'fulfilled' ? (one.value ?? []) : []))[0]
}

/**
 * Returns the block and transaction that spent the output according to two nodes, even if other nodes
 * disagree. One node is not enough: held money may be released because of this result.
 */
async function agreeOnSpent(
  asked: readonly Promise<SpentOutput | undefined>[],
  signal: AbortSignal,
): Promise<SpentOutput | undefined> {
  const answers = await Promise.allSettled(asked)
  signal.throwIfAborted()
  const reported = answers.flatMap((one, node) =>
    one.status === 'fulfilled' ? [{ node, value: one.value }] : [],
  )
  const keyOf = (spent: SpentOutput | undefined) =>
    spent === undefined ? 'unspent' : `${spent.height} ${spent.blockHash} ${spent.txHash}`
  return findAgreed(reported, keyOf)?.value
}
