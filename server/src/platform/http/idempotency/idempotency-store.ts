/**
 * Stores Idempotency-Keys. The row of a key has either the claim of a run in progress, or the encrypted
 * answer of a run that has ended.
 */
import sql from 'sql-template-tag'
import { factKind } from '../../../core/committed-facts.ts'
import { limits } from '../../../core/limits.ts'
import type { Sealer } from '../../../core/seal.ts'
import { named, one, type Queryable } from '../../db/pool.ts'
import type { Answer, KeyedRequest } from './idempotency.ts'

/** The right to run a request under its key, until the claim expires and another process takes it over. */
export interface Claim {
  readonly claimId: string
  /** The id of what the request creates; it is the same for every run under the key. */
  readonly effectId: string
}

export interface KeyedState {
  readonly fingerprint: Buffer
  /** Undefined until an answer is stored. */
  readonly answer: Answer | undefined
  /** Seconds until the claim of the current run expires; 0 if the claim has expired. */
  readonly claimedS: number
}

interface StateRow {
  readonly fingerprint: Buffer
  readonly status: number | null
  readonly sealed_answer: Buffer | null
  readonly claimed_s: number
}

/**
 * Claims a key that is new, or whose claim has expired. Returns undefined if another claim is valid, if the
 * key has an answer, or if the key was used for a different request.
 */
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
              coffer_now() + ${limits.idempotencyClaimMs} * interval '1 millisecond')
      on conflict (scope_id, key) do update
        set claim_id = excluded.claim_id, claimed_until = excluded.claimed_until
        where idempotency_key.status is null
          and idempotency_key.claimed_until <= coffer_now()
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
             greatest(0, ceil(extract(epoch from claimed_until - coffer_now())))::integer as claimed_s
      from idempotency_key where scope_id = ${scopeId} and key = ${key}`,
    ),
  )
  if (row === undefined) return undefined
  const { fingerprint, status, sealed_answer: sealed, claimed_s: claimedS } = row
  if (status === null || sealed === null) return { fingerprint, answer: undefined, claimedS }
  const rest: Omit<Answer, 'status'> = JSON.parse(sealer.open(sealed, contextOf(scopeId)).reveal())
  return { fingerprint, answer: { status, ...rest }, claimedS }
}

/** Stores the answer of a run. Stores nothing if another run has taken over the claim meanwhile. */
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

/** An answer that a client got under a key, with the id of what the request created. */
export interface GivenAnswer {
  readonly request: KeyedRequest
  readonly effectId: string
  readonly status: number
  readonly sealed: Buffer
}

export const answerFacts = factKind<GivenAnswer>('idempotency-key')

/**
 * Stores answers again that the database has lost. A key that a client has used again after the loss is not
 * changed.
 * @returns the id of each answer that was stored: the scope and the key, separated by a space
 */
export async function putBackAnswers(
  on: Queryable,
  answers: readonly GivenAnswer[],
): Promise<ReadonlySet<string>> {
  const column = <T>(read: (answer: GivenAnswer) => T) => answers.map(read)
  const rows = await on.query<{ id: string }>(sql`
    insert into idempotency_key (scope_id, key, route, fingerprint, effect_id, claim_id, claimed_until, status, sealed_answer)
    select scope_id, key, route, fingerprint, effect_id, effect_id, coffer_now(), status, sealed
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

/**
 * Ends a claim without storing an answer. The next request under the key runs at once, with the same effect
 * id.
 */
export async function endClaim(
  on: Queryable,
  { scopeId, key }: KeyedRequest,
  { claimId }: Claim,
): Promise<void> {
  await on.query(sql`
    update idempotency_key set claimed_until = coffer_now()
    where scope_id = ${scopeId} and key = ${key} and claim_id = ${claimId} and status is null`)
}

/** Deletes a key whose request certainly had no effect. */
export async function forgetKey(
  on: Queryable,
  { scopeId, key }: KeyedRequest,
  { claimId }: Claim,
): Promise<void> {
  await on.query(sql`
    delete from idempotency_key
    where scope_id = ${scopeId} and key = ${key} and claim_id = ${claimId} and status is null`)
}

/** Deletes up to `rows` keys whose retention period is over, the oldest first, and returns their number. */
export async function deleteOldKeys(on: Queryable, rows: number): Promise<number> {
  const deleted = await on.query(sql`
    delete from idempotency_key where (scope_id, key) in (
      select scope_id, key from idempotency_key
      where created_at < coffer_now() - ${limits.idempotencyDays} * interval '1 day'
      order by created_at, scope_id, key limit ${rows} for update skip locked
    ) returning 1`)
  return deleted.length
}

/**
 * Returns the encryption context of an answer. Answers are encrypted, because they may contain secrets that
 * are stored nowhere in plain text, such as the token in a claim URL.
 */
export function contextOf(scopeId: string): string {
  return `idempotent-answer:${scopeId}`
}

export interface SealedAnswer {
  readonly scopeId: string
  readonly key: string
  readonly sealed: Buffer | null
}

/** Returns up to `rows` keys that follow the given key, each with its encrypted answer if it has one. */
export function readAnswersAfter(
  on: Queryable,
  { scopeId, key }: Pick<SealedAnswer, 'scopeId' | 'key'>,
  rows: number,
): Promise<readonly SealedAnswer[]> {
  return on.query<SealedAnswer>(sql`
    select scope_id as "scopeId", key, sealed_answer as sealed from idempotency_key
    where (scope_id, key) > (${scopeId}::uuid, ${key}) order by scope_id, key limit ${rows}`)
}

/**
 * Replaces the ciphertexts of answers. The text of a stored answer never changes, so only its encryption can
 * have changed since the answer was read.
 */
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
