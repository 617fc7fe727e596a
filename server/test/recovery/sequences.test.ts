/** No number is ever given to two events, also where a merchant's first events and its counter were lost. */
import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { appendEvents } from '../../src/platform/outbox/append.ts'
import { expectSoundBooks } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { beginIncarnation, loseEvents } from '../support/lose-records.ts'
import { useShop } from '../support/shop.ts'

const database = useDatabase()
const shop = useShop(database)

async function tell(merchantId: string): Promise<number> {
  const data = { webhookID: newId() }
  const event = { merchantId, type: 'webhook.test' as const, subject: newId(), occurredAt: new Date(), data }
  await inTransaction(shop.db, (tx) => appendEvents(tx, [event]))
  const { last } = await shop.row<{ last: number }>(
    sql`select max(sequence) as last from event where merchant_id = ${merchantId}`,
  )
  return last
}

it('begins behind a gap where a counter was lost, and at one for a merchant that came after', async () => {
  await beginIncarnation(database, 1)
  const merchantId = await shop.openMerchant()
  expect([await tell(merchantId), await tell(merchantId)]).toEqual([1, 2])
  await loseEvents(database, merchantId)
  await beginIncarnation(database, 2)
  expect([await tell(merchantId), await tell(merchantId)]).toEqual([1_000_001, 1_000_002])
  expect(await tell(await shop.openMerchant())).toBe(1)
  const beside = await shop.openMerchant()
  await database.owner.query(
    sql`update merchant set created_at = now() - interval '1 day' where id = ${beside}`,
  )
  const told = await Promise.all([tell(beside), tell(beside), tell(beside)])
  expect(Math.max(...told)).toBe(1_000_003)
  await expectSoundBooks(shop)
})
