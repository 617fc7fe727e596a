import { haltUnderLease, type PayoutParts } from './machine.ts'
import type { MachineMemory } from './machine-memory.ts'
import type { StoredPayout } from './store.ts'

/**
 * The last look before bytes exist. Rows of payouts, and of what waits to be planned again, can be written by whoever writes
 * the database: each purpose says which of its own it never asked for. Where there is one, payouts halt, and only what fills
 * a wallet's order is signed.
 */
export async function stopTampered(
  parts: PayoutParts,
  memory: MachineMemory,
  due: readonly StoredPayout[],
): Promise<readonly StoredPayout[]> {
  const fault = await findTampered(parts, due)
  if (fault === undefined) return due
  await haltUnderLease(parts, memory, 'tampering', fault)
  return due.filter((payout) => parts.way.isFiller(payout))
}

/** Only of payouts for which nothing was signed: bytes that exist may be mined whatever is thought of them. */
async function findTampered(
  { db, network, purposes }: PayoutParts,
  due: readonly StoredPayout[],
): Promise<string | undefined> {
  const unsigned = due.filter(({ state }) => state === 'planned')
  for (const { kinds, findTampered } of purposes) {
    const own = unsigned.filter(({ intent }) => kinds.includes(intent.kind))
    if (findTampered === undefined || own.length === 0) continue
    const [found] = await findTampered(db, network.name, own)
    if (found !== undefined) return `payout ${found[0]}: ${found[1]}`
  }
  return undefined
}
