import sql from 'sql-template-tag'
import { required } from '../../core/assert.ts'
import { one, type Queryable } from '../../platform/db/pool.ts'
import { hasProofMac, type Proof, type Prover, proofMac, sumsOf, sumsText } from './proof.ts'

interface ProofRow {
  readonly sequence: number
  readonly hash: Buffer | null
  readonly beganAt: Date
  readonly fullAt: Date | null
  readonly sums: ReturnType<typeof sumsText>
  readonly mac: string
  /** Whether the current history still contains the last seal of the proof. */
  readonly isOfHistory: boolean
}

/** The reason why a run cannot continue from a stored proof. */
export type NoProof = 'none' | 'forged' | 'other history'

/**
 * Returns the last proof if its MAC is valid and the current history still contains the last seal of the
 * proof. Otherwise returns the reason.
 */
export async function readProof(on: Queryable, prover: Prover): Promise<Proof | NoProof> {
  const row = await one<ProofRow>(
    on,
    sql`
    select proven.sequence, proven.hash, began_at as "beganAt", full_at as "fullAt", sums, mac,
      case when proven.sequence = 0 then proven.hash is null
        else exists (select from journal_seal seal where seal.sequence = proven.sequence and seal.hash = proven.hash)
      end as "isOfHistory"
    from proven_books proven where prover = ${prover}`,
  )
  if (row === undefined || on.macs === undefined) return 'none'
  const { sequence, hash, beganAt, fullAt, mac, isOfHistory } = row
  const proof: Proof = {
    prover,
    hash: hash?.toString('hex'),
    sums: sumsOf(sequence, row.sums),
    beganAt,
    fullAt: fullAt ?? undefined,
  }
  if (!hasProofMac(on.macs, proof, mac)) return 'forged'
  return isOfHistory ? proof : 'other history'
}

/**
 * Saves a proof. Saves nothing if the books keys are not available. Also saves nothing if the proof `onto`,
 * from which the run continued, was deleted. In that case another run has found a violation in rows that this
 * run did not check.
 */
export async function saveProof(on: Queryable, proof: Proof, onto?: Proof): Promise<void> {
  if (on.macs === undefined) return
  const { prover, hash, sums, beganAt, fullAt } = proof
  const { sequence } = sums
  // The sums are the largest part of the row. They are stored in the same form in which the MAC covers them.
  await on.query(sql`
    insert into proven_books (prover, sequence, hash, began_at, full_at, sums, mac)
    select ${prover}, ${sequence}, ${hash === undefined ? null : Buffer.from(hash, 'hex')}, ${beganAt}::timestamptz,
      ${fullAt ?? null}::timestamptz, ${JSON.stringify(sumsText(sums))}::jsonb, ${proofMac(on.macs, proof)}
    where ${onto === undefined} or exists (
      select from proven_books where prover = ${prover} and began_at = ${onto?.beganAt ?? null}::timestamptz)
    on conflict (prover) do update set sequence = excluded.sequence, hash = excluded.hash, began_at = excluded.began_at,
      full_at = excluded.full_at, sums = excluded.sums, mac = excluded.mac`)
}

/**
 * Deletes a proof, so that the next run checks everything. A run that continues from the proof would skip
 * rows in which a violation was found.
 */
export async function forgetProof(on: Queryable, prover: Prover): Promise<void> {
  await on.query(sql`delete from proven_books where prover = ${prover}`)
}

/** Returns the time of the database's clock. Proofs and rows are both stored with times of this clock. */
export async function readDatabaseTime(on: Queryable): Promise<Date> {
  return required(await one<{ now: Date }>(on, sql`select coffer_now()::timestamptz(3) as now`), 'the time')
    .now
}

/**
 * Returns the number of seconds since `prover` last checked everything and found no violation. Returns
 * undefined if that never happened. The MAC is not checked here, so somebody who can write the row can forge
 * the result.
 */
export async function readProvenSecondsAgo(
  on: Queryable,
  prover: 'verify' | 'continuous',
): Promise<number | undefined> {
  const row = await one<{ seconds: number | null }>(
    on,
    sql`select extract(epoch from coffer_now() - full_at)::float8 as seconds from proven_books where prover = ${prover}`,
  )
  return row?.seconds ?? undefined
}
