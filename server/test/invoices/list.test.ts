import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import sql, { type Sql } from 'sql-template-tag'
import { beforeAll, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { invoiceCounts } from '../../src/payments/invoices/lists/count-store.ts'
import {
  type InvoiceFilter,
  isEmptyRange,
  type PagePlan,
} from '../../src/payments/invoices/lists/list-filter.ts'
import { ListSizes } from '../../src/payments/invoices/lists/list-sizes.ts'
import { type InvoicePaging, listInvoices, readPage } from '../../src/payments/invoices/lists/list-store.ts'
import { aggregateOnce } from '../../src/platform/db/aggregate.ts'
import { inTransaction, type Tx } from '../../src/platform/db/transaction.ts'
import { useDatabase } from '../support/database.ts'
import { invoiceRecords } from '../support/payments/records.ts'
import { type ModelInvoice, modelList } from './list-model.ts'

const database = useDatabase()
const plans: readonly PagePlan[] = ['ordered', 'nearest', 'merged', 'gathered']
const merchants = [newId(), newId()]
const seed = randomInt(2 ** 31)

beforeAll(async () => {
  await database.db.query(sql`
    insert into merchant (id, name) select id, 'Test' from unnest(${merchants}::uuid[]) as one (id)`)
})

/**
 * Generates a day, counted from 1 November 2025. The range is small, so that some invoices have equal times.
 */
const days = fc.integer({ min: -3, max: 120 })
const times = fc
  .tuple(days, fc.constantFrom(0, 1, 43_200_000, 86_399_999))
  .map(([day, ms]) => new Date(Date.UTC(2025, 10, 1) + day * 86_400_000 + ms))
const amounts = fc.oneof(
  fc.constantFrom(1n, 7n, 999n, 1_000n, 999_000_000n, 1_000_000_000n, 1_000_000_001n, 1_999_000_000n),
  fc.bigInt(1n, 10n ** 12n),
  fc.constant(10n ** 20n - 1n),
)
const words = fc.constantFrom(
  'lamp',
  'LAMP',
  '100%',
  'a_b',
  'back\\slash',
  "o'clock",
  'Öl',
  'Nr 4711a',
  'a & b | !c',
  'x',
)
const texts = fc.option(fc.array(words, { minLength: 1, maxLength: 3 }).map((some) => some.join(' ')))
const methodIds = fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 })

const invoices = fc.record({
  merchant: fc.constantFrom(...merchants),
  type: fc.constantFrom('onetime', 'reusable', 'collect', 'withdraw'),
  isPaid: fc.boolean(),
  usd: amounts,
  methods: methodIds,
  description: texts,
  reference: texts,
  amlOk: fc.boolean(),
  collects: fc.option(fc.constantFrom('collecting', 'sweeping', 'completed')),
  at: times,
  isArchived: fc.boolean(),
})
type GeneratedInvoice = typeof invoices extends fc.Arbitrary<infer T> ? T : never

const some = <T>(...of: T[]) => fc.subarray(of, { minLength: 1 })
const filters = fc.record(
  {
    merchantId: fc.constantFrom(...merchants),
    showArchived: fc.boolean(),
    types: some('onetime', 'reusable', 'collect', 'withdraw'),
    states: some('pending', 'paid', 'expired'),
    paymentMethodIds: fc.subarray([1, 2, 3, 4, 5]),
    amountFromUsd: amounts,
    amountToUsd: amounts,
    createdFrom: times,
    createdTo: times,
    collectStates: some('collecting', 'sweeping', 'completed'),
    amlOk: fc.boolean(),
    searchWords: fc.uniqueArray(
      fc.constantFrom('lamp', 'AMP', 'Nr', '4711A', '%', '_', 'back\\s', '\u001f', 'x', 'ö', "'", '&'),
      { minLength: 1, maxLength: 3 },
    ),
  },
  { requiredKeys: ['merchantId', 'showArchived'] },
) as fc.Arbitrary<InvoiceFilter>
const pagings: fc.Arbitrary<InvoicePaging> = fc.record({
  limit: fc.constantFrom(1, 3, 20, 1000),
  page: fc.constantFrom(1, 2, 5, 1_000_000),
  order: fc.constantFrom('asc', 'desc'),
  orderBy: fc.constantFrom('createdAt', 'amount'),
})

function insertion(generated: readonly GeneratedInvoice[]): Sql {
  const rows = generated.map((invoice) => ({
    ...invoice,
    id: newId(),
    usd: invoice.usd.toString(),
    reference: unique(invoice),
  }))
  return sql`
    insert into invoice (id, merchant_id, type, state, amount, amount_usd, payment_method_id, payment_method_ids,
      description, reference, aml_ok, collect_state, created_at, paid_at, archived_at)
    select id, merchant, type, case when "isPaid" then 'paid' else 'pending' end, '1', usd, methods[1], methods,
      description, reference, "amlOk", collects, at, case when "isPaid" then now() end,
      case when "isArchived" then now() end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (id uuid, merchant uuid, type text,
      "isPaid" boolean, usd numeric, methods integer[], description text, reference text, "amlOk" boolean,
      collects text, at timestamptz, "isArchived" boolean)`
}

const unique = ({ reference }: GeneratedInvoice) => reference && `${reference} ${newId()}`

/** Changes of invoices. Each change selects about a third of the invoices of all merchants. */
const third = sql`where hashtext(id::text) % 3 = 0`
const changes: readonly Sql[] = [
  sql`update invoice set state = 'paid', paid_at = now() ${third}`,
  sql`update invoice set state = 'expired', paid_at = null ${third} and type <> 'collect'`,
  sql`update invoice set archived_at = now() ${third} and archived_at is null`,
  sql`update invoice set archived_at = null ${third}`,
  sql`update invoice set deleted_at = now() where hashtext(id::text) % 7 = 0 and deleted_at is null`,
  sql`update invoice set deleted_at = null where hashtext(id::text) % 7 = 0`,
  sql`update invoice set aml_ok = not aml_ok ${third}`,
  sql`update invoice set collect_state = 'sweeping' ${third} and type = 'collect'`,
  sql`update invoice set payment_method_ids = '{4,1}' where hashtext(id::text) % 11 = 0`,
  sql`update invoice set created_at = created_at + interval '31 hours', amount_usd = 5 where hashtext(id::text) % 13 = 0`,
  sql`update invoice set description = description || ' lamp', exceptions = '{late}'`,
  sql`delete from invoice where hashtext(id::text) % 17 = 0`,
]

async function readAll(tx: Pick<Tx, 'query'>): Promise<readonly ModelInvoice[]> {
  return invoiceRecords.all(tx)
}

/** Compares the lists with all rows in one snapshot, even if others write meanwhile. */
async function compareIn(tx: Tx, filter: InvoiceFilter, paging: InvoicePaging, all: readonly ModelInvoice[]) {
  const expected = modelList(all, filter, paging)
  const listed = await listInvoices({ db: tx, sizes: new ListSizes() }, filter, paging)
  expect({ ids: listed.invoices.map(({ id }) => id), total: listed.total }).toEqual(expected)
  if (isEmptyRange(filter)) return
  for (const plan of plans) {
    // `merged` and `nearest` read invoices by facets, which do not contain texts. Searches therefore never
    // use these plans.
    if ((plan === 'merged' || plan === 'nearest') && filter.searchWords !== undefined) continue
    const { invoices: read, total } = await readPage(tx, filter, paging, plan)
    expect({ plan, ids: read.map(({ id }) => id), total }).toEqual({ plan, ...expected })
  }
}

async function compareAll(questions: readonly (readonly [InvoiceFilter, InvoicePaging])[]): Promise<void> {
  await inTransaction(database.db, async (tx) => {
    await tx.query(sql`set transaction isolation level repeatable read`)
    const all = await readAll(tx)
    for (const [filter, paging] of questions) await compareIn(tx, filter, paging, all)
  })
}

const aggregate = (rows: number) => inTransaction(database.db, (tx) => aggregateOnce(tx, invoiceCounts, rows))

describe(`lists of invoices agree with a simple model, seed ${seed}`, () => {
  it('for any filters, order and page, whatever happened to the invoices and however many of them are aggregated', async () => {
    const steps = fc.array(
      fc.record({
        added: fc.array(invoices, { maxLength: 40 }),
        changes: fc.subarray([...changes], { maxLength: 3 }),
        aggregated: fc.constantFrom(0, 5, 1000),
        questions: fc.array(fc.tuple(filters, pagings), { minLength: 8, maxLength: 8 }),
      }),
      { minLength: 4, maxLength: 4 },
    )
    await fc.assert(
      fc.asyncProperty(steps, async (played) => {
        for (const step of played) {
          await database.db.query(insertion(step.added))
          for (const change of step.changes) await database.db.query(change)
          if (step.aggregated > 0) await aggregate(step.aggregated)
          await compareAll(step.questions)
        }
      }),
      { seed, numRuns: 12, endOnFailure: true },
    )
  }, 120_000)

  it('while others write and aggregate', async () => {
    const samples = { seed, numRuns: 60 }
    const questions = fc.sample(fc.tuple(filters, pagings), samples)
    const added = fc.sample(fc.array(invoices, { minLength: 1, maxLength: 20 }), { seed, numRuns: 40 })
    let isOver = false
    const write = async (offset: number) => {
      for (let round = 0; !isOver; round += 1) {
        await database.db.query(insertion(required(added[(round * 2 + offset) % added.length], 'invoices')))
        await inTransaction(database.db, async (tx) => {
          // Reads all invoices before a third of them changes in the same transaction.
          await invoiceRecords.all(tx)
          await tx.query(required(changes[(round + offset) % changes.length], 'a change'))
        })
      }
    }
    const folding = async () => {
      while (!isOver) await aggregate(50)
    }
    const others = Promise.all([write(0), write(1), folding(), folding()])
    try {
      for (let from = 0; from < questions.length; from += 6) await compareAll(questions.slice(from, from + 6))
    } finally {
      isOver = true
      await others
    }
    await compareAll(questions)
    while ((await aggregate(1000)) > 0);
    await compareAll(questions)
  }, 120_000)
})
