/**
 * Reads transactions from a node's mempool. Transactions that have left the mempool are omitted from the
 * result.
 */
import { call, type RpcAnswer, resultOf } from '../json-rpc.ts'
import { NodeError, type SpentOutpoint } from '../port.ts'
import { foundAnswer, hashOf, listOf, textOf } from './answers.ts'
import type { CoreCalls } from './core-calls.ts'
import { type RawTransaction, readRawTransaction, spentBy } from './encoding/raw-block.ts'

export async function readWaiting(
  calls: CoreCalls,
  txHashes: readonly string[],
  signal: AbortSignal,
): Promise<readonly RawTransaction[]> {
  const entries = await calls.ask(
    txHashes.map((txHash) => call('getmempoolentry', txHash)),
    signal,
  )
  const waiting = txHashes.filter((_, index) => foundAnswer(entries[index], 'getmempoolentry') !== undefined)
  const answers = await calls.ask(
    waiting.map((txHash) => call('getrawtransaction', txHash)),
    signal,
  )
  return answers.flatMap((answer, index) => parse(answer, waiting[index] ?? ''))
}

/**
 * Parses a transaction. Returns an empty list if the transaction has left the mempool, or if it has a form that
 * is used only in an extension block (MWEB). If a transaction that is left out is mined, its transfers are
 * reported when its block is read.
 */
function parse(answer: RpcAnswer, txHash: string): readonly RawTransaction[] {
  if (answer.error !== undefined) return []
  const hex = textOf(resultOf(answer, 'getrawtransaction'), 'transaction')
  try {
    const transaction = readRawTransaction(hex)
    return transaction.txid === txHash ? [transaction] : []
  } catch (error) {
    if (error instanceof NodeError) return []
    throw error
  }
}

/**
 * Returns the outpoints that a transaction and all its ancestors in the mempool spend. Undefined if the
 * transaction has left the mempool.
 */
export async function readAncestors(
  calls: CoreCalls,
  txHash: string,
  signal: AbortSignal,
): Promise<readonly SpentOutpoint[] | undefined> {
  const [answer] = await calls.ask([call('getmempoolancestors', txHash)], signal)
  if (foundAnswer(answer, 'getmempoolancestors') === undefined) return undefined
  const ancestors = listOf(resultOf(answer, 'getmempoolancestors'), 'ancestors').map((one) =>
    hashOf(one, 'transaction hash'),
  )
  const line = await readWaiting(calls, [...ancestors, txHash], signal)
  return line.some(({ txid }) => txid === txHash) ? line.flatMap(spentBy) : undefined
}
