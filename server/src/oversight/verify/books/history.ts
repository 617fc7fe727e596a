/** Checks that the history of journals is still the history that was sealed. */
import sql from 'sql-template-tag'
import { firstId } from '../../../core/ids.ts'
import { limits } from '../../../core/limits.ts'
import { genesisHash, sealHash } from '../../../ledger/seal.ts'
import { findLastSeal, findSealed } from '../../../ledger/store.ts'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import { findingsMax, type Invariant, type ScanRange, type ScanResult } from '../invariant.ts'
import { inParts } from '../scan.ts'
import { findEnd, keySpaces } from '../stretch.ts'
import { countFitting } from './journal-texts.ts'

/** Maximum number of seconds that a journal may wait for its seal. Sealing usually takes about a second. */
const unsealedSecondsMax = 60

export const historyIsSealed: Invariant = inParts({
  id: 'M17',
  title: 'history is append-only: the hash chain holds from the first journal on',
  unit: 'seals',
  parts: [
    {
      table: 'journal_seal',
      since: 'newer',
      scan: ({ on }, { from, rows }) => scanSeals(on, Number(from ?? 1), rows),
    },
    { table: 'journal', since: 'newer', scan: ({ on }, at) => findUnsealed(on, at) },
    { since: 'all', scan: ({ on }) => findSealedWaiting(on) },
  ],
})

/**
 * Recomputes the hashes of a range of seals, starting from the stored hash of the previous seal. PostgreSQL
 * does this first. If a result differs, this process recomputes the whole range.
 */
async function scanSeals(on: Queryable, from: number, rows: number): Promise<ScanResult> {
  const last = (await findLastSeal(on))?.sequence ?? 0
  const upTo = Math.min(last, from + rows - 1)
  if (upTo < from) return { examined: 0, findings: [], rows: 0, next: undefined }
  const { seals, fitting } = await countFitting(on, from, upTo)
  const findings = fitting === upTo - from + 1 ? [] : await recomputeChain(on, from, upTo)
  const next = upTo < last ? String(upTo + 1) : undefined
  return { examined: seals, findings, rows: upTo - from + 1, next }
}

/**
 * Recomputes the hashes of a range of seals and returns a finding for each violation. After a violation,
 * continues from the stored hash. Each violation is therefore reported only once, and not again for every
 * later seal.
 */
async function recomputeChain(on: Queryable, first: number, last: number): Promise<readonly string[]> {
  const findings: string[] = []
  let previousHash = (await readSealHash(on, first - 1)) ?? genesisHash
  let expected = first
  for (let from = first; from <= last && findings.length < findingsMax; from += limits.sealRows) {
    for (const { seal, journal } of await findSealed(on, from, Math.min(last, from + limits.sealRows - 1))) {
      if (seal.sequence !== expected) findings.push(gap(expected, seal.sequence - 1))
      else if (!sealHash(previousHash, seal.sequence, journal).equals(seal.hash)) {
        findings.push(`seal ${seal.sequence} does not match journal ${journal.id} (${journal.subject})`)
      }
      previousHash = seal.hash
      expected = seal.sequence + 1
    }
  }
  if (expected <= last && findings.length < findingsMax) findings.push(gap(expected, last))
  return findings.slice(0, findingsMax)
}

async function readSealHash(on: Queryable, sequence: number): Promise<Buffer | undefined> {
  const row = await one<{ hash: Buffer }>(on, sql`select hash from journal_seal where sequence = ${sequence}`)
  return row?.hash
}

function gap(from: number, to: number): string {
  return `the seals or journals of positions ${from} to ${to} are missing`
}

/**
 * Returns findings for journals without a seal: those that are not in the table of unsealed journals, and
 * those that have waited for their seal for too long.
 */
async function findUnsealed(on: Queryable, { from, rows }: ScanRange): Promise<ScanResult> {
  const next = await findEnd(on, keySpaces.journals, from, rows)
  const end = next === undefined ? sql`` : sql`and journal.id < (select ${next}::uuid)`
  // The queries are materialized. Otherwise the order and the limit would change how PostgreSQL reads the
  // tables.
  const found = await on.query<{ finding: string }>(sql`
    with unsealed as materialized (
      select journal.id, format('journal %s (%s) of %s is not sealed', journal.id, journal.subject, journal.posted_at) as finding
      from journal
      left join journal_seal seal on seal.journal_id = journal.id
      left join journal_unsealed waiting on waiting.journal_id = journal.id
      where journal.id >= (select ${from ?? firstId}::uuid) ${end} and seal.journal_id is null
        and (waiting.journal_id is null or posted_at < coffer_now() - ${unsealedSecondsMax} * interval '1 second')
    )
    select finding from unsealed order by id limit ${findingsMax}`)
  return { examined: 0, findings: found.map(({ finding }) => finding), rows, next }
}

async function findSealedWaiting(on: Queryable): Promise<ScanResult> {
  const found = await on.query<{ finding: string }>(sql`
    with sealed as materialized (
      select seal.journal_id from journal_seal seal join journal_unsealed waiting on waiting.journal_id = seal.journal_id
    )
    select format('journal %s is sealed and waits for its seal', journal_id) as finding
    from sealed order by journal_id limit ${findingsMax}`)
  return { examined: 0, findings: found.map(({ finding }) => finding), rows: 0, next: undefined }
}
