/**
 * Checks the plans of the statements that claim and record deliveries. Their cost must not grow with the
 * number of deliveries ever sent.
 */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { beforeAll, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import type { Statement } from '../../src/platform/db/pool.ts'
import { inTransaction, type Tx } from '../../src/platform/db/transaction.ts'
import { appendEvents } from '../../src/platform/outbox/append.ts'
import { firstCursor } from '../../src/webhooks/claim.ts'
import { claimLocked, lockCandidates } from '../../src/webhooks/claim-store.ts'
import { deleteOldDeliveries, saveResults } from '../../src/webhooks/store.ts'
import { useDatabase } from '../support/database.ts'
import { addMerchant } from '../support/merchant-server.ts'
import { now } from '../support/records/values.ts'
import { deliveryRecords } from '../support/webhooks/records.ts'

const database = useDatabase()
const merchantIds: string[] = []
const share = { isSlow: false, slowMerchantIds: [randomUUID()] }

/** Fills the database as after long use: merchants with many old deliveries, of which few are pending. */
beforeAll(async () => {
  for (let count = 0; count < 20; count += 1) merchantIds.push(await addMerchant(database.db))
  const one = (merchantId: string) => ({
    merchantId,
    subject: randomUUID(),
    occurredAt: new Date(),
    data: {},
  })
  for (let round = 0; round < 4; round += 1) {
    const events = merchantIds.flatMap((id) => Array.from({ length: 100 }, () => one(id)))
    await inTransaction(database.db, (tx) =>
      appendEvents(
        tx,
        events.map((event) => ({ ...event, type: 'webhook.test' })),
      ),
    )
    if (round === 3) break
    await deliveryRecords.change(database.db, { state: 'pending' }, { state: 'delivered', endedAt: now })
  }
  await database.db.query(sql`
    insert into delivery_attempt (delivery_id, number, started_at, took_ms, status)
    select id, 1, now(), 1, 200 from delivery where state = 'delivered'`)
  await database.owner.query(sql`analyze`)
})

/** Returns the statement that `write` runs. */
async function statementOf(write: (tx: Tx) => Promise<unknown>): Promise<Statement> {
  let written: Statement | undefined
  const query = async (statement: Statement) => {
    written = statement
    return []
  }
  await write({ query } as unknown as Tx)
  return required(written, 'the statement')
}

/**
 * Returns the plans of the statement, line by line: a custom and a generic one, because connections may use
 * either.
 */
async function planOf(write: (tx: Tx) => Promise<unknown>): Promise<readonly string[]> {
  const { text, values } = await statementOf(write)
  const lines: string[] = []
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    const plan = await inTransaction(database.db, async (tx) => {
      await tx.query({ text: `set local plan_cache_mode = ${mode}`, values: [] })
      return tx.query<{ 'QUERY PLAN': string }>({ text: `explain ${text}`, values })
    })
    lines.push(...plan.map((row) => row['QUERY PLAN']))
  }
  return lines
}

/** Returns how PostgreSQL reads deliveries for the statement. */
async function readsOf(write: (tx: Tx) => Promise<unknown>): Promise<readonly string[]> {
  const reads = (await planOf(write)).flatMap(
    (line) => /(\S+ )*Scan( using \w+)? on (delivery|event)\w*/.exec(line)?.[0] ?? [],
  )
  return [...new Set(reads.map((read) => read.trim().replace(/_\d+$/, '')))].toSorted()
}

it('claims and records by index, never by scanning the table', async () => {
  const claim = { merchantIds, perMerchant: 4, inFlightMax: 4, claimMs: 30_000 }
  const attempt = { number: 1, startedAt: new Date(), tookMs: 1, status: 200, error: undefined, excerpt: '' }
  const claimed = {
    deliveryId: randomUUID(),
    eventId: randomUUID(),
    merchantId: firstCursor,
    attempts: 0,
  }
  const result = { claimed: { ...claimed, claimedUntil: new Date(), body: '' }, delayMs: 0, attempt }
  const results = Array.from({ length: 200 }, () => ({ ...result, state: 'delivered' as const }))
  for (const write of [
    (tx: Tx) => claimLocked(tx, claim),
    (tx: Tx) => saveResults(tx, results),
    (tx: Tx) => deleteOldDeliveries(tx, 1_000),
  ]) {
    const reads = await readsOf(write)
    expect(reads).not.toEqual([])
    for (const read of reads) expect(read).toMatch(/^(Index|Bitmap)/)
  }
})

it('claims in the order of an index, and sorts only the claimed rows', async () => {
  const claim = { merchantIds, perMerchant: 4, inFlightMax: 4, claimMs: 30_000 }
  const plan = await planOf((tx) => claimLocked(tx, claim))
  for (const line of plan.filter((one) => one.includes('Sort Key'))) expect(line).toContain('claimed.')
  expect(plan.join('\n')).toContain('Index Scan using delivery_backlog')
})

it.each(['little', 'all'])(
  'finds the next merchant in the indexes of pending deliveries, if those are %s',
  async (what) => {
    if (what === 'all') await deliveryRecords.change(database.db, {}, { state: 'pending', endedAt: null })
    await database.owner.query(sql`analyze`)
    const reads = await readsOf((tx) =>
      lockCandidates(tx, { after: firstCursor, merchants: 200, inFlightMax: 4, share }),
    )
    for (const read of reads)
      expect(read).toMatch(/^Index (Only )?Scan using delivery_(backlog|claimed) on delivery$/)
    expect(reads).not.toEqual([])
  },
)
