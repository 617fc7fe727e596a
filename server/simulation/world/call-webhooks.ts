/** Requests of merchants that concern their webhooks and events. */
import { randomBytes } from '../../src/core/chance.ts'
import { systemClock } from '../../src/core/clock.ts'
import { newId } from '../../src/core/ids.ts'
import { removeWebhook, setWebhook } from '../../src/merchants/change-webhook.ts'
import { readFeedPage } from '../../src/webhooks/feed/store.ts'
import { replay } from '../../src/webhooks/replay/replay.ts'
import { sendTestEvent } from '../../src/webhooks/replay/send-again.ts'
import type { WebhookVersion } from '../model/webhooks.ts'
import { type Called, callerId, request } from './call-api.ts'
import type { EventSide } from './event-side.ts'
import { fixed } from './fixed.ts'
import type { Installation } from './installation.ts'

export interface NewWebhook {
  readonly merchantId: string
  readonly host: string
  /** The secret of the webhook. By default a new secret is generated. */
  readonly secret?: string | undefined
  readonly revokesFormer: boolean
}

export function callSetWebhook(
  world: Installation,
  { webhooks }: EventSide,
  { merchantId, host, secret = randomBytes(24).toString('hex'), revokesFormer }: NewWebhook,
): Promise<Called> {
  return request(world, 'set a webhook', async ({ db }, answered) => {
    const version: WebhookVersion = {
      merchantId,
      host,
      secret,
      revokesFormer,
      requestedMs: world.time.trueMs,
      answered: undefined,
    }
    webhooks.versions.push(version)
    const parts = {
      db,
      sealer: fixed.sealer,
      webhookRules: () => ({ allowHttp: false, allowPrivate: false, ownUrls: [] }),
    }
    const owner = { accountId: callerId, merchantId }
    const url = `https://${host}/events`
    const token = await setWebhook(parts, owner, { url, secret, revokeFormerSecret: revokesFormer })
    await answered()
    version.answered = { token, atMs: world.time.trueMs }
  })
}

export function callRemoveWebhook(
  world: Installation,
  { webhooks }: EventSide,
  merchantId: string,
): Promise<Called> {
  return request(world, 'remove a webhook', async ({ db }, answered) => {
    webhooks.unsteady.add(merchantId)
    await removeWebhook(db, { accountId: callerId, merchantId })
    await answered()
  })
}

export function callTestWebhook(
  world: Installation,
  { tests }: EventSide,
  merchantId: string,
): Promise<Called> {
  return request(world, 'ask for a test event', async ({ db }, answered) => {
    const id = newId()
    tests.add(id)
    await sendTestEvent({ db, clock: systemClock }, { id, merchantId })
    await answered()
  })
}

export function callReplay(world: Installation, merchantId: string, after: number): Promise<Called> {
  return request(world, 'replay events', async ({ db }, answered) => {
    await replay(db, { id: newId(), merchantId, after, toSequence: undefined })
    await answered()
  })
}

/** Reads the feed in small pages until all events are read. */
export function callReadFeed(world: Installation, events: EventSide, merchantId: string): Promise<Called> {
  return request(world, 'read the feed', async ({ db }, answered) => {
    const reader = events.readerOf(merchantId)
    for (let isMore = true; isMore; ) {
      const take = reader.begin()
      const query = { merchantId, after: reader.next, limit: 4, types: undefined, scannedMax: 6 }
      const page = await readFeedPage(db, query)
      await answered()
      for (const body of page.bodies) events.known.note(body)
      isMore = take(page)
    }
  })
}
