/** Compares, at the end of a run, the events that merchants received with the model. */

import { findWithdrawal } from '../../src/outgoing/withdrawals/store.ts'
import { findInvoice } from '../../src/payments/invoices/store.ts'
import { readFeedPage } from '../../src/webhooks/feed/store.ts'
import { listDeliveries } from '../../src/webhooks/log-store.ts'
import { areBooksOpen } from '../model/check.ts'
import { findWrongEvents } from '../model/check-events.ts'
import type { OrderState } from '../model/checked-world.ts'
import { eventIn } from '../model/known-events.ts'
import { merchantOf } from '../play.ts'
import { callReadFeed } from './call-webhooks.ts'
import type { EventSide } from './event-side.ts'
import type { Installation } from './installation.ts'
import { dispatcherNames } from './processes.ts'
import { readChecked } from './read-checked.ts'

type RunAlone = (world: Installation, work: () => Promise<void>) => Promise<void>

/** Completes all deliveries. Returns one sentence for each error in events. */
export async function findEventFaults(world: Installation, runAlone: RunAlone): Promise<readonly string[]> {
  const { events } = world
  if (events === undefined) return []
  await deliverAll(world)
  for (const merchantId of world.model.merchants) {
    await callReadFeed(world, events, merchantId)
    await advanceAll(world)
  }
  const feeds = new Map<string, readonly string[]>()
  const orders = new Map<string, OrderState>()
  const invoices = new Map<string, string>()
  const deliveries: Delivery[] = []
  await runAlone(world, async () => {
    const { db } = world.process('api').database
    for (const merchantId of world.model.merchants) {
      feeds.set(merchantId, await readFeed(world, merchantId))
      const page = { page: 1, limit: 1_000 }
      const listed = await listDeliveries(db, { merchantId, states: undefined }, page)
      deliveries.push(...listed.deliveries.map((one) => ({ ...one, merchantId })))
    }
    for (const { id, merchantId } of world.model.orders)
      orders.set(id, (await findWithdrawal(db, merchantId, id))?.status.state ?? 'unknown')
    for (const { invoiceId } of world.model.shown) {
      const found = await findInvoice(db, invoiceId)
      if (found !== undefined) invoices.set(invoiceId, found.invoice.state)
    }
  })
  const checked = await readChecked(world)
  return [
    ...findWrongEvents(checked, { feeds, orders, invoices }),
    ...events.known.contradictions,
    ...events.webhooks.wrong,
    ...findMissing(world, events, feeds),
    ...findWrongDeliveries(world, events, deliveries),
  ]
}

interface Delivery {
  readonly merchantId: string
  readonly eventId: string
  readonly type: string
  readonly state: string
  readonly attempts: number
}

const deliveryRoundsMax = 60

/** Runs the dispatchers and lets time pass until all deliveries have ended. All receivers answer. */
async function deliverAll(world: Installation): Promise<void> {
  for (let round = 0; round < deliveryRoundsMax; round += 1) {
    for (const name of dispatcherNames) {
      const process = world.process(name)
      for (const job of process.jobs) await world.startJob(process, job)
      await advanceAll(world)
    }
    const [pending] = await world.sessions.look<{ due: Date | null }>(`
      select max(greatest(next_attempt_at, claimed_until, rest_until)) as due
      from delivery left join webhook_endpoint using (merchant_id) where state = 'pending'`)
    if (pending?.due == null) return
    await world.pass(Math.max(2_000, pending.due.getTime() - world.time.trueMs))
  }
}

/** Continues all work until none is left. Time passes only if all remaining work waits for a timer. */
async function advanceAll(world: Installation): Promise<void> {
  while (world.scheduler.underWay > 0) if (!(await world.scheduler.advance())) await world.passToTimer()
}

async function readFeed(world: Installation, merchantId: string): Promise<readonly string[]> {
  const { db } = world.process('api').database
  const bodies: string[] = []
  for (let after = 0; ; ) {
    const page = await readFeedPage(db, {
      merchantId,
      after,
      limit: 1_000,
      types: undefined,
      scannedMax: 10_000,
    })
    bodies.push(...page.bodies)
    after = page.next
    if (page.next >= page.last) return bodies
  }
}

/**
 * Compares the feed with the events that its reader stored, that merchants received earlier, and that
 * receivers confirmed.
 */
function findMissing(
  world: Installation,
  events: EventSide,
  feeds: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const { model } = world
  const { known, tests, webhooks } = events
  return [...feeds].flatMap(([merchantId, feed]) => {
    const who = merchantOf(world, merchantId)
    const kept = events.readerOf(merchantId).copies
    const isSame = kept.length === feed.length && kept.every((body, index) => body === feed[index])
    const fed = new Set(feed)
    const gone = model.isRestored ? [] : known.of(merchantId).filter((body) => !fed.has(body))
    const isSteady = !webhooks.unsteady.has(merchantId) && !model.isRestored
    const listed = feed.map(eventIn)
    const unsent = isSteady ? listed.filter(({ id }) => !webhooks.confirmed.has(id)) : []
    const strange = listed.filter(
      ({ type, data }) => type === 'webhook.test' && !tests.has(String(data['testID'])),
    )
    return [
      ...(isSame ? [] : [`${who} read ${kept.length} events in pages, and the feed has ${feed.length}`]),
      ...gone.map((body) => `${who} was told ${eventIn(body).type}, which is not in the feed`),
      ...unsent.map(({ type }) => `${who} has a webhook, to which ${type} was never delivered`),
      ...strange.map(() => `${who} was told of a test that it never asked for`),
    ]
  })
}

/**
 * Checks the state of each delivery. `delivered` requires that a receiver confirmed the event, and
 * `exhausted` requires all attempts. `cancelled` is allowed only if the webhook was changed, the database was
 * restored or the node invented payments.
 */
function findWrongDeliveries(
  world: Installation,
  { webhooks }: EventSide,
  deliveries: readonly Delivery[],
): readonly string[] {
  return deliveries.flatMap(({ merchantId, eventId, type, state, attempts }) => {
    const isSteady = !webhooks.unsteady.has(merchantId) && !areBooksOpen(world.model)
    const isRight =
      state === 'delivered'
        ? webhooks.confirmed.has(eventId)
        : state === 'cancelled'
          ? !isSteady
          : state === 'exhausted' && attempts >= attemptsMax
    return isRight
      ? []
      : [`the delivery of ${type} to ${merchantOf(world, merchantId)} is ${state} after ${attempts} attempts`]
  })
}

/** Maximum number of attempts of a delivery, according to docs/webhooks.md. */
const attemptsMax = 10
