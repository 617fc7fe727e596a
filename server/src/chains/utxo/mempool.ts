/** What waits in the mempool of a node. It may go at any moment: what is gone is left out. */
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
  const waiting = txHashes.filter((_, place) => foundAnswer(entries[place], 'getmempoolentry') !== undefined)
  const answers = await calls.ask(
    waiting.map((txHash) => call('getrawtransaction', txHash)),
    signal,
  )
  return answers.flatMap((answer, place) => parse(answer, waiting[place] ?? ''))
}

/** Nothing for one that was mined meanwhile, or is of a form that only an extension block knows: its block tells of it. */
function parse(answer: RpcAnswer, txHash: string): readonly RawTransaction[] {
  if (answer.refusal !== undefined) return []
  const hex = textOf(resultOf(answer, 'getrawtransaction'), 'transaction')
  try {
    const transaction = readRawTransaction(hex)
    return transaction.txid === txHash ? [transaction] : []
  } catch (error) {
    if (error instanceof NodeError) return []
    throw error
  }
}

/** What a waiting transaction and all waiting ones it builds on spend; undefined where it waits no longer. */
export async function readLineage(
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
