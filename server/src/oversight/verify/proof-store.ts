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
  /** Whether history is the one that was proven. */
  readonly isOfHistory: boolean
}

/** Why there is nothing to go on from, for who asked. */
export type NoProof = 'none' | 'forged' | 'other history'

/** The last proof, if a process of ours made it and history still has the seal that it ends with. */
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
 * Nothing is saved without the keys of the books, nor onto a proof that is not there any more: another run found meanwhile
 * what this one did not look at.
 */
export async function saveProof(on: Queryable, proof: Proof, onto?: Proof): Promise<void> {
  if (on.macs === undefined) return
  const { prover, hash, sums, beganAt, fullAt } = proof
  const { sequence } = sums
  // Only the sums make the row large, and they are written as their MAC covers them.
  await on.query(sql`
    insert into proven_books (prover, sequence, hash, began_at, full_at, sums, mac)
    select ${prover}, ${sequence}, ${hash === undefined ? null : Buffer.from(hash, 'hex')}, ${beganAt}::timestamptz,
      ${fullAt ?? null}::timestamptz, ${JSON.stringify(sumsText(sums))}::jsonb, ${proofMac(on.macs, proof)}
    where ${onto === undefined} or exists (
      select from proven_books where prover = ${prover} and began_at = ${onto?.beganAt ?? null}::timestamptz)
    on conflict (prover) do update set sequence = excluded.sequence, hash = excluded.hash, began_at = excluded.began_at,
      full_at = excluded.full_at, sums = excluded.sums, mac = excluded.mac`)
}

/** The next run looks at everything: what goes on from a proof would not see again what was found in what it covers. */
export async function forgetProof(on: Queryable, prover: Prover): Promise<void> {
  await on.query(sql`delete from proven_books where prover = ${prover}`)
}

/** Proofs are dated by the database, as rows are. */
export async function readDatabaseTime(on: Queryable): Promise<Date> {
  return required(await one<{ now: Date }>(on, sql`select now()::timestamptz(3) as now`), 'the time').now
}

/**
 * How long ago everything was last looked at and found in order, by `coffer verify` or by the check that never ends; undefined where
 * it never was. Whoever writes the row can lie.
 */
export async function readProvenSecondsAgo(
  on: Queryable,
  prover: 'verify' | 'standing',
): Promise<number | undefined> {
  const row = await one<{ seconds: number | null }>(
    on,
    sql`select extract(epoch from now() - full_at)::float8 as seconds from proven_books where prover = ${prover}`,
  )
  return row?.seconds ?? undefined
}
