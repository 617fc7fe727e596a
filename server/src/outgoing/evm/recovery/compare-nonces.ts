/**
 * Compares the nonces of the hot wallets, as each node reports them, with what the database and the signer's
 * log know.
 */
import { NodeError, type SentCounts } from '../../../chains/port.ts'
import { limits } from '../../../core/limits.ts'
import type { EngineMemory } from '../../engine/engine-memory.ts'
import type { AccountParts } from '../account-parts.ts'
import { countKnown } from './nonce-store.ts'

/**
 * If there are several nodes, at least this many must answer. A single node may lag behind and not have the
 * newest transactions.
 */
const quorumSize = 2

/**
 * Returns, for each node, its transaction counts of the hot wallets; undefined for a node that did not
 * answer.
 * @throws NodeError if too few nodes answer
 */
export async function readCounts(
  { sender }: AccountParts,
  hotWallets: readonly string[],
  signal: AbortSignal,
): Promise<readonly (readonly SentCounts[] | undefined)[]> {
  const reported = await sender.readSentCounts(hotWallets, signal)
  const answered = reported.filter((counts) => counts !== undefined).length
  const needed = Math.min(quorumSize, reported.length)
  if (answered >= needed) return reported
  throw new NodeError(
    `${answered} of ${reported.length} nodes report the nonces of the hot wallets, and ${needed} are required before anything is planned`,
  )
}

/** Returns the maximum number of transactions of a hot wallet that are not yet in a block. */
export function inFlightMaxOf({ inFlightMax = limits.outgoingPerHotWallet }: AccountParts): number {
  return inFlightMax
}

/** Returns the highest transaction count that a node reports for a hot wallet: final, latest or pending. */
export function highestOf({ final, latest, pending }: SentCounts): number {
  return Math.max(final ?? 0, latest, pending ?? 0)
}

/**
 * Describes the first hot wallet for which a node shows more transactions than the database knows. Returns
 * undefined if there is no such hot wallet.
 */
export async function findAhead(
  parts: AccountParts,
  { hotWallets }: EngineMemory,
  signal: AbortSignal,
): Promise<string | undefined> {
  const reported = await readCounts(parts, hotWallets, signal)
  for (const [hotWallet, wallet] of hotWallets.entries()) {
    for (const [node, counts] of reported.entries()) {
      const shown = counts?.[hotWallet]
      if (shown === undefined) continue
      const end = highestOf(shown)
      const known = await countKnown(parts.db, parts.network.name, wallet, end)
      if (known < end) return aheadOf(parts, wallet, `node ${node + 1} of ${reported.length}`, shown, known)
    }
  }
  return undefined
}

function aheadOf(
  { network }: AccountParts,
  wallet: string,
  node: string,
  { final, latest, pending }: SentCounts,
  known: number,
): string {
  const shown = `${latest} in blocks (${final ?? 'unknown how many'} final, ${pending ?? latest} with its mempool)`
  return `${node} of ${network.name} shows unknown transactions of ${wallet}: ${shown}, of which ${known} are known`
}
