import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import type { Db } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { appendEvents } from '../../src/platform/outbox/append.ts'
import { call, type Login, logIn, merchantAt } from './coffer-client.ts'

/**
 * The number of merchants. A merchant may have only a few deliveries in flight, and the claims of killed
 * dispatchers count until they expire. With this many merchants, dispatchers still find deliveries to claim.
 */
const merchantsWanted = 60
/** The number of events for each top-up: more than one dispatcher has in flight. */
const eventsAtOnce = 5 * merchantsWanted

/** Opens merchants that receive nothing but test events, and returns their ids. */
export async function openCrowd(url: string, login: Login, webhookUrl: string): Promise<readonly string[]> {
  const token = await logIn(url, login)
  const merchantIds: string[] = []
  for (let index = 0; index < merchantsWanted; index += 1) {
    const { body } = await call(
      `${url}/merchants`,
      'POST',
      { authorization: `Bearer ${token}` },
      { name: 'A shop' },
    )
    const merchant = merchantAt(url, { merchantId: body.id, token, key: '' })
    await merchant.setWebhook(webhookUrl, 'a secret of at least 32 characters')
    merchantIds.push(merchant.merchantId)
  }
  return merchantIds
}

/** Adds hundreds of events that wait for delivery to these merchants, unless enough wait already. */
export async function topUpBacklog(db: Db, merchantIds: readonly string[]): Promise<void> {
  const waiting = await db.query(sql`
    select from delivery
    where state = 'pending' and claimed_until is null and next_attempt_at <= now() limit ${eventsAtOnce / 2}`)
  if (waiting.length === eventsAtOnce / 2) return
  const events = Array.from({ length: eventsAtOnce }, (_, index) => {
    const testID = randomUUID()
    const merchantId = merchantIds[index % merchantIds.length] ?? ''
    return {
      merchantId,
      type: 'webhook.test',
      subject: testID,
      occurredAt: new Date(),
      data: { testID },
    } as const
  })
  await inTransaction(db, (tx) => appendEvents(tx, events))
}
