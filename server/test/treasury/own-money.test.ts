/** What of the books an operator may spend or take, as reorganisations leave it. */
import { beforeAll, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { operatorMoney } from '../../src/ledger/balance.ts'
import { readBooks } from '../../src/treasury/books-store.ts'
import { takeableMinor } from '../../src/treasury/own-money.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { useDatabase } from '../support/database.ts'
import { useShop } from '../support/shop.ts'
import { settleBooks } from '../withdrawals/approvals.ts'
import { openTill } from '../withdrawals/till.ts'

const shop = useShop(useDatabase())
const asset = 'ethereum/USDT'
let blocks: Blocks

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
})

async function takeableFees(): Promise<bigint> {
  const method = required(shop.methods.byAsset(asset), asset)
  const [books] = await readBooks(shop.methods, shop.db, [method])
  return takeableMinor(required(books, 'its books'), 'fees')
}

it('fees of a deposit can be taken out once its block is final', async () => {
  const till = await openTill(shop, blocks)
  await till.deposit(100_000_000n)
  expect(await operatorMoney(shop.db, asset)).toBe(1_100_000n)
  expect(await takeableFees()).toBe(0n)
  await settleBooks(shop)
  expect(await takeableFees()).toBe(1_100_000n)
})

it('what merchants owe is not the operator’s to pay gas with', async () => {
  const till = await openTill(shop, blocks)
  await till.deposit(20_000_000n)
  const id = await till.withdraw('10')
  await till.send(id)
  await till.settle(id, 'completed')
  const before = await operatorMoney(shop.db, asset)
  await till.undo(1)
  const { suspense } = await till.standing()
  expect(suspense).toBe(10_000_000n)
  // The fee of the deposit went with it.
  expect(await operatorMoney(shop.db, asset)).toBe(before - 300_000n - suspense)
})
