/** Which coins a node does not have, where it cannot look through its unspent outputs for an address (before Core 0.17). */
import { parseDecimal } from '../../core/money.ts'
import { call, field, type RpcAnswer } from '../json-rpc.ts'
import { NodeError, type ToldCoin } from '../port.ts'
import { countOf, foundAnswer } from './answers.ts'
import type { CoreCalls } from './core-calls.ts'
import { type RawBlock, spentBy } from './encoding/raw-block.ts'
import { coinPlaces, sinceMax } from './read-unspent.ts'
import { scriptReader } from './spelling.ts'
import type { UtxoChain } from './utxo-chains.ts'

export interface FindGoneParts {
  readonly calls: CoreCalls
  readonly chain: UtxoChain
  readRaw(height: number): Promise<RawBlock>
}

/**
 * Outpoints of coins that are not unspent as told at `height`. The node tells what is unspent at its head alone, so what was
 * spent since is looked for in the blocks.
 * @throws NodeError where too many came since
 */
export async function findGone(
  { calls, chain, readRaw }: FindGoneParts,
  coins: readonly ToldCoin[],
  height: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const asked = coins.map(({ outpoint }) => {
    const [txid = '', place = ''] = outpoint.split(':')
    return call('gettxout', txid, Number(place), false)
  })
  const answers = await calls.ask(asked, signal)
  const addressOf = scriptReader(chain)
  const gone = coins.filter((coin, at) => !isAsTold(coin, answers[at], addressOf))
  if (gone.length === 0) return []
  const head = countOf(await calls.result(call('getblockcount'), signal), 'count of blocks')
  if (head - height > sinceMax) throw new NodeError(`${head - height} blocks came since: ask for a later one`)
  const since = new Set<string>()
  for (let at = height + 1; at <= head; at += 1) {
    const { transactions } = await readRaw(at)
    for (const { outpoint } of transactions.flatMap(spentBy)) since.add(outpoint)
  }
  return gone.map(({ outpoint }) => outpoint).filter((outpoint) => !since.has(outpoint))
}

function isAsTold(
  { recipient, amountMinor }: ToldCoin,
  answer: RpcAnswer | undefined,
  addressOf: (script: Uint8Array) => string | undefined,
): boolean {
  const found = foundAnswer(answer, 'gettxout')
  if (found === undefined) return false
  const script = Buffer.from(String(field(found['scriptPubKey'], 'hex')), 'hex')
  return addressOf(script) === recipient && parseDecimal(String(found['value']), coinPlaces) === amountMinor
}
