/** A running dispatcher over a test database, with merchants that have endpoints. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { expect, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { workLoop } from '../../src/core/concurrency/work-loop.ts'
import { silentLog } from '../../src/core/log.ts'
import { openSealer } from '../../src/core/seal.ts'
import { Secret } from '../../src/core/settings.ts'
import { webhookSecretContext } from '../../src/merchants/webhook-endpoint.ts'
import type { Db, Queryable } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { appendEvents } from '../../src/platform/outbox/append.ts'
import { Dispatcher, type DispatcherParts } from '../../src/webhooks/dispatcher.ts'
import {
  type GuardedAgentParts,
  openGuardedAgent,
  type TargetRules,
} from '../../src/webhooks/guarded-agent.ts'
import { addMerchant } from '../support/merchant-server.ts'
import { now } from '../support/records/values.ts'
import { deliveryRecords } from '../support/webhooks/records.ts'

export const secretText = 'a secret of more than 32 characters, with ₿'
/** The encryption key of webhook secrets, in hex. */
export const encryptionKey = '11'.repeat(32)
export const sealer = openSealer(new Secret(encryptionKey))

export const localRules: TargetRules = {
  allowHttp: true,
  allowPrivate: true,
  ownPort: undefined,
  ownHosts: [],
}

export async function setEndpoint(on: Queryable, merchantId: string, url: string): Promise<void> {
  const sealed = sealer.seal(secretText, webhookSecretContext(merchantId))
  await on.query(sql`
    insert into webhook_endpoint (merchant_id, url, sealed_secret, token)
    values (${merchantId}, ${url}, ${sealed}, ${randomUUID()})
    on conflict (merchant_id) do update
    set url = excluded.url, token = excluded.token, sealed_secret = excluded.sealed_secret,
      disabled_at = null, disabled_reason = null, failing_since = null, last_failure_at = null, failures = 0,
      rest_until = null`)
}

export async function merchantAt(on: Queryable, url: string): Promise<string> {
  const merchantId = await addMerchant(on)
  await setEndpoint(on, merchantId, url)
  return merchantId
}

/** Appends events for a merchant and returns the ids of their deliveries in the order of their numbers. */
export async function emitEvents(db: Db, merchantId: string, count = 1): Promise<readonly string[]> {
  const subjects = Array.from({ length: count }, () => randomUUID())
  await inTransaction(db, (tx) =>
    appendEvents(
      tx,
      subjects.map((subject) => ({
        merchantId,
        type: 'transaction.detected',
        subject,
        occurredAt: new Date(),
        data: { note: 'zwölf ₿' },
      })),
    ),
  )
  const rows = await db.query<{ id: string }>(sql`
    select delivery.id from delivery join event on event.id = event_id
    where subject = any(${subjects.map((subject) => `transaction.detected:${subject}`)}::text[])
    order by sequence`)
  return rows.map((row) => row.id)
}

export interface DeliveryRow {
  readonly state: string
  readonly attempts: number
  readonly restS: number
  readonly isClaimed: boolean
  readonly body: string
  readonly eventId: string
  readonly tried: readonly { status: number | null; error: string | null; excerpt: string | null }[]
}

export async function deliveryOf(on: Queryable, id: string | undefined): Promise<DeliveryRow> {
  const [row] = await on.query<DeliveryRow>(sql`
    select state, attempts, claimed_until is not null as "isClaimed", body, event.id as "eventId",
      extract(epoch from next_attempt_at - now())::float as "restS",
      coalesce((
        select jsonb_agg(jsonb_build_object('status', status, 'error', error, 'excerpt', response_excerpt)
          order by number)
        from delivery_attempt where delivery_id = delivery.id
      ), '[]') as tried
    from delivery join event on event.id = event_id where delivery.id = ${id}`)
  if (row === undefined) throw new Error(`no delivery ${id}`)
  return row
}

/** Waits until a delivery has had this many attempts and none is running. */
export function attempted(on: Queryable, id: string | undefined, attempts = 1): Promise<DeliveryRow> {
  return vi.waitFor(
    async () => {
      const row = await deliveryOf(on, id)
      expect(row).toMatchObject({ attempts, isClaimed: false })
      return row
    },
    { timeout: 10_000, interval: 10 },
  )
}

/** Makes the next attempt due at once. */
export async function makeDue(on: Queryable, id: string | undefined): Promise<void> {
  await deliveryRecords.change(on, { id }, { nextAttemptAt: now })
}

export interface DispatchingOptions extends Partial<Omit<GuardedAgentParts, 'rules'>> {
  readonly rules?: Partial<TargetRules>
  readonly parts?: Partial<DispatcherParts>
}

export interface Dispatching {
  readonly dispatcher: Dispatcher
  /** Ends the loop and drains it, like a process that is stopped. */
  stop(withinMs?: number): Promise<void>
}

/** Starts a dispatcher that is stopped when the test ends. */
export function startDispatching(db: Db, options: DispatchingOptions = {}): Dispatching {
  const { rules, parts, ...agentParts } = options
  const agent = openGuardedAgent({ ...agentParts, rules: { ...localRules, ...rules } })
  const dispatcher = new Dispatcher({
    db,
    agent,
    clock: systemClock,
    log: silentLog,
    serviceName: 'Service',
    openSecret: (sealed, merchantId) => sealer.open(sealed, webhookSecretContext(merchantId)),
    random: () => 0.5,
    ...parts,
  })
  const ending = new AbortController()
  const looping = workLoop(dispatcher, {
    clock: systemClock,
    log: silentLog,
    signal: ending.signal,
    wake: dispatcher.wake,
  })
  let stopped: Promise<void> | undefined
  const stop = (withinMs = 2_000) => {
    stopped ??= (async () => {
      ending.abort()
      await looping
      await dispatcher.close(withinMs)
      await agent.destroy()
    })()
    return stopped
  }
  onTestFinished(() => stop(200))
  return { dispatcher, stop }
}
