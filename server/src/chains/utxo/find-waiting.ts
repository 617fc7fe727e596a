import { call, field, resultOf } from '../json-rpc.ts'
import { foundAnswer, hashOf, listOf } from './answers.ts'
import type { CoreCalls } from './core-calls.ts'
import { readWaiting } from './mempool.ts'

/** Core's RPC_METHOD_NOT_FOUND: nodes before Core 24 do not tell what spends an output. */
const noSuchMethod = -32601

/** The transaction in the node's mempool that spends a coin; undefined where none does. */
export async function findWaitingSpender(
  calls: CoreCalls,
  outpoint: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [txid = '', place = ''] = outpoint.split(':')
  const vout = Number(place)
  const [told, waits, mined] = await calls.ask(
    [
      call('gettxspendingprevout', [{ txid, vout }]),
      call('gettxout', txid, vout, true),
      call('gettxout', txid, vout, false),
    ],
    signal,
  )
  if (told?.refusal?.code !== noSuchMethod) {
    const [one] = listOf(resultOf(told, 'gettxspendingprevout'), 'spenders')
    const spender = field(one, 'spendingtxid')
    return spender === undefined ? undefined : hashOf(spender, 'spender')
  }
  // What only its own mempool makes is in no block: it is looked for all the same.
  const isUnspent = foundAnswer(waits, 'gettxout') !== undefined
  const isGone = foundAnswer(mined, 'gettxout') === undefined && !(await isWaiting(calls, txid, signal))
  return isUnspent || isGone ? undefined : searchMempool(calls, outpoint, signal)
}

async function isWaiting(calls: CoreCalls, txid: string, signal: AbortSignal): Promise<boolean> {
  const [entry] = await calls.ask([call('getmempoolentry', txid)], signal)
  return foundAnswer(entry, 'getmempoolentry') !== undefined
}

async function searchMempool(
  calls: CoreCalls,
  outpoint: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const listed = listOf(await calls.result(call('getrawmempool'), signal), 'waiting transactions')
  const hashes = listed.map((txHash) => hashOf(txHash, 'transaction hash'))
  const waiting = await readWaiting(calls, hashes, signal)
  return waiting.find(({ inputs }) => inputs.some((input) => input.outpoint === outpoint))?.txid
}
