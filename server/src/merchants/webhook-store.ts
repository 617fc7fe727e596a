import sql from 'sql-template-tag'
import { limits } from '../core/limits.ts'
import { one, type Queryable } from '../platform/db/pool.ts'
import type { Tx } from '../platform/db/transaction.ts'
import type { FormerSecretChange, WebhookEndpoint } from './webhook-endpoint.ts'

export interface SealedTarget {
  readonly url: string
  readonly sealedSecret: Buffer
}

export interface NewEndpoint extends SealedTarget {
  readonly merchantId: string
  readonly token: string
  readonly former: FormerSecretChange
}

/** Creates or replaces the merchant's endpoint. A disabled endpoint becomes active again. */
export async function replaceWebhookEndpoint(tx: Tx, endpoint: NewEndpoint): Promise<void> {
  const { merchantId, url, sealedSecret, token, former } = endpoint
  await tx.query(sql`
    insert into webhook_endpoint (merchant_id, url, sealed_secret, token)
    values (${merchantId}, ${url}, ${sealedSecret}, ${token})
    on conflict (merchant_id) do update set url = excluded.url, sealed_secret = excluded.sealed_secret,
      token = excluded.token, created_at = coffer_now(), disabled_at = null, disabled_reason = null,
      failing_since = null, last_failure_at = null, failures = 0, rest_until = null,
      former_sealed_secret = case ${former}::text when 'begins' then webhook_endpoint.sealed_secret
        when 'stays' then webhook_endpoint.former_sealed_secret end,
      former_valid_until = case ${former}::text
        when 'begins' then coffer_now() + ${limits.formerSecretHours} * interval '1 hour'
        when 'stays' then webhook_endpoint.former_valid_until end`)
}

type EndpointRow = {
  readonly [K in keyof WebhookEndpoint]: Exclude<WebhookEndpoint[K], undefined> | null
} & Pick<WebhookEndpoint, 'url' | 'createdAt'>

export async function findWebhookEndpoint(
  on: Queryable,
  merchantId: string,
): Promise<WebhookEndpoint | undefined> {
  const row = await one<EndpointRow>(
    on,
    sql`
      select url, created_at as "createdAt",
        case when former_valid_until > coffer_now() then former_valid_until end as "formerValidUntil",
        case when rest_until > coffer_now() then rest_until end as "restUntil",
        failing_since as "failingSince", disabled_at as "disabledAt",
        case when disabled_at is not null then disabled_reason end as "disabledReason"
      from webhook_endpoint where merchant_id = ${merchantId}`,
  )
  if (row === undefined) return undefined
  return {
    url: row.url,
    createdAt: row.createdAt,
    formerValidUntil: row.formerValidUntil ?? undefined,
    restUntil: row.restUntil ?? undefined,
    failingSince: row.failingSince ?? undefined,
    disabledAt: row.disabledAt ?? undefined,
    disabledReason: row.disabledReason ?? undefined,
  }
}

export function findSealedTarget(on: Queryable, merchantId: string): Promise<SealedTarget | undefined> {
  return one<SealedTarget>(
    on,
    sql`select url, sealed_secret as "sealedSecret" from webhook_endpoint where merchant_id = ${merchantId}`,
  )
}

/** Deletes the merchant's endpoint and returns whether there was one. */
export async function deleteWebhookEndpoint(tx: Tx, merchantId: string): Promise<boolean> {
  return (
    (await one(tx, sql`delete from webhook_endpoint where merchant_id = ${merchantId} returning 1`)) !==
    undefined
  )
}

/** Deletes up to `rows` expired previous secrets and returns the number of deleted secrets. */
export async function deleteFormerSecrets(on: Queryable, rows: number): Promise<number> {
  const deleted = await on.query(sql`
    update webhook_endpoint set former_sealed_secret = null, former_valid_until = null
    where merchant_id in (
      select merchant_id from webhook_endpoint where former_valid_until <= coffer_now()
      order by former_valid_until, merchant_id limit ${rows} for no key update skip locked
    ) returning 1`)
  return deleted.length
}

export interface SealedSecrets {
  readonly merchantId: string
  readonly sealedSecret: Buffer
  readonly formerSealedSecret: Buffer | null
}

/** Returns the encrypted secrets of the next `rows` endpoints, whose merchant ids follow `after`. */
export function readSealedAfter(
  on: Queryable,
  after: string,
  rows: number,
): Promise<readonly SealedSecrets[]> {
  return on.query<SealedSecrets>(sql`
    select merchant_id as "merchantId", sealed_secret as "sealedSecret",
      former_sealed_secret as "formerSealedSecret"
    from webhook_endpoint where merchant_id > ${after} order by merchant_id limit ${rows}`)
}

/**
 * Replaces the secrets of an endpoint by newly encrypted secrets. If the endpoint was set again since the
 * secrets were read, changes nothing.
 */
export async function replaceSealed(
  on: Queryable,
  {
    merchantId,
    sealedSecret,
    current,
    former,
  }: Pick<SealedSecrets, 'merchantId' | 'sealedSecret'> & {
    readonly current: Buffer | undefined
    readonly former: Buffer | undefined
  },
): Promise<void> {
  await on.query(sql`
    update webhook_endpoint set sealed_secret = coalesce(${current ?? null}::bytea, sealed_secret),
      former_sealed_secret = case when former_valid_until is not null
        then coalesce(${former ?? null}::bytea, former_sealed_secret) end
    where merchant_id = ${merchantId} and sealed_secret = ${sealedSecret}`)
}
