import { call, field, resultOf } from '../json-rpc.ts'
import { foundAnswer, hashOf, listOf } from './answers.ts'
import type { CoreCalls } from './core-calls.ts'
import { readWaiting } from './mempool.ts'

/** Core's error code RPC_METHOD_NOT_FOUND. Nodes before Core 24 have no `gettxspendingprevout`. */
const noSuchMethod = -32601

/**
 * Returns the hash of the transaction in the node's mempool that spends an output; undefined if none does.
 */
export async function findWaitingSpender(
  calls: CoreCalls,
  outpoint: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [txid = '', index = ''] = outpoint.split(':')
  const vout = Number(index)
  const [reported, waits, mined] = await calls.ask(
    [
      call('gettxspendingprevout', [{ txid, vout }]),
      call('gettxout', txid, vout, true),
      call('gettxout', txid, vout, false),
    ],
    signal,
  )
  if (reported?.error?.code !== noSuchMethod) {
    const [one] = listOf(resultOf(reported, 'gettxspendingprevout'), 'spenders')
    const spender = field(one, 'spendingtxid')
    return spender === undefined ? undefined : hashOf(spender, 'spender')
  }
  // The mempool is not searched in two cases. First, the node reports the output as unspent although it also
  // considers the mempool. Second, the output cannot be spent: it is not unspent in any block, and the
  // transaction that creates it is not in the mempool.
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
