import sql from 'sql-template-tag'
import { limits } from '../core/limits.ts'
import { named, type Queryable } from '../platform/db/pool.ts'

/** What is known of one endpoint from attempts that are recorded together. */
export interface EndpointAnswers {
  readonly merchantId: string
  /**
   * Version of the endpoint that was tried. If the endpoint has another version now, the answers are ignored.
   */
  readonly token: string
  /** `gone` if the endpoint answered 410, else `working` if any attempt succeeded, else `failing`. */
  readonly outcome: 'working' | 'failing' | 'gone'
  readonly failures: number
  /** Pause that the endpoint asked for, in milliseconds; 0 if it asked for none. */
  readonly restMs: number
}

/** An endpoint that `saveAnswers` has just disabled. */
export interface DisabledEndpoint {
  readonly merchantId: string
  readonly token: string
  readonly url: string
  readonly disabledAt: Date
  readonly reason: 'gone' | 'failing'
  readonly failingSince: Date
}

/**
 * Stores, for each endpoint, the time since which all attempts have failed. Disables an endpoint that is gone
 * or has failed for too long, and returns the disabled endpoints. A success ends a series of failures, and so
 * does a long time without a failure. If an endpoint asked for a pause, the pause applies to all its
 * deliveries. If it asked for several pauses, the longest applies. All times are times of the database.
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
        coalesce(last_failure_at > coffer_now() - ${limits.endpointSilentMs} * interval '1 millisecond', false) as goes_on
      from webhook_endpoint join seen using (merchant_id, token)
      where disabled_at is null and (outcome <> 'working' or failing_since is not null or rest_ms > 0)
      order by merchant_id
      for no key update of webhook_endpoint
    ), run as (
      select merchant_id, outcome, rest_ms,
        case when outcome <> 'working' then case when goes_on then failing_since else coffer_now() end end as since,
        case when outcome <> 'working' then case when goes_on then failures else 0 end + more else 0 end as length
      from locked
    ), evaluated as (
      select *, case
        when outcome = 'gone' then 'gone'
        when since <= coffer_now() - ${limits.endpointFailingMs} * interval '1 millisecond'
          and length >= ${limits.endpointFailures} then 'failing'
      end as verdict
      from run
    ), written as (
      update webhook_endpoint endpoint set
        failing_since = since,
        last_failure_at = case when since is not null then coffer_now() end,
        failures = length,
        rest_until = greatest(rest_until, coffer_now() + nullif(rest_ms, 0) * interval '1 millisecond'),
        disabled_at = case when verdict is not null then coffer_now() end,
        disabled_reason = verdict
      from evaluated where endpoint.merchant_id = evaluated.merchant_id
      returning endpoint.merchant_id, token, url, disabled_at, disabled_reason, failing_since
    )
    select merchant_id as "merchantId", token, url, disabled_at as "disabledAt", disabled_reason as reason,
      failing_since as "failingSince"
    from written where disabled_at is not null order by merchant_id`,
    ),
  )
}
