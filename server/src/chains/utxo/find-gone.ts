/**
 * Finds outputs that are missing from a node's UTXO set. Used for nodes before Core 0.17, which cannot search
 * that set for an address.
 */
import { parseDecimal } from '../../core/money.ts'
import { call, field, type RpcAnswer } from '../json-rpc.ts'
import { type KnownOutput, NodeError } from '../port.ts'
import { scriptReader } from './address-encoding.ts'
import { countOf, foundAnswer } from './answers.ts'
import type { CoreCalls } from './core-calls.ts'
import { type RawBlock, spentBy } from './encoding/raw-block.ts'
import { amountDecimals, sinceMax } from './read-unspent.ts'
import type { UtxoChain } from './utxo-chains.ts'

export interface FindGoneParts {
  readonly calls: CoreCalls
  readonly chain: UtxoChain
  readRaw(height: number): Promise<RawBlock>
}

/**
 * Returns the outpoints of those `outputs` that at `height` are spent or unknown, or have another recipient
 * or amount. A node reports its UTXO set only as it is at the head. So the blocks above `height` are also
 * read: an output that one of these blocks spends was unspent at `height`.
 * @throws NodeError if there are too many blocks above `height`
 */
export async function findGone(
  { calls, chain, readRaw }: FindGoneParts,
  outputs: readonly KnownOutput[],
  height: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const asked = outputs.map(({ outpoint }) => {
    const [txid = '', index = ''] = outpoint.split(':')
    return call('gettxout', txid, Number(index), false)
  })
  const answers = await calls.ask(asked, signal)
  const addressOf = scriptReader(chain)
  const gone = outputs.filter((output, at) => !isAsReported(output, answers[at], addressOf))
  if (gone.length === 0) return []
  const head = countOf(await calls.result(call('getblockcount'), signal), 'count of blocks')
  if (head - height > sinceMax)
    throw new NodeError(`${head - height} blocks were added since: use a later block`)
  const since = new Set<string>()
  for (let at = height + 1; at <= head; at += 1) {
    const { transactions } = await readRaw(at)
    for (const { outpoint } of transactions.flatMap(spentBy)) since.add(outpoint)
  }
  return gone.map(({ outpoint }) => outpoint).filter((outpoint) => !since.has(outpoint))
}

function isAsReported(
  { recipient, amountMinor }: KnownOutput,
  answer: RpcAnswer | undefined,
  addressOf: (script: Uint8Array) => string | undefined,
): boolean {
  const found = foundAnswer(answer, 'gettxout')
  if (found === undefined) return false
  const script = Buffer.from(String(field(found['scriptPubKey'], 'hex')), 'hex')
  return (
    addressOf(script) === recipient && parseDecimal(String(found['value']), amountDecimals) === amountMinor
  )
}
