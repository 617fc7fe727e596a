/**
 * Tests that no sequence number is given to two events, even after a merchant's first events and its counter
 * were lost.
 */
import { expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { appendEvents } from '../../src/platform/outbox/append.ts'
import { expectSoundBooks } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { beginIncarnation, loseEvents } from '../support/lose-records.ts'
import { merchantRecords } from '../support/people/records.ts'
import { fromNow } from '../support/records/values.ts'
import { useShop } from '../support/shop.ts'
import { eventRecords } from '../support/webhooks/records.ts'

const database = useDatabase()
const shop = useShop(database)

async function emitEvent(merchantId: string): Promise<number> {
  const data = { webhookID: newId() }
  const event = { merchantId, type: 'webhook.test' as const, subject: newId(), occurredAt: new Date(), data }
  await inTransaction(shop.db, (tx) => appendEvents(tx, [event]))
  const { sequence } = required((await eventRecords.all(shop.db, { merchantId })).at(-1), 'an event')
  return sequence
}

it('continues after a gap if a counter was lost, and begins at one for a new merchant', async () => {
  await beginIncarnation(database, 1)
  const merchantId = await shop.openMerchant()
  expect([await emitEvent(merchantId), await emitEvent(merchantId)]).toEqual([1, 2])
  await loseEvents(database, merchantId)
  await beginIncarnation(database, 2)
  expect([await emitEvent(merchantId), await emitEvent(merchantId)]).toEqual([2_000_001, 2_000_002])
  expect(await emitEvent(await shop.openMerchant())).toBe(1)
  const beside = await shop.openMerchant()
  await merchantRecords.change(database.owner, { id: beside }, { createdAt: fromNow('-1 day') })
  const emitted = await Promise.all([emitEvent(beside), emitEvent(beside), emitEvent(beside)])
  expect(Math.max(...emitted)).toBe(2_000_003)
  await expectSoundBooks(shop)
})
