/** Balances by the node's own set of unspent outputs, which is another path than the blocks that told of them. */
import { p2pkh, p2wpkh } from '@scure/btc-signer'
import { parseDecimal } from '../../core/money.ts'
import { call, fieldsOf } from '../json-rpc.ts'
import { type ListedCoin, NodeError } from '../port.ts'
import { countOf, hashOf, listOf } from './answers.ts'
import type { CoreCalls } from './core-calls.ts'
import type { RawBlock, RawInput } from './encoding/raw-block.ts'
import { scriptReader, spellingOf } from './spelling.ts'
import type { UtxoChain } from './utxo-chains.ts'

/** On a main chain the node looks through all there is, for minutes. */
const scanTimeoutMs = 10 * 60_000
const addressesPerScan = 10_000
/** So many blocks may have come since the height that is asked for. */
export const sinceMax = 100

export interface ReadUnspentParts {
  readonly calls: CoreCalls
  readonly chain: UtxoChain
  readRaw(height: number): Promise<RawBlock>
}

/**
 * What each address held at `height`. The node tells what is unspent at its head alone, so what came since is left out;
 * where an address has spent since, its balance then cannot be told.
 * @throws NodeError then, and while the node scans for somebody else
 */
export async function readUnspent(
  parts: ReadUnspentParts,
  addresses: readonly string[],
  height: number,
  signal: AbortSignal,
): Promise<readonly bigint[]> {
  const held = new Map<string, bigint>(addresses.map((address) => [address, 0n]))
  for (let from = 0; from < addresses.length; from += addressesPerScan) {
    const head = await scan(parts, addresses.slice(from, from + addressesPerScan), { held, height, signal })
    await requireUnspent(parts, held, { from: height + 1, to: head })
  }
  return addresses.map((address) => held.get(address) ?? 0n)
}

/** Adds what is found to `held`. @returns the head's height */
async function scan(
  { calls, chain }: ReadUnspentParts,
  addresses: readonly string[],
  { held, height, signal }: { held: Map<string, bigint>; height: number; signal: AbortSignal },
): Promise<number> {
  const { head, outputs } = await scanOutputs({ calls, chain }, addresses, { height, signal })
  for (const { recipient, amountMinor } of outputs) {
    const heldMinor = held.get(recipient)
    if (heldMinor !== undefined) held.set(recipient, heldMinor + amountMinor)
  }
  return head
}

/** Lists what lies unspent at the addresses at the node's head and was made up to `height`. @throws NodeError as `readUnspent` */
export async function listCoins(
  parts: Pick<ReadUnspentParts, 'calls' | 'chain'>,
  addresses: readonly string[],
  height: number,
  signal: AbortSignal,
): Promise<readonly ListedCoin[]> {
  const found: ListedCoin[] = []
  for (let from = 0; from < addresses.length; from += addressesPerScan) {
    const some = addresses.slice(from, from + addressesPerScan)
    found.push(...(await scanOutputs(parts, some, { height, signal })).outputs)
  }
  return found
}

/** What the node's set of unspent outputs holds for some addresses, of blocks up to `height`, and where its head is. */
async function scanOutputs(
  { calls, chain }: Pick<ReadUnspentParts, 'calls' | 'chain'>,
  addresses: readonly string[],
  { height, signal }: { readonly height: number; readonly signal: AbortSignal },
): Promise<{ readonly head: number; readonly outputs: readonly ListedCoin[] }> {
  const descriptors = addresses.map((address) => `addr(${address})`)
  const told = fieldsOf(await calls.result(call('scantxoutset', 'start', descriptors), signal, scanTimeoutMs))
  if (told['success'] !== true) throw new NodeError('the node did not end its scan of unspent outputs')
  const head = countOf(told['height'], 'height of the scan')
  if (head < height) throw new NodeError(`the node is at block ${head}, below ${height}`)
  const addressOf = scriptReader(chain)
  const outputs = listOf(told['unspents'], 'unspent outputs').flatMap((output): ListedCoin[] => {
    const fields = fieldsOf(output)
    const madeAt = countOf(fields['height'], 'height of an output')
    if (madeAt > height) return []
    const txid = hashOf(fields['txid'], 'transaction of an output')
    return [
      {
        outpoint: `${txid}:${countOf(fields['vout'], 'place of an output')}`,
        recipient: addressOf(Buffer.from(String(fields['scriptPubKey']), 'hex')) ?? '',
        amountMinor: minorOf(fields['amount']),
        height: madeAt,
      },
    ]
  })
  return { head, outputs }
}

/** An amount in whole coins, as nodes write it. */
function minorOf(amount: unknown): bigint {
  const minor = typeof amount === 'string' ? parseDecimal(amount, coinPlaces) : undefined
  if (minor !== undefined) return minor
  throw new NodeError("the node's amount of an output is malformed")
}

export const coinPlaces = 8

/** @throws NodeError where one of the addresses spent something in these blocks */
async function requireUnspent(
  { chain, readRaw }: ReadUnspentParts,
  held: ReadonlyMap<string, bigint>,
  { from, to }: { from: number; to: number },
): Promise<void> {
  if (to - from >= sinceMax) throw new NodeError(`${to - from + 1} blocks came since: ask for a later one`)
  const spenderOf = spenderReader(chain)
  for (let height = from; height <= to; height += 1) {
    const { transactions } = await readRaw(height)
    const spender = transactions
      .flatMap(({ inputs }) => inputs.map(spenderOf))
      .find((address) => address !== undefined && held.has(address))
    if (spender !== undefined)
      throw new NodeError(`${spender} has spent in block ${height}: ask for a later one`)
  }
}

/** Says whose output an input spends, of those kinds that are derived from keys here: the input shows the key. */
function spenderReader(chain: UtxoChain): (input: RawInput) => string | undefined {
  const spelling = spellingOf(chain)
  const toAddress = chain.bech32 === undefined ? p2pkh : p2wpkh
  return ({ script, witness }) => {
    const key = chain.bech32 === undefined ? script.subarray(-keyBytes) : witness.at(-1)
    if (key?.length !== keyBytes || (key[0] !== 2 && key[0] !== 3)) return undefined
    try {
      return toAddress(key, spelling).address
    } catch {
      return undefined
    }
  }
}

const keyBytes = 33
