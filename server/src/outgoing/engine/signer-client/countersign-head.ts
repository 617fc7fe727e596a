/**
 * Requests the signer's countersignature of the head of the sealed history. If somebody rewrites journals and
 * their seals, the signer's log, which is outside the database, reveals the change. Before a new head is sent
 * to the signer, all journals since the last head are hashed again.
 */
import type { Clock } from '../../../core/clock.ts'
import { type Worker, workLoop } from '../../../core/concurrency/work-loop.ts'
import { limits } from '../../../core/limits.ts'
import type { Log } from '../../../core/log.ts'
import { sealHash } from '../../../ledger/seal.ts'
import { findLastSeal, findSealed, type Seal } from '../../../ledger/store.ts'
import { withLease } from '../../../platform/db/lease.ts'
import type { Db, Queryable } from '../../../platform/db/pool.ts'
import { type Attestation, type Signer, SignerAwayError } from '../../../signing/signer-port.ts'
import { isSigned, liftLine, type SealHead, sealHeadStatement } from '../../../signing/statement.ts'
import { haltOutgoing } from '../controls/halts.ts'
import { readStatementKey } from './attest-store.ts'
import {
  type Countersigned,
  insertCountersignature,
  readCountersigned,
  readDatabaseId,
  readOpenings,
} from './head-store.ts'

export interface CountersignParts {
  readonly db: Db
  readonly log: Log
  readonly signer: Signer
}

const idleMs = 5_000
/** The maximum number of seals per countersignature; a longer history is countersigned in several batches. */
const sealsPerHead = 10 * limits.sealRows

/**
 * Requests a countersignature of each new head of the sealed history until `signal` aborts, in one process at
 * a time.
 */
export function keepHeadCountersigned(
  parts: CountersignParts & { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const { db, clock, log, signal } = parts
  const lease = { db, name: 'countersign head', ttlMs: limits.leaseMs, clock, log, signal }
  return withLease(lease, (_, held) => workLoop(headCountersigner(parts), { clock, log, signal: held }))
}

function headCountersigner(parts: CountersignParts): Worker {
  return { name: 'countersign head', idleMs, runBatch: () => unlessAway(() => countersignHead(parts)) }
}

/**
 * Runs `work`, and returns 0 if the signer does not answer. Raises no alert, because the engine already
 * raises one.
 */
async function unlessAway(work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SignerAwayError) return 0
    throw error
  }
}

/**
 * Requests the signer's countersignature of the head of the sealed history if the head changed. Halts all
 * outgoing transactions if the signer countersigned another history.
 * @returns 1 if more can be countersigned at once, or else 0
 * @throws SignerAwayError if the signer does not answer
 */
export async function countersignHead(parts: CountersignParts): Promise<number> {
  const { db, signer } = parts
  if (await isHeadSigned(db)) return 0
  const attested = await signer.attest()
  // The history is read after the signer's head. A process that was paused would otherwise compare an old end of
  // the history with a head that another process had countersigned meanwhile.
  const last = await findLastSeal(db)
  const databaseId = await readDatabaseId(db)
  const former = attested.sealHead?.databaseId === databaseId ? attested.sealHead : undefined
  if (last === undefined) return 0
  const found = await findHead(db, last, former)
  if (typeof found === 'string') return halt(parts, found)
  if (former === undefined) await reportOpenings(parts)
  const head = { databaseId, sequence: found.sequence, hash: found.hash.toString('hex') }
  const previous = former === undefined ? null : { sequence: former.sequence, hash: former.hash }
  const answer = await signer.control.countersign({ ...head, previous })
  if (answer.type === 'refused') return haltUnlessOvertaken(parts, attested, answer.detail)
  const { signature } = answer
  if (!isOwnSignature(attested, head, signature))
    return halt(parts, `the signer's countersignature of seal ${head.sequence} is not valid`)
  await insertCountersignature(db, { ...head, signature })
  return found.sequence < last.sequence ? 1 : 0
}

/** Returns whether the signer has countersigned the head of the sealed history, or there is no history. */
async function isHeadSigned(on: Queryable): Promise<boolean> {
  const last = await findLastSeal(on)
  if (last === undefined) return true
  const { head } = await findSignedHead(on, await readStatementKey(on))
  return head?.sequence === last.sequence && head.hash === last.hash.toString('hex')
}

/**
 * Halts all outgoing transactions after the signer refused to countersign a head. Does not halt if another
 * process has had a head countersigned since this process last asked the signer. The next call then compares
 * the history with that head.
 */
async function haltUnlessOvertaken(
  parts: CountersignParts,
  { sealHead: before }: Attestation,
  detail: string,
): Promise<number> {
  const { sealHead: now } = await parts.signer.attest()
  const isOvertaken = now !== undefined && (now.sequence !== before?.sequence || now.hash !== before.hash)
  return isOvertaken ? 1 : halt(parts, `the signer refused to countersign: ${detail}`)
}

async function halt(parts: CountersignParts, detail: string): Promise<number> {
  await haltOutgoing(parts, 'history', detail)
  return 0
}

function isOwnSignature({ statementKey }: Attestation, head: SealHead, signature: string): boolean {
  return statementKey !== undefined && isSigned(statementKey, sealHeadStatement(head), signature)
}

/**
 * Returns the next head to countersign. Returns an error text if the journals since the former head do not
 * match their seals.
 */
async function findHead(on: Queryable, last: Seal, former: SealHead | undefined): Promise<Seal | string> {
  if (former === undefined) return last
  if (former.sequence > last.sequence)
    return `seal ${former.sequence} was countersigned, but history ends with ${last.sequence}`
  const [first] = await findSealed(on, former.sequence, former.sequence)
  if (first?.seal.hash.toString('hex') !== former.hash)
    return `seal ${former.sequence} is not the one that was countersigned`
  let head = first.seal
  const end = Math.min(last.sequence, former.sequence + sealsPerHead)
  while (head.sequence < end) {
    const from = head.sequence + 1
    for (const { seal, journal } of await findSealed(on, from, Math.min(end, from + limits.sealRows - 1))) {
      const isNext = seal.sequence === head.sequence + 1
      if (!isNext || !sealHash(head.hash, seal.sequence, journal).equals(seal.hash))
        return `seal ${head.sequence + 1} does not follow from the previous one`
      head = seal
    }
    if (head.sequence < from) return `seal ${from} is missing`
  }
  return head
}

/**
 * Sends the signer the statements by which an operator opened the database's current incarnation. The signer
 * needs them before it receives the first head of that incarnation.
 */
async function reportOpenings({ db, signer }: CountersignParts): Promise<void> {
  for (const opening of await readOpenings(db)) await signer.control.lift(liftLine(opening))
}

/**
 * The maximum number of forged heads; if more are stored, planning stops, because each plan verifies them
 * all.
 */
const forgedMax = 1_000

export interface SignedHead {
  /** The newest head with a valid signature of the signer; undefined if there is none. */
  readonly head: Countersigned | undefined
  /**
   * Heads in the database without a valid signature of the signer, the newest first. They are newer than
   * `head`, or name the same seal as `head`. Somebody else wrote them into the database.
   */
  readonly forged: readonly Countersigned[]
}

/**
 * Returns the newest stored head with a valid signature of the signer. A row alone proves nothing, because
 * anybody who can write to the database can add rows.
 */
export async function findSignedHead(on: Queryable, statementKey: string | undefined): Promise<SignedHead> {
  const forged: Countersigned[] = []
  for await (const head of readCountersigned(on)) {
    const isExpectedKey =
      statementKey !== undefined && isSigned(statementKey, sealHeadStatement(head), head.signature)
    if (isExpectedKey) return { head, forged }
    forged.push(head)
    if (forged.length > forgedMax) break
  }
  return { head: undefined, forged }
}

/**
 * Returns the reason why nothing may be planned on this history; undefined if there is none. The books must
 * still contain the last countersigned head unchanged. If no head was countersigned yet, anything may be
 * planned.
 */
export function findHistoryError({ head, forged }: SignedHead): string | undefined {
  if (forged.length > forgedMax)
    return `more than ${forgedMax} heads are stored that the signer did not sign: remove them (docs/signer.md)`
  if (head === undefined) return undefined
  if (head.sealedHash === undefined) return `seal ${head.sequence} was countersigned but is missing`
  if (head.sealedHash !== head.hash) return `seal ${head.sequence} is not the one that was countersigned`
  return undefined
}
