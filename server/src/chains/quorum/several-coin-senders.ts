/** Several nodes of one chain of coins as one sender: what is sent goes to all, what was spent is what two tell alike. */
import { required } from '../../core/assert.ts'
import type { Log } from '../../core/log.ts'
import type { BroadcastAnswer } from '../port.ts'
import type { CoinSender, SpentCoin } from '../utxo/coin-port.ts'
import { findAgreed, voicesMin } from './agreement.ts'
import { firstAnswer } from './failover.ts'
import { judgedByAll } from './several-senders.ts'

/** `senders` are of one network, best first, and are closed with the result. */
export function sendCoinsToAll(senders: readonly CoinSender[], log: Log): CoinSender {
  const first = required(senders[0], 'the first node')
  if (senders.length === 1) return first
  const ask = firstAnswer(senders, log)
  return {
    network: first.network,
    readFeeRate: (blocks, signal) => ask((sender) => sender.readFeeRate(blocks, signal), signal),
    testAccept: (raw, signal) => testByAll(senders, raw, signal),
    broadcast: (raw, signal) => judgedByAll(senders.map((sender) => sender.broadcast(raw, signal))),
    findSpent: (outpoint, span, signal) =>
      agreeOnSpent(
        senders.map((sender) => sender.findSpent(outpoint, span, signal)),
        signal,
      ),
    findWaitingSpender: (outpoint, signal) => findInAnyMempool(senders, outpoint, signal),
    // What is told is bound to its hash: one node's word is enough.
    readMakers: (blockHash, txHashes, signal) =>
      ask((sender) => sender.readMakers(blockHash, txHashes, signal), signal),
    close: async () => {
      await Promise.all(senders.map((sender) => sender.close()))
    },
  }
}

/** By those nodes that can tell. */
async function testByAll(
  senders: readonly CoinSender[],
  raw: string,
  signal: AbortSignal,
): Promise<BroadcastAnswer | undefined> {
  const asked = await Promise.allSettled(senders.map((sender) => sender.testAccept(raw, signal)))
  const told = asked.flatMap((one) => {
    if (one.status === 'rejected') return [Promise.reject<BroadcastAnswer>(one.reason)]
    return one.value === undefined ? [] : [Promise.resolve(one.value)]
  })
  return told.length === 0 ? undefined : judgedByAll(told)
}

/** Mempools differ: what one node shows is there. Of several nodes two must answer, since one may be cut off from the rest. */
async function findInAnyMempool(
  senders: readonly CoinSender[],
  outpoint: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const asked = await Promise.allSettled(senders.map((sender) => sender.findWaitingSpender(outpoint, signal)))
  signal.throwIfAborted()
  const failures = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (asked.length - failures.length < voicesMin) throw failures[0]
  return asked.flatMap((one) => (one.status === 'fulfilled' ? (one.value ?? []) : []))[0]
}

/** By the word of two, whoever else is away, lags or lies: a hold is released by it. */
async function agreeOnSpent(
  asked: readonly Promise<SpentCoin | undefined>[],
  signal: AbortSignal,
): Promise<SpentCoin | undefined> {
  const answers = await Promise.allSettled(asked)
  signal.throwIfAborted()
  const told = answers.flatMap((one, node) =>
    one.status === 'fulfilled' ? [{ node, value: one.value }] : [],
  )
  const keyOf = (spent: SpentCoin | undefined) =>
    spent === undefined ? 'unspent' : `${spent.height} ${spent.blockHash} ${spent.txHash}`
  return findAgreed(told, keyOf)?.value
}
