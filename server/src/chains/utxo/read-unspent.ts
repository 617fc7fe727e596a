/**
 * Reads balances from a node's UTXO set. This source is independent of the blocks from which deposits were
 * booked.
 */
import { p2pkh, p2wpkh } from '@scure/btc-signer'
import { parseDecimal } from '../../core/money.ts'
import { call, fieldsOf } from '../json-rpc.ts'
import { NodeError, type UnspentOutput } from '../port.ts'
import { addressEncodingOf, scriptReader } from './address-encoding.ts'
import { countOf, hashOf, listOf } from './answers.ts'
import type { CoreCalls } from './core-calls.ts'
import type { RawBlock, RawInput } from './encoding/raw-block.ts'
import type { UtxoChain } from './utxo-chains.ts'

/** Timeout of a scan. A node scans its whole UTXO set, which takes minutes on a main chain. */
const scanTimeoutMs = 10 * 60_000
const addressesPerScan = 10_000
/** Maximum number of blocks between the requested height and the head. Each of these blocks must be read. */
export const sinceMax = 100

export interface ReadUnspentParts {
  readonly calls: CoreCalls
  readonly chain: UtxoChain
  readRaw(height: number): Promise<RawBlock>
}

/**
 * Returns the balance of each address at `height`. A node reports its UTXO set only as it is at the head, so
 * outputs that were created above `height` are left out. If an address spent an output above `height`, its
 * balance at `height` is unknown.
 * @throws NodeError if such a balance is unknown, or if the node is busy with another scan
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

/**
 * Scans the UTXO set and adds the amounts at the addresses to `held`. @returns the height of the node's head
 */
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

/**
 * Lists the outputs to `addresses` that were created at or below `height` and are unspent at the node's head.
 * @throws NodeError if the node's head is below `height`, or if the node is busy with another scan
 */
export async function listUnspent(
  parts: Pick<ReadUnspentParts, 'calls' | 'chain'>,
  addresses: readonly string[],
  height: number,
  signal: AbortSignal,
): Promise<readonly UnspentOutput[]> {
  const found: UnspentOutput[] = []
  for (let from = 0; from < addresses.length; from += addressesPerScan) {
    const some = addresses.slice(from, from + addressesPerScan)
    found.push(...(await scanOutputs(parts, some, { height, signal })).outputs)
  }
  return found
}

/**
 * Scans the node's UTXO set for outputs to `addresses`. Returns the outputs that were created at or below
 * `height`, and the height of the node's head.
 */
async function scanOutputs(
  { calls, chain }: Pick<ReadUnspentParts, 'calls' | 'chain'>,
  addresses: readonly string[],
  { height, signal }: { readonly height: number; readonly signal: AbortSignal },
): Promise<{ readonly head: number; readonly outputs: readonly UnspentOutput[] }> {
  const descriptors = addresses.map((address) => `addr(${address})`)
  const reported = fieldsOf(
    await calls.result(call('scantxoutset', 'start', descriptors), signal, scanTimeoutMs),
  )
  if (reported['success'] !== true)
    throw new NodeError('the node did not complete its scan of unspent outputs')
  const head = countOf(reported['height'], 'height of the scan')
  if (head < height) throw new NodeError(`the node is at block ${head}, below ${height}`)
  const addressOf = scriptReader(chain)
  const outputs = listOf(reported['unspents'], 'unspent outputs').flatMap((output): UnspentOutput[] => {
    const fields = fieldsOf(output)
    const madeAt = countOf(fields['height'], 'height of an output')
    if (madeAt > height) return []
    const txid = hashOf(fields['txid'], 'transaction of an output')
    return [
      {
        outpoint: `${txid}:${countOf(fields['vout'], 'position of an output')}`,
        recipient: addressOf(Buffer.from(String(fields['scriptPubKey']), 'hex')) ?? '',
        amountMinor: minorOf(fields['amount']),
        height: madeAt,
      },
    ]
  })
  return { head, outputs }
}

/** Parses an amount that a node reports in whole coins, and returns it in the smallest unit. */
function minorOf(amount: unknown): bigint {
  const minor = typeof amount === 'string' ? parseDecimal(amount, amountDecimals) : undefined
  if (minor !== undefined) return minor
  throw new NodeError("the node's amount of an output is malformed")
}

export const amountDecimals = 8

/** Checks that no address spent an output in blocks `from` to `to`. @throws NodeError if one did */
async function requireUnspent(
  { chain, readRaw }: ReadUnspentParts,
  held: ReadonlyMap<string, bigint>,
  { from, to }: { from: number; to: number },
): Promise<void> {
  if (to - from >= sinceMax)
    throw new NodeError(`${to - from + 1} blocks were added since: use a later block`)
  const spenderOf = spenderReader(chain)
  for (let height = from; height <= to; height += 1) {
    const { transactions } = await readRaw(height)
    const spender = transactions
      .flatMap(({ inputs }) => inputs.map(spenderOf))
      .find((address) => address !== undefined && held.has(address))
    if (spender !== undefined)
      throw new NodeError(`${spender} spent one in block ${height}: use a later block`)
  }
}

/**
 * Returns a function that finds the address whose output an input spends. Only the types of address that
 * Coffer derives are supported. An input that spends from such an address contains its public key.
 */
function spenderReader(chain: UtxoChain): (input: RawInput) => string | undefined {
  const addressEncoding = addressEncodingOf(chain)
  const toAddress = chain.bech32 === undefined ? p2pkh : p2wpkh
  return ({ script, witness }) => {
    const key = chain.bech32 === undefined ? script.subarray(-keyBytes) : witness.at(-1)
    if (key?.length !== keyBytes || (key[0] !== 2 && key[0] !== 3)) return undefined
    try {
      return toAddress(key, addressEncoding).address
    } catch {
      return undefined
    }
  }
}

const keyBytes = 33
