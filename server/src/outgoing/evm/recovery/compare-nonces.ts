/** The hot wallets' nonces, as each node shows them, against what the database and the signer's log know. */
import { NodeError, type SentCounts } from '../../../chains/port.ts'
import { limits } from '../../../core/limits.ts'
import type { MachineMemory } from '../../engine/machine-memory.ts'
import { countKnown } from '../../engine/recovery/place-store.ts'
import type { AccountParts } from '../account-parts.ts'

/** Of several nodes so many must answer: one alone may lag, and would show nothing. */
const voicesMin = 2

/**
 * Each node's counts of each lane.
 * @throws NodeError where too few nodes answer
 */
export async function readCounts(
  { sender }: AccountParts,
  lanes: readonly string[],
  signal: AbortSignal,
): Promise<readonly (readonly SentCounts[] | undefined)[]> {
  const told = await sender.readSentCounts(lanes, signal)
  const answered = told.filter((counts) => counts !== undefined).length
  const needed = Math.min(voicesMin, told.length)
  if (answered >= needed) return told
  throw new NodeError(
    `${answered} of ${told.length} nodes tell what the hot wallets sent, and ${needed} must before anything is planned`,
  )
}

/** How many transactions of a lane may be in no block at once. */
export function inFlightMaxOf({ inFlightMax = limits.payoutsPerLane }: AccountParts): number {
  return inFlightMax
}

/** The highest count that a node shows of a lane, whatever it counts. */
export function highestOf({ final, latest, pending }: SentCounts): number {
  return Math.max(final ?? 0, latest, pending ?? 0)
}

/** The first lane of which a node shows more than is known, in words; undefined where no node does. */
export async function findAhead(
  parts: AccountParts,
  { lanes }: MachineMemory,
  signal: AbortSignal,
): Promise<string | undefined> {
  const told = await readCounts(parts, lanes, signal)
  for (const [lane, wallet] of lanes.entries()) {
    for (const [node, counts] of told.entries()) {
      const shown = counts?.[lane]
      if (shown === undefined) continue
      const end = highestOf(shown)
      const known = await countKnown(parts.db, parts.network.name, wallet, end)
      if (known < end) return aheadOf(parts, wallet, `node ${node + 1} of ${told.length}`, shown, known)
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
  return `${node} of ${network.name} shows transactions of ${wallet} that nobody here knows: ${shown}, of which ${known} are known`
}
