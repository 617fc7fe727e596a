/** Debts of merchants according to the books. */
import sql from 'sql-template-tag'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { listDebts } from '../../src/outgoing/treasury/debt-store.ts'
import type { Queryable, Statement } from '../../src/platform/db/pool.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { journalRecords } from '../support/books/records.ts'
import { expectSoundBooks, owe } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { merchantRecords } from '../support/people/records.ts'
import { containing } from '../support/records/values.ts'
import { useShop } from '../support/shop.ts'
import { openTill, type Till } from '../withdrawals/till.ts'

const database = useDatabase()
const shop = useShop(database)
let blocks: Blocks
let till: Till

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
})
beforeEach(async () => {
  till = await openTill(shop, blocks)
})
afterEach(() => expectSoundBooks(shop))

const all = { page: 1, limit: 100 }
const debtsOf = async (merchantId: string) =>
  (await listDebts(shop.db, all)).debts.filter((debt) => debt.merchantId === merchantId)

async function beganAt(merchantId: string): Promise<readonly Date[]> {
  const owed = { kind: 'receivable.owed', subject: containing(merchantId) }
  const rows = await journalRecords.all(shop.db, owed, 'subject', 'postedAt')
  return rows
    .filter(({ subject }) => subject.startsWith('owed:'))
    .map(({ postedAt }) => postedAt)
    .sort((one, other) => one.getTime() - other.getTime())
}

it('reports since when a debt exists, even if it grew and was partly repaid', async () => {
  await owe(shop, till.merchantId, 'ethereum/USDT', 50_000_000n)
  await owe(shop, till.merchantId, 'ethereum/USDT', 5_000_000n)
  await till.deposit(10_000_000n)
  const [first] = await beganAt(till.merchantId)
  expect(await debtsOf(till.merchantId)).toEqual([
    {
      merchantId: till.merchantId,
      merchantName: expect.any(String),
      asset: 'ethereum/USDT',
      amountMinor: 45_200_000n,
      since: first,
    },
  ])
})

it('removes a repaid debt; a later debt has its own start', async () => {
  await owe(shop, till.merchantId, 'ethereum/USDT', 9_800_000n)
  await till.deposit(10_000_000n)
  expect(await debtsOf(till.merchantId)).toEqual([])
  await owe(shop, till.merchantId, 'ethereum/USDT', 9_000_000n)
  const began = await beganAt(till.merchantId)
  expect(began).toHaveLength(2)
  expect(await debtsOf(till.merchantId)).toMatchObject([{ since: began[1] }])
})

it('lists debts by the names of merchants, then by asset, one page at a time', async () => {
  const named = async (name: string) => {
    const merchantId = await shop.openMerchant()
    await merchantRecords.change(database.owner, { id: merchantId }, { name })
    return merchantId
  }
  const last = await named('0 b')
  const first = await named('0 a')
  for (const merchantId of [last, first])
    for (const asset of ['ethereum/USDT', 'ethereum/ETH']) await owe(shop, merchantId, asset, 7n)
  const { total } = await listDebts(shop.db, all)
  expect(total).toBeGreaterThanOrEqual(4)
  const pages = await Promise.all([1, 2].map((page) => listDebts(shop.db, { page, limit: 2 })))
  expect(pages.map((page) => page.total)).toEqual([total, total])
  expect(pages.flatMap(({ debts }) => debts.map(({ merchantId, asset }) => [merchantId, asset]))).toEqual([
    [first, 'ethereum/ETH'],
    [first, 'ethereum/USDT'],
    [last, 'ethereum/ETH'],
    [last, 'ethereum/USDT'],
  ])
})

it('does not read the accounts of merchants that never owed anything', async () => {
  await database.owner.query(sql`
    insert into ledger_account (name, owner_id, asset)
    select name, gen_random_uuid(), 'ethereum/USDT'
    from generate_series(1, 2000), unnest(array['available', 'held']) as name`)
  await database.owner.query(sql`analyze`)
  const read: Statement[] = []
  const query = async (statement: Statement) => {
    read.push(statement)
    return []
  }
  await listDebts({ query } as unknown as Queryable, all)
  expect(read).toHaveLength(2)
  for (const { text, values } of read) {
    const plan = await shop.db.query<{ 'QUERY PLAN': string }>({ text: `explain ${text}`, values })
    const lines = plan.map((line) => line['QUERY PLAN']).join('\n')
    expect(lines).toMatch(/Index Cond: \(\(?name = 'receivable'/)
    expect(lines).not.toContain('Seq Scan on ledger_account')
  }
})
