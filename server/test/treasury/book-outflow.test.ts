/** Operators book payments whose orders the database lost. */

import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { balancesOf } from '../../src/ledger/balance.ts'
import { deleteMerchant } from '../../src/offboarding/delete-merchant.ts'
import { forgetOutflow } from '../../src/outgoing/engine/recovery/forget-outflow.ts'
import {
  insertOutflow,
  type NewOutflowPayment,
  readUnbooked,
  readUnknownOutflows,
} from '../../src/outgoing/engine/recovery/outflow-store.ts'
import { bookOutflow, unbookOutflow } from '../../src/outgoing/treasury/book-outflow.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { ledgerAccountRecords } from '../support/books/records.ts'
import { expectSoundBooks } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { useShop } from '../support/shop.ts'
import { openTill, type Till } from '../withdrawals/till.ts'

const database = useDatabase()
const shop = useShop(database)
let blocks: Blocks
let till: Till
const reason = 'the merchant says so'

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
})
beforeEach(async () => {
  till = await openTill(shop, blocks)
})
afterEach(() => expectSoundBooks(shop))

/** Stores an outflow that paid 7 USDT, or what is given, and returns the id of the payment and the transaction's hash. */
async function outflow(over: Partial<NewOutflowPayment> = {}) {
  const contract = shop.methods.byAsset('ethereum/USDT')?.contract
  const txHash = `0x${newId().replaceAll('-', '').padEnd(64, '0')}`
  await inTransaction(shop.db, (tx) =>
    insertOutflow(tx, {
      network: 'ethereum',
      txHash,
      slot: { wallet: `0x${newId().replaceAll('-', '').padEnd(40, '0')}`, nonce: 1 },
      height: 5,
      blockHash: `0x${'ab'.repeat(32)}`,
      kind: 'unknown',
      detail: '7 to somebody',
      raw: '02',
      feeMinor: 0n,
      payments: [{ contract, recipient: '0x01', amountMinor: 7_000_000n, ...over }],
    }),
  )
  const payment = (await readUnbooked(shop.db)).find((one) => one.txHash === txHash)
  return { paymentId: payment?.id ?? '', txHash }
}

const book = (paymentId: string, merchantId: string | undefined) =>
  bookOutflow(shop, { paymentId, merchantId, reason })
const forget = (txHash: string) => inTransaction(shop.db, (tx) => forgetOutflow(tx, 'ethereum', txHash))

const operator = { type: 'account', accountId: newId(), sessionId: newId(), isOperator: true } as const

/** Returns how much USDT the operator's capital is, which may be below zero. */
async function capitalMinor(): Promise<bigint> {
  const [capital] = await ledgerAccountRecords.all(shop.db, { name: 'capital', asset: 'ethereum/USDT' })
  return capital === undefined ? 0n : BigInt(capital.credits) - BigInt(capital.debits)
}

async function balances() {
  const of = async (name: 'available' | 'receivable') =>
    (await balancesOf(shop.db, [till.merchantId], name)).get(till.merchantId)?.get('ethereum/USDT') ?? 0n
  return { available: await of('available'), owed: await of('receivable') }
}

it('charges the merchant that had ordered the payment, once', async () => {
  await till.deposit(10_000_000n)
  const { paymentId } = await outflow()
  await book(paymentId, till.merchantId)
  expect(await balances()).toEqual({ available: 2_800_000n, owed: 0n })
  await expect(book(paymentId, till.merchantId)).rejects.toMatchObject({ code: 'already-attributed' })
  await expect(book(paymentId, undefined)).rejects.toMatchObject({ code: 'already-attributed' })
  expect(await balances()).toEqual({ available: 2_800_000n, owed: 0n })
  expect((await readUnbooked(shop.db)).map(({ id }) => id)).not.toContain(paymentId)
})

it('books what the merchant lacks as a debt, and repays the debt if the payment turns out to be known', async () => {
  await till.deposit(5_000_000n)
  const { paymentId, txHash } = await outflow()
  await book(paymentId, till.merchantId)
  expect(await balances()).toEqual({ available: 0n, owed: 2_150_000n })
  await forget(txHash)
  expect(await balances()).toEqual({ available: 4_850_000n, owed: 0n })
  expect((await readUnknownOutflows(shop.db)).map((one) => one.txHash)).not.toContain(txHash)
})

it('charges the capital of the operator if no merchant is named', async () => {
  await till.deposit(10_000_000n)
  const before = await capitalMinor()
  const { paymentId, txHash } = await outflow()
  await book(paymentId, undefined)
  expect(await balances()).toEqual({ available: 9_800_000n, owed: 0n })
  expect((await capitalMinor()) - before).toBe(-7_000_000n)
  await forget(txHash)
  expect(await capitalMinor()).toBe(before)
})

it('undoes the booking for a wrong merchant, and books the payment for the right one', async () => {
  await till.deposit(10_000_000n)
  const wrong = till
  const { paymentId, txHash } = await outflow()
  await book(paymentId, wrong.merchantId)
  await unbookOutflow(shop, { paymentId, reason })
  expect(await balances()).toEqual({ available: 9_800_000n, owed: 0n })
  expect((await readUnbooked(shop.db)).map(({ id }) => id)).toContain(paymentId)
  await expect(unbookOutflow(shop, { paymentId, reason })).rejects.toMatchObject({ code: 'not-found' })
  till = await openTill(shop, blocks)
  await till.deposit(10_000_000n)
  await book(paymentId, till.merchantId)
  expect(await balances()).toEqual({ available: 2_800_000n, owed: 0n })
  await forget(txHash)
  expect(await balances()).toEqual({ available: 9_800_000n, owed: 0n })
})

it('books a payment once for two operators at the same moment', async () => {
  await till.deposit(10_000_000n)
  const { paymentId, txHash } = await outflow()
  const tries = await Promise.allSettled([1, 2, 3].map(() => book(paymentId, till.merchantId)))
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await balances()).toEqual({ available: 2_800_000n, owed: 0n })
  await Promise.all([forget(txHash), forget(txHash)])
  expect(await balances()).toEqual({ available: 9_800_000n, owed: 0n })
})

it('forfeits what a merchant gets back that was deleted since the booking', async () => {
  await till.deposit(10_000_000n)
  const { paymentId, txHash } = await outflow()
  await book(paymentId, till.merchantId)
  await deleteMerchant(shop.db, { merchantId: till.merchantId, caller: operator, ifEmpty: false })
  await forget(txHash)
  expect(await balances()).toEqual({ available: 0n, owed: 0n })
  const { paymentId: second } = await outflow()
  await expect(book(second, till.merchantId)).rejects.toMatchObject({ code: 'invalid-request' })
  await book(second, undefined)
})

it('posts nothing for a token that is not accepted, and stops waiting for it', async () => {
  const { paymentId } = await outflow({ contract: `0x${'cd'.repeat(20)}` })
  await book(paymentId, till.merchantId)
  expect(await balances()).toEqual({ available: 0n, owed: 0n })
  expect((await readUnbooked(shop.db)).map(({ id }) => id)).not.toContain(paymentId)
})

it('refuses a payment and a merchant that do not exist, and changes nothing', async () => {
  await expect(book(newId(), till.merchantId)).rejects.toMatchObject({ code: 'not-found' })
  const { paymentId, txHash } = await outflow()
  await expect(book(paymentId, newId())).rejects.toMatchObject({ code: 'invalid-request' })
  expect((await readUnbooked(shop.db)).map(({ id }) => id)).toContain(paymentId)
  await forget(txHash)
})
