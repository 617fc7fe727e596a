import type { EngineMemory } from './engine-memory.ts'
import { type EngineParts, haltUnderLease } from './engine-parts.ts'
import type { StoredOutgoingTransaction } from './store.ts'

/**
 * Checks, before anything is signed, that every new transaction was ordered, because somebody who can write
 * to the database can add transactions. If an outgoing source reports a transaction that was never ordered,
 * halts all outgoing transactions. Only nonce-gap transactions are then signed.
 * @returns the transactions that may be signed
 */
export async function stopTampered(
  parts: EngineParts,
  memory: EngineMemory,
  due: readonly StoredOutgoingTransaction[],
): Promise<readonly StoredOutgoingTransaction[]> {
  const error = await findTampered(parts, due)
  if (error === undefined) return due
  await haltUnderLease(parts, memory, 'tampering', error)
  return due.filter(
    (outgoingTransaction) => parts.strategy.nonceGaps?.isNonceGapTransaction(outgoingTransaction) === true,
  )
}

/**
 * Returns the first error of a source. Skips transactions with signed bytes, because these may be mined even
 * if nothing more is signed.
 */
async function findTampered(
  { db, network, outgoingSources }: EngineParts,
  due: readonly StoredOutgoingTransaction[],
): Promise<string | undefined> {
  const unsigned = due.filter(({ state }) => state === 'planned')
  for (const { kinds, findTampered } of outgoingSources) {
    const own = unsigned.filter(({ intent }) => kinds.includes(intent.kind))
    if (findTampered === undefined || own.length === 0) continue
    const [found] = await findTampered(db, network.name, own)
    if (found !== undefined) return `transaction ${found[0]}: ${found[1]}`
  }
  return undefined
}
