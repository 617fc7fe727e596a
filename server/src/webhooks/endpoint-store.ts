import sql from 'sql-template-tag'
import { limits } from '../core/limits.ts'
import { named, type Queryable } from '../platform/db/pool.ts'

/** How an endpoint answered the attempts that are recorded together. */
export interface EndpointAnswers {
  readonly merchantId: string
  /** The version of the endpoint that was tried; what became of another says nothing of it. */
  readonly token: string
  /** `gone` once it answered 410; else `working` if anything succeeded. */
  readonly outcome: 'working' | 'failing' | 'gone'
  readonly failures: number
  /** For how long it asked to be sent nothing, 0 where it did not. */
  readonly restMs: number
}

/** An endpoint that was disabled just now. */
export interface DisabledEndpoint {
  readonly merchantId: string
  readonly token: string
  readonly url: string
  readonly disabledAt: Date
  readonly reason: 'gone' | 'failing'
  readonly failingSince: Date
}

/**
 * Keeps, for each endpoint, since when it only fails, and disables it when that has lasted, or when it is gone. A run of
 * failures ends with a success, and begins anew after a long silence: what failed a month ago and was not tried since
 * says nothing of today. A success of one that was not failing changes nothing. A rest that was asked for holds for all
 * that is to be sent there; the longest one counts. All by the database's clock.
 */
export function saveAnswers(
  on: Queryable,
  answers: readonly EndpointAnswers[],
): Promise<readonly DisabledEndpoint[]> {
  return on.query<DisabledEndpoint>(
    named(
      'webhooks_save_answers',
      sql`
    with seen as (
      select * from unnest(
        ${answers.map(({ merchantId }) => merchantId)}::uuid[],
        ${answers.map(({ token }) => token)}::text[],
        ${answers.map(({ outcome }) => outcome)}::text[],
        ${answers.map(({ failures }) => failures)}::integer[],
        ${answers.map(({ restMs }) => restMs)}::bigint[]
      ) as seen (merchant_id, token, outcome, more, rest_ms)
    ), locked as (
      select merchant_id, outcome, more, rest_ms, failing_since, failures,
        coalesce(last_failure_at > now() - ${limits.endpointSilentMs} * interval '1 millisecond', false) as goes_on
      from webhook_endpoint join seen using (merchant_id, token)
      where disabled_at is null and (outcome <> 'working' or failing_since is not null or rest_ms > 0)
      order by merchant_id
      for no key update of webhook_endpoint
    ), run as (
      select merchant_id, outcome, rest_ms,
        case when outcome <> 'working' then case when goes_on then failing_since else now() end end as since,
        case when outcome <> 'working' then case when goes_on then failures else 0 end + more else 0 end as length
      from locked
    ), judged as (
      select *, case
        when outcome = 'gone' then 'gone'
        when since <= now() - ${limits.endpointFailingMs} * interval '1 millisecond'
          and length >= ${limits.endpointFailures} then 'failing'
      end as verdict
      from run
    ), written as (
      update webhook_endpoint endpoint set
        failing_since = since,
        last_failure_at = case when since is not null then now() end,
        failures = length,
        rest_until = greatest(rest_until, now() + nullif(rest_ms, 0) * interval '1 millisecond'),
        disabled_at = case when verdict is not null then now() end,
        disabled_reason = verdict
      from judged where endpoint.merchant_id = judged.merchant_id
      returning endpoint.merchant_id, token, url, disabled_at, disabled_reason, failing_since
    )
    select merchant_id as "merchantId", token, url, disabled_at as "disabledAt", disabled_reason as reason,
      failing_since as "failingSince"
    from written where disabled_at is not null`,
    ),
  )
}
