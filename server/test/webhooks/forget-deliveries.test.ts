import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { deleteOldDeliveries } from '../../src/webhooks/store.ts'
import { useDatabase } from '../support/database.ts'
import { addMerchant } from '../support/merchant-server.ts'
import { deliveryRecords } from '../support/webhooks/records.ts'
import { emitEvents } from './dispatching.ts'

const database = useDatabase()
const dayMs = 24 * 60 * 60 * 1000

interface DeliveryRow {
  readonly madeDays: number
  /** Days since it ended; absent while it is pending. */
  readonly endedDays?: number
}

/** Creates a delivery of an event of its own, created and ended this many days ago, with two attempts. */
async function delivery(merchantId: string, { madeDays, endedDays }: DeliveryRow): Promise<string> {
  const [made] = await emitEvents(database.db, merchantId)
  const id = newId(Date.now() - madeDays * dayMs)
  await database.db.query(sql`
    update delivery set id = ${id}, state = ${endedDays === undefined ? 'pending' : 'delivered'},
      ended_at = now() - ${endedDays ?? null}::integer * interval '1 day'
    where id = ${made}`)
  await database.db.query(sql`
    insert into delivery_attempt (delivery_id, number, started_at, took_ms, status)
    select ${id}, number, now(), 1, 200 from generate_series(1, 2) number`)
  return id
}

it('deletes deliveries that ended 90 days ago, with their attempts, a few at a time; events and pending deliveries are kept', async () => {
  const merchantId = await addMerchant(database.db)
  const old = [
    { madeDays: 300, endedDays: 299 },
    { madeDays: 93, endedDays: 91 },
    { madeDays: 92, endedDays: 91 },
  ]
  const kept = [
    { madeDays: 93, endedDays: 89 },
    { madeDays: 89, endedDays: 89 },
    { madeDays: 300 },
    { madeDays: 0 },
  ]
  for (const row of old) await delivery(merchantId, row)
  const keptIds: string[] = []
  for (const row of kept) keptIds.push(await delivery(merchantId, row))
  const deleted: number[] = []
  for (let batch = 0; batch < 3; batch += 1) deleted.push(await deleteOldDeliveries(database.db, 2))
  expect(deleted).toEqual([2, 1, 0])
  const left = await deliveryRecords.all(database.db, {}, 'id')
  expect(left.map(({ id }) => id)).toEqual(keptIds.toSorted())
  const counts = sql`select (select count(*) from delivery_attempt) as attempts, (select count(*) from event) as events`
  expect(await database.db.query(counts)).toEqual([
    { attempts: kept.length * 2, events: old.length + kept.length },
  ])
})

it('skips deliveries that another process is deleting', async () => {
  const merchantId = await addMerchant(database.db)
  for (let count = 0; count < 20; count += 1) await delivery(merchantId, { madeDays: 100, endedDays: 99 })
  const deleted = await Promise.all([1, 2, 3].map(() => deleteOldDeliveries(database.db, 10)))
  expect(deleted.reduce((sum, one) => sum + one, 0) + (await deleteOldDeliveries(database.db, 10))).toBe(20)
})
