import sql from 'sql-template-tag'
import { factKind } from '../../../core/committed-facts.ts'
import { limits } from '../../../core/limits.ts'
import type { Sealer } from '../../../core/seal.ts'
import { named, one, type Queryable } from '../../db/pool.ts'
import type { Answer, KeyedRequest } from './idempotency.ts'

/** The right to run a request, until the claim ends or someone takes it over. */
export interface Claim {
  readonly claimId: string
  /** The same for every run under the key. */
  readonly effectId: string
}

export interface KeyedState {
  readonly fingerprint: Buffer
  /** Undefined while no run has ended. */
  readonly answer: Answer | undefined
  /** Seconds until the claim of the run under way ends; 0 when there is none. */
  readonly claimedS: number
}

interface StateRow {
  readonly fingerprint: Buffer
  readonly status: number | null
  readonly sealed_answer: Buffer | null
  readonly claimed_s: number
}

/** Claims a key nobody has, or one whose run died; undefined when another has it or it has its answer. */
export async function claimKey(
  on: Queryable,
  { scopeId, key, route, fingerprint }: KeyedRequest,
  { claimId, effectId }: Claim,
): Promise<Claim | undefined> {
  const row = await one<{ effect_id: string }>(
    on,
    named(
      'claim-idempotency-key',
      sql`
      insert into idempotency_key (scope_id, key, route, fingerprint, effect_id, claim_id, claimed_until)
      values (${scopeId}, ${key}, ${route}, ${fingerprint}, ${effectId}, ${claimId},
              now() + ${limits.idempotencyClaimMs} * interval '1 millisecond')
      on conflict (scope_id, key) do update
        set claim_id = excluded.claim_id, claimed_until = excluded.claimed_until
        where idempotency_key.status is null
          and idempotency_key.claimed_until <= now()
          and idempotency_key.fingerprint = excluded.fingerprint
      returning effect_id`,
    ),
  )
  return row && { claimId, effectId: row.effect_id }
}

export async function findKey(
  on: Queryable,
  sealer: Sealer,
  { scopeId, key }: KeyedRequest,
): Promise<KeyedState | undefined> {
  const row = await one<StateRow>(
    on,
    named(
      'find-idempotency-key',
      sql`
      select fingerprint, status, sealed_answer,
             greatest(0, ceil(extract(epoch from claimed_until - now())))::integer as claimed_s
      from idempotency_key where scope_id = ${scopeId} and key = ${key}`,
    ),
  )
  if (row === undefined) return undefined
  const { fingerprint, status, sealed_answer: sealed, claimed_s: claimedS } = row
  if (status === null || sealed === null) return { fingerprint, answer: undefined, claimedS }
  const rest: Omit<Answer, 'status'> = JSON.parse(sealer.open(sealed, contextOf(scopeId)).reveal())
  return { fingerprint, answer: { status, ...rest }, claimedS }
}

/** Keeps the answer of a run; nothing when another run took over meanwhile. */
export async function keepAnswer(
  on: Queryable,
  sealer: Sealer,
  request: KeyedRequest,
  { claimId, effectId }: Claim,
  { status, headers, body }: Answer,
): Promise<void> {
  const { scopeId, key } = request
  const sealed = sealer.seal(JSON.stringify({ headers, body }), contextOf(scopeId))
  const kept = await on.query(
    named(
      'keep-idempotent-answer',
      sql`
      update idempotency_key set status = ${status}, sealed_answer = ${sealed}
      where scope_id = ${scopeId} and key = ${key} and claim_id = ${claimId} and status is null
      returning key`,
    ),
  )
  if (kept.length === 0) return
  const content = { request, effectId, status, sealed }
  on.facts?.note(answerFacts, { id: `${scopeId} ${key}`, merchantId: undefined, content }, sealed.length)
}

/** An answer under a key that was given, for the effect of that id. */
export interface GivenAnswer {
  readonly request: KeyedRequest
  readonly effectId: string
  readonly status: number
  readonly sealed: Buffer
}

export const answerFacts = factKind<GivenAnswer>('idempotency-key')

/** Keeps answers again that a database lost; a key that was used anew since stays as it is. Those that were stored. */
export async function putBackAnswers(
  on: Queryable,
  answers: readonly GivenAnswer[],
): Promise<ReadonlySet<string>> {
  const column = <T>(read: (answer: GivenAnswer) => T) => answers.map(read)
  const rows = await on.query<{ id: string }>(sql`
    insert into idempotency_key (scope_id, key, route, fingerprint, effect_id, claim_id, claimed_until, status, sealed_answer)
    select scope_id, key, route, fingerprint, effect_id, effect_id, now(), status, sealed
    from unnest(
      ${column(({ request }) => request.scopeId)}::uuid[], ${column(({ request }) => request.key)}::text[],
      ${column(({ request }) => request.route)}::text[], ${column(({ request }) => request.fingerprint)}::bytea[],
      ${column(({ effectId }) => effectId)}::uuid[], ${column(({ status }) => status)}::smallint[],
      ${column(({ sealed }) => sealed)}::bytea[]
    ) as given (scope_id, key, route, fingerprint, effect_id, status, sealed)
    on conflict do nothing
    returning scope_id || ' ' || key as id`)
  return new Set(rows.map(({ id }) => id))
}

/** Ends a claim whose run gave no answer to keep: the next one runs at once, with the same effect id. */
export async function endClaim(
  on: Queryable,
  { scopeId, key }: KeyedRequest,
  { claimId }: Claim,
): Promise<void> {
  await on.query(sql`
    update idempotency_key set claimed_until = now()
    where scope_id = ${scopeId} and key = ${key} and claim_id = ${claimId} and status is null`)
}

/** Forgets a key under which nothing can have happened. */
export async function forgetKey(
  on: Queryable,
  { scopeId, key }: KeyedRequest,
  { claimId }: Claim,
): Promise<void> {
  await on.query(sql`
    delete from idempotency_key
    where scope_id = ${scopeId} and key = ${key} and claim_id = ${claimId} and status is null`)
}

/** Deletes up to `rows` keys that are past their time, the oldest first; returns how many. */
export async function deleteOldKeys(on: Queryable, rows: number): Promise<number> {
  const deleted = await on.query(sql`
    delete from idempotency_key where (scope_id, key) in (
      select scope_id, key from idempotency_key
      where created_at < now() - ${limits.idempotencyDays} * interval '1 day'
      order by created_at limit ${rows} for update skip locked
    ) returning 1`)
  return deleted.length
}

/** An answer may hold what is stored nowhere else in the clear, such as the token of a claim. */
export function contextOf(scopeId: string): string {
  return `idempotent-answer:${scopeId}`
}

export interface SealedAnswer {
  readonly scopeId: string
  readonly key: string
  readonly sealed: Buffer | null
}

/** The next `rows` keys after `after`, with the answers of those that have one. */
export function readAnswersAfter(
  on: Queryable,
  { scopeId, key }: Pick<SealedAnswer, 'scopeId' | 'key'>,
  rows: number,
): Promise<readonly SealedAnswer[]> {
  return on.query<SealedAnswer>(sql`
    select scope_id as "scopeId", key, sealed_answer as sealed from idempotency_key
    where (scope_id, key) > (${scopeId}::uuid, ${key}) order by scope_id, key limit ${rows}`)
}

/** An answer is for good once it is there, so that only its seal can have changed. */
export async function replaceAnswers(
  on: Queryable,
  answers: readonly (SealedAnswer & { readonly sealed: Buffer })[],
): Promise<void> {
  await on.query(sql`
    update idempotency_key set sealed_answer = anew.sealed
    from unnest(${answers.map(({ scopeId }) => scopeId)}::uuid[], ${answers.map(({ key }) => key)}::text[],
      ${answers.map(({ sealed }) => sealed)}::bytea[]) as anew (scope_id, key, sealed)
    where idempotency_key.scope_id = anew.scope_id and idempotency_key.key = anew.key
      and idempotency_key.sealed_answer is not null`)
}
