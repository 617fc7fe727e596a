/**
 * Has the signer countersign the head of the sealed journal, so that whoever rewrites history, seals and all, is found out by
 * a file that no database has. What lies between two heads is hashed anew here before the second is shown.
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
import { haltPayouts } from '../controls/halts.ts'
import { readStatementKey } from './attest-store.ts'
import {
  type Countersigned,
  insertCountersignature,
  readCountersigned,
  readIncarnation,
  readOpenings,
} from './head-store.ts'

export interface CountersignParts {
  readonly db: Db
  readonly log: Log
  readonly signer: Signer
}

const idleMs = 5_000
/** More are taken in several bites, each of which is countersigned. */
const sealsPerHead = 10 * limits.sealRows

/** Keeps the head countersigned, one process at a time, until the signal aborts. */
export function keepHeadCountersigned(
  parts: CountersignParts & { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const { db, clock, log, signal } = parts
  const lease = { db, name: 'countersign head', ttlMs: limits.leaseMs, clock, log, signal }
  return withLease(lease, (_, held) => workLoop(headCountersigner(parts), { clock, log, signal: held }))
}

function headCountersigner(parts: CountersignParts): Worker {
  return { name: 'countersign head', idleMs, takeAndDo: () => unlessAway(() => countersignHead(parts)) }
}

/** A signer that is away is told of by those who pay out. */
async function unlessAway(work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SignerAwayError) return 0
    throw error
  }
}

/**
 * Countersigns the head where it moved, and halts payouts where the signer knows another history.
 * @returns 1 where more is to be done at once
 * @throws SignerAwayError
 */
export async function countersignHead(parts: CountersignParts): Promise<number> {
  const { db, signer } = parts
  const last = await findLastSeal(db)
  const incarnation = await readIncarnation(db)
  if (last === undefined) return 0
  const { head: known } = await findSignedHead(db, await readStatementKey(db))
  if (known?.sequence === last.sequence && known.hash === last.hash.toString('hex')) return 0
  const attested = await signer.attest()
  const former = attested.sealHead?.incarnation === incarnation ? attested.sealHead : undefined
  const found = await findHead(db, last, former)
  if (typeof found === 'string') return halt(parts, found)
  if (former === undefined) await tellOpenings(parts)
  const head = { incarnation, sequence: found.sequence, hash: found.hash.toString('hex') }
  const previous = former === undefined ? null : { sequence: former.sequence, hash: former.hash }
  const answer = await signer.control.countersign({ ...head, previous })
  if (answer.type === 'refused') return halt(parts, `the signer refused to countersign: ${answer.detail}`)
  const { signature } = answer
  if (!isOwnSignature(attested, head, signature))
    return halt(parts, `the signer answered for seal ${head.sequence} with a signature that is not its own`)
  await insertCountersignature(db, { ...head, signature })
  return found.sequence < last.sequence ? 1 : 0
}

async function halt(parts: CountersignParts, detail: string): Promise<number> {
  await haltPayouts(parts, 'history', detail)
  return 0
}

function isOwnSignature({ statementKey }: Attestation, head: SealHead, signature: string): boolean {
  return statementKey !== undefined && isSigned(statementKey, sealHeadStatement(head), signature)
}

/** The next head to countersign; a text where what leads there from the former one is not what was sealed. */
async function findHead(on: Queryable, last: Seal, former: SealHead | undefined): Promise<Seal | string> {
  if (former === undefined) return last
  if (former.sequence > last.sequence)
    return `seal ${former.sequence} was countersigned, and history ends with ${last.sequence}`
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
        return `seal ${head.sequence + 1} does not follow from the one before it`
      head = seal
    }
    if (head.sequence < from) return `seal ${from} is gone`
  }
  return head
}

/** The signer is told of lives that its operator opened before it is shown their first head. */
async function tellOpenings({ db, signer }: CountersignParts): Promise<void> {
  for (const opening of await readOpenings(db)) await signer.control.lift(liftLine(opening))
}

/** More made-up heads than these are not looked through before each plan. */
const forgedMax = 1_000

export interface SignedHead {
  /** The newest head whose signature by the signer verifies; undefined if there is none. */
  readonly head: Countersigned | undefined
  /** Newer heads whose signature does not verify, the newest first: somebody else wrote them into the database. */
  readonly forged: readonly Countersigned[]
}

/** Looks for the newest head that is the signer's own: a row alone proves nothing. */
export async function findSignedHead(on: Queryable, statementKey: string | undefined): Promise<SignedHead> {
  const forged: Countersigned[] = []
  for await (const head of readCountersigned(on)) {
    const isOurs =
      statementKey !== undefined && isSigned(statementKey, sealHeadStatement(head), head.signature)
    if (isOurs) return { head, forged }
    forged.push(head)
    if (forged.length > forgedMax) break
  }
  return { head: undefined, forged }
}

/**
 * Why nothing may be planned on this history: the head that was countersigned last is not in the books as it was. Read by
 * key, so that it costs little before each plan. Undefined where it is, or where none was countersigned yet.
 */
export function findHistoryFault({ head, forged }: SignedHead): string | undefined {
  if (forged.length > forgedMax)
    return `more than ${forgedMax} heads are stored that the signer did not sign: remove them (docs/signer.md)`
  if (head === undefined) return undefined
  if (head.sealedHash === undefined) return `seal ${head.sequence} was countersigned and is gone`
  if (head.sealedHash !== head.hash) return `seal ${head.sequence} is not the one that was countersigned`
  return undefined
}
