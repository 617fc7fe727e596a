/** What an upgrade makes of a database that has been in use: invoices and payments from before overviews were summed. */
import { readFile } from 'node:fs/promises'
import sql, { raw } from 'sql-template-tag'
import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { paymentDays } from '../../src/oversight/overviews/store.ts'
import { invoicesAreCounted } from '../../src/oversight/verify/books/invoice-counts.ts'
import { paymentDaysAreSummed } from '../../src/oversight/verify/books/payment-days.ts'
import { invoiceCounts } from '../../src/payments/invoices/lists/count-store.ts'
import { foldOnce } from '../../src/platform/db/fold.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { mainPaymentMethods } from '../../src/pricing/payment-methods/catalogue.ts'
import { paymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import { useDatabase } from '../support/database.ts'

const database = useDatabase({ migrated: false })
const methods = paymentMethods(mainPaymentMethods(), new Set(['ethereum']))

/** The last migration before the sums. */
const before = 40
const shop = newId()
const goneShop = newId()
const invoiceIds = { sale: newId(), late: newId(), gone: newId(), claim: newId(), archived: newId() }

const lastOfFirst = '2026-03-01T23:59:59.999Z'
const firstOfSecond = '2026-03-02T00:00:00.000Z'

interface Invoice {
  readonly id?: string
  readonly merchantId?: string
  readonly type?: string
  readonly createdAt?: string
}

async function insertInvoice({ id, merchantId, type, createdAt }: Invoice = {}): Promise<void> {
  await database.owner.query(sql`
    insert into invoice (id, merchant_id, type, amount, amount_usd, payment_method_id, payment_method_ids, created_at)
    values (${id ?? newId()}, ${merchantId ?? shop}, ${type ?? 'onetime'}, '100', 10000000000, 1, '{1,3}',
      ${createdAt ?? lastOfFirst})`)
}

interface Payment {
  readonly invoiceId: string | null
  readonly merchantId?: string
  readonly methodId?: number
  readonly amountMinor: number
  readonly price?: number
  /** Null while it is pending. */
  readonly confirmedAt?: string | null
  readonly quarantine?: string
}

async function insertPayment(payment: Payment): Promise<void> {
  const { invoiceId, amountMinor, methodId = 1, confirmedAt = lastOfFirst } = payment
  const merchantId = invoiceId === null ? null : (payment.merchantId ?? shop)
  const hash = newId()
  await database.owner.query(sql`
    with assigned as (
      insert into address (family, address, branch, index, mac, network)
      values ('evm', ${hash}, 1, (select count(*) from address), '', 'ethereum') returning id
    )
    insert into transaction (id, network, transfer_key, tx_hash, asset, payment_method_id, address_id, merchant_id,
      invoice_id, recipient, amount_minor, amount, price, state, inclusion, block_height, block_hash, included_at,
      in_time_at, fee_percent_basis_points, fee_flat_minor, confirmed_at, quarantine)
    select ${newId()}, 'ethereum', ${hash}, ${hash}, 'ethereum/USDT', ${methodId}, id, ${merchantId}, ${invoiceId},
      ${hash}, ${amountMinor}, 1, ${payment.price ?? null}, ${confirmedAt === null ? 'pending' : 'confirmed'}, 1, 7,
      '0x7', now(), now(), 100, 0, ${confirmedAt}, ${payment.quarantine ?? null}
    from assigned`)
}

/** As the release before does it, which knows nothing of what became of invoices by day. */
async function foldAsBefore(): Promise<void> {
  await database.owner.query(sql`
    with taken as (delete from invoice_count_change returning *), cells as (
      insert into invoice_cell_count
      select merchant_id, payment_method_ids, type, state, aml_ok, collect_state, is_archived, sum(difference)
      from taken group by 1, 2, 3, 4, 5, 6, 7
    )
    insert into invoice_range_count
    select merchant_id, scale, bucket, is_archived, sum(difference)
    from taken cross join lateral invoice_scales(created_at, amount_usd) group by 1, 2, 3, 4`)
}

async function fold(): Promise<void> {
  await inTransaction(database.db, (tx) => foldOnce(tx, invoiceCounts))
  await inTransaction(database.db, (tx) => foldOnce(tx, paymentDays))
}

async function fillInvoices(): Promise<void> {
  await database.owner.query(sql`
    insert into merchant (id, name, deleted_at) values (${shop}, 'Anna', null), (${goneShop}, 'Gone', now())`)
  await insertInvoice({ id: invoiceIds.sale })
  await insertInvoice({ id: invoiceIds.late, createdAt: firstOfSecond })
  await insertInvoice({ id: invoiceIds.archived })
  await insertInvoice({ id: invoiceIds.claim, type: 'withdraw' })
  await insertInvoice({ id: invoiceIds.gone, merchantId: goneShop })
  const deletedLater = newId()
  await insertInvoice({ id: deletedLater })
  await foldAsBefore()
  // What comes from here on waits in the changes: invoices that are new, that become another, and that go.
  await insertInvoice({ type: 'reusable', createdAt: firstOfSecond })
  await insertInvoice({ type: 'withdraw' })
  await database.owner.query(sql`
    update invoice set state = 'paid', paid_at = now() where id in (${invoiceIds.sale}, ${invoiceIds.claim})`)
  await database.owner.query(sql`update invoice set state = 'expired' where id = ${invoiceIds.late}`)
  await database.owner.query(sql`update invoice set archived_at = now() where id = ${invoiceIds.archived}`)
  await database.owner.query(sql`update invoice set deleted_at = now() where id = ${deletedLater}`)
}

async function fillPayments(): Promise<void> {
  await database.owner.query(sql`
    insert into address_branch (family, branch, xpub_fingerprint, incarnation_id, server_started_at)
    values ('evm', 1, 'f', ${newId()}, now())`)
  const { sale, late, gone, claim } = invoiceIds
  await insertPayment({ invoiceId: sale, amountMinor: 1, price: 1_000 })
  await insertPayment({ invoiceId: late, amountMinor: 20, price: 1_000 })
  await insertPayment({ invoiceId: sale, amountMinor: 300 })
  await insertPayment({ invoiceId: sale, amountMinor: 4_000, price: 1_000, confirmedAt: firstOfSecond })
  await insertPayment({ invoiceId: sale, amountMinor: 50_000, price: 7, methodId: 3 })
  await insertPayment({ invoiceId: claim, amountMinor: 600_000, price: 1_000 })
  await insertPayment({ invoiceId: gone, merchantId: goneShop, amountMinor: 8, price: 1_000 })
  await insertPayment({ invoiceId: sale, amountMinor: 7_000_000, price: 1_000, quarantine: 'released' })
  // None of these counts.
  await insertPayment({ invoiceId: sale, amountMinor: 9, price: 1_000, quarantine: 'held' })
  await insertPayment({ invoiceId: sale, amountMinor: 9, price: 1_000, quarantine: 'seized' })
  await insertPayment({ invoiceId: sale, amountMinor: 9, price: 1_000, confirmedAt: null })
  await insertPayment({ invoiceId: null, amountMinor: 9 })
}

/** What verify finds of the kept counts and sums. */
async function findings(): Promise<readonly string[]> {
  const outcomes = [invoicesAreCounted, paymentDaysAreSummed].map((invariant) =>
    invariant.check({ on: database.db, methods }),
  )
  return (await Promise.all(outcomes)).flatMap((outcome) => outcome.findings)
}

describe('a database in use that is migrated to sums of days', () => {
  beforeAll(async () => {
    const options = { ownerUrl: database.urls.owner, appRole: 'coffer_app', log: silentLog }
    await migrate({ ...options, count: before })
    await fillInvoices()
    await fillPayments()
    // Its books are older than MACs, which are no matter of this test.
    await migrate({ ...options, mayAdoptBooks: true })
  })

  it('M16 has the sums of its payments by day, without what is in quarantine or nobody’s', async () => {
    const kept = await database.db.query(sql`
      select merchant_id = ${shop} as "isShop", to_char(day, 'YYYY-MM-DD') as day, payment_method_id as method,
        payments, amount_minor::text as "amountMinor", worth::text as worth, unpriced
      from payment_day_sum order by 1, 2, 3`)
    const day = { isShop: true, day: '2026-03-01', method: 1, unpriced: 0 }
    expect(kept).toEqual([
      { ...day, isShop: false, payments: 1, amountMinor: '8', worth: '8000' },
      { ...day, payments: 5, amountMinor: '7600321', worth: '7600021000', unpriced: 1 },
      { ...day, method: 3, payments: 1, amountMinor: '50000', worth: '350000' },
      { ...day, day: '2026-03-02', payments: 1, amountMinor: '4000', worth: '4000000' },
    ])
  })

  it('M16 has the outcomes of its invoices by day, less the changes that wait', async () => {
    const waiting = await database.db.query(sql`select from invoice_count_change`)
    expect(waiting.length).toBeGreaterThan(5)
    expect(await findings()).toEqual([])
  })

  it('M16 stays right when the changes that waited are folded, and what was there before changes after it', async () => {
    await fold()
    expect(await outcomes()).toEqual([
      { isShop: false, day: '2026-03-01', state: 'pending', invoices: 1 },
      { isShop: true, day: '2026-03-01', state: 'paid', invoices: 1 },
      { isShop: true, day: '2026-03-01', state: 'pending', invoices: 1 },
      { isShop: true, day: '2026-03-02', state: 'expired', invoices: 1 },
      { isShop: true, day: '2026-03-02', state: 'pending', invoices: 1 },
    ])
    expect(await findings()).toEqual([])
    await database.owner.query(sql`update transaction set quarantine = 'released' where quarantine = 'held'`)
    await database.owner.query(
      sql`update transaction set state = 'pending', confirmed_at = null where amount_minor = 300`,
    )
    await database.owner.query(sql`update invoice set deleted_at = now() where id = ${invoiceIds.late}`)
    expect(await findings()).toEqual([])
    await fold()
    expect(await findings()).toEqual([])
  })

  it('M16 is made right by the statements for operators, whatever was off', async () => {
    const guide = await readFile(new URL('../../../docs/production.md', import.meta.url), 'utf8')
    const [, anew = ''] = /```sql\n(begin;.*?delete from invoice_count_change.*?)```/s.exec(guide) ?? []
    await database.owner.query(sql`update payment_day_sum set amount_minor = amount_minor + 1`)
    await database.owner.query(sql`update invoice_outcome_count set invoices = invoices + 1`)
    await database.owner.query(sql`update invoice_range_count set invoices = invoices - 1`)
    await database.owner.query(sql`delete from invoice_cell_count`)
    expect(await findings()).not.toEqual([])
    await database.owner.query(sql`${raw(anew)}`)
    expect(await findings()).toEqual([])
    await fold()
    expect(await findings()).toEqual([])
  })
})

function outcomes() {
  return database.db.query(sql`
    select merchant_id = ${shop} as "isShop", to_char(day, 'YYYY-MM-DD') as day, state, invoices
    from invoice_outcome_count where invoices <> 0 order by 1, 2, 3`)
}
