import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { deleteMerchant } from '../../src/offboarding/delete-merchant.ts'
import { restoreMerchant } from '../../src/offboarding/restore-merchant.ts'
import { readBooks } from '../../src/outgoing/treasury/books-store.ts'
import { withdrawableMinor } from '../../src/outgoing/treasury/own-money.ts'
import { endQuarantine } from '../../src/payments/deposits/quarantine/end-quarantine.ts'
import { rescreenDeposits } from '../../src/payments/deposits/quarantine/rescreen-deposits.ts'
import type { Verdict } from '../../src/payments/screening/verdict.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { type Blocks, type ScreenedTransfer, startBlocks } from '../support/blocks.ts'
import { balancesOf } from '../support/books/balances.ts'
import { ledgerAccountRecords } from '../support/books/records.ts'
import { expectSoundBooks } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { countLockWaiters } from '../support/lock-waiters.ts'
import { depositRecords, invoiceRecords } from '../support/payments/records.ts'
import { merchantRecords } from '../support/people/records.ts'
import { fromNow } from '../support/records/values.ts'
import { type InvoiceParams, takePrices, useShop } from '../support/shop.ts'
import { eventRecords } from '../support/webhooks/records.ts'
import { settleBooks } from '../withdrawals/approvals.ts'
import { openTill } from '../withdrawals/till.ts'

const shop = useShop(useDatabase())
const caller = { type: 'account', accountId: newId(), sessionId: newId(), isOperator: false } as const
let blocks: Blocks

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
})
afterEach(() => expectSoundBooks(shop))

/** Opens a merchant with one invoice, whose payers have a given verdict of screening. */
async function openPaid(params: Partial<InvoiceParams> = {}) {
  // On a slow machine the prices of the start become too old before the last test.
  await takePrices(shop)
  const merchantId = await shop.openMerchant()
  const invoiceId = await shop.openInvoice(merchantId, params)
  const { address } = await shop.addressFor(invoiceId)
  const pay = (amountMinor: bigint, verdict: Verdict): ScreenedTransfer => ({
    ...blocks.pay(address, amountMinor),
    verdict,
  })
  return {
    merchantId,
    invoiceId,
    pay,
    /** Pays, mines the confirmations and returns the id of the deposit. */
    confirm: async (payment: ScreenedTransfer) => {
      await blocks.mine([payment])
      await blocks.mine()
      return blocks.idOf(payment)
    },
    balances: () => heldBy(merchantId),
    invoice: () => invoiceRecords.one(shop.db, { id: invoiceId }, 'state', 'amlOk'),
    events: async () =>
      (await eventRecords.all(shop.db, { merchantId }, 'type', 'body')).map(({ type, body }) => ({
        type,
        data: JSON.parse(body).data,
      })),
  }
}

/** Returns the non-zero balances by account, in millionths of a dollar. */
async function heldBy(ownerId: string): Promise<Record<string, number>> {
  const balances = await balancesOf(shop.db, ownerId)
  return Object.fromEntries(Object.entries(balances).map(([name, balance]) => [name, Number(balance)]))
}

const end = (depositId: string, outcome: 'released' | 'seized') => endQuarantine(shop, { depositId, outcome })

/** Screens held deposits again, with this verdict for every sender. */
function rescreen(verdict: Verdict): Promise<number> {
  const screening = {
    screenAll: async (_db: unknown, _network: string, senders: readonly string[]) =>
      new Map(senders.map((sender) => [sender, verdict])),
  }
  return rescreenDeposits({ db: shop.db, methods: shop.methods, screening }).runBatch(
    new AbortController().signal,
  )
}

describe('H01 a payment whose sender is listed', () => {
  it('is held in full, flagged on transaction and invoice, and reported instead of a confirmation', async () => {
    const { confirm, pay, balances, invoice, events, merchantId } = await openPaid()
    const id = await confirm(pay(10_000_000n, 'listed'))
    expect(await balances()).toEqual({ custody: 10_000_000, quarantine: 10_000_000 })
    expect(await invoice()).toEqual({ state: 'paid', amlOk: false })
    expect((await events()).map(({ type, data }) => [type, data.amlOk ?? data.reason])).toEqual([
      ['transaction.detected', false],
      ['invoice.paid', false],
      ['transaction.quarantined', 'listed'],
    ])
    const [stored] = await depositRecords.all(shop.db, { id, merchantId }, 'state', 'quarantine', 'netMinor')
    expect(stored).toEqual({ state: 'confirmed', quarantine: 'held', netMinor: null })
  })

  it('stays held if it is screened again', async () => {
    const { confirm, pay, balances } = await openPaid()
    await confirm(pay(10_000_000n, 'listed'))
    await rescreen('passed')
    expect(await balances()).toEqual({ custody: 10_000_000, quarantine: 10_000_000 })
  })

  it('does not affect other payments to the same invoice', async () => {
    const { confirm, pay, balances, invoice } = await openPaid({ type: 'reusable' })
    await blocks.mine([pay(10_000_000n, 'passed'), pay(10_000_000n, 'listed')])
    await confirm(pay(10_000_000n, 'passed'))
    expect(await balances()).toMatchObject({ quarantine: 10_000_000, available: 19_600_000, fees: 400_000 })
    expect(await invoice()).toMatchObject({ amlOk: false })
  })

  it('neither pays nor expires an invoice of a merchant who waits for confirmed money', async () => {
    const { confirm, pay, invoice, invoiceId } = await openPaid()
    await invoiceRecords.change(shop.db, { id: invoiceId }, { paidWhen: 'confirmed' })
    const id = await confirm(pay(10_000_000n, 'listed'))
    expect(await invoice()).toEqual({ state: 'pending', amlOk: false })
    await end(id, 'released')
    expect(await invoice()).toEqual({ state: 'paid', amlOk: true })
  })

  it('does not lift small payments above the minimum', async () => {
    const { confirm, pay, balances } = await openPaid({ type: 'reusable' })
    await confirm(pay(100_000n, 'passed'))
    const id = await confirm(pay(10_000_000n, 'listed'))
    expect(await balances()).toMatchObject({ below_minimum: 100_000, quarantine: 10_000_000 })
    await end(id, 'released')
    expect(await balances()).toMatchObject({ custody: 10_100_000, available: expect.any(Number) })
    expect(await balances()).not.toHaveProperty('below_minimum')
  })
})

describe('H02 a payment whose sender cannot be screened yet', () => {
  it('is held until screening passes it, then booked as if it had passed at once', async () => {
    const clean = await openPaid()
    await clean.confirm(clean.pay(10_000_000n, 'passed'))
    const { confirm, pay, balances, invoice, events } = await openPaid()
    await confirm(pay(10_000_000n, 'unknown'))
    expect(await balances()).toEqual({ custody: 10_000_000, quarantine: 10_000_000 })
    await rescreen('unknown')
    expect(await balances()).toEqual({ custody: 10_000_000, quarantine: 10_000_000 })
    await rescreen('passed')
    expect(await balances()).toEqual(await clean.balances())
    expect(await invoice()).toEqual({ state: 'paid', amlOk: true })
    expect((await events()).map(({ type }) => type)).toEqual([
      'transaction.detected',
      'invoice.paid',
      'transaction.quarantined',
      'transaction.confirmed',
    ])
    expect((await events()).at(-1)?.data).toMatchObject({ fee: '0.2', net: '9.8' })
  })

  it('is not held if the verdict comes before its confirmation', async () => {
    const { pay, balances, invoice } = await openPaid()
    await blocks.mine([pay(10_000_000n, 'unknown')])
    expect(await invoice()).toMatchObject({ amlOk: false })
    await rescreen('passed')
    expect(await invoice()).toMatchObject({ amlOk: true })
    await blocks.mine()
    expect(await balances()).toMatchObject({ available: 9_800_000 })
  })

  it('stays held if it turns out to be listed, until an operator decides', async () => {
    const { confirm, pay, balances } = await openPaid()
    const id = await confirm(pay(10_000_000n, 'unknown'))
    await rescreen('listed')
    await rescreen('passed')
    expect(await balances()).toMatchObject({ quarantine: 10_000_000 })
    expect(await end(id, 'seized')).toMatchObject({ verdict: 'listed' })
  })

  it('is released once, however many processes screen at once', async () => {
    const { confirm, pay, balances } = await openPaid({ type: 'reusable' })
    for (let count = 0; count < 3; count++) await confirm(pay(10_000_000n, 'unknown'))
    await Promise.all(Array.from({ length: 4 }, () => rescreen('passed')))
    expect(await balances()).toEqual({ available: 29_400_000, custody: 30_000_000, fees: 600_000 })
  })
})

describe('an operator', () => {
  it('releases once and seizes once, and a decision is final', async () => {
    const { confirm, pay, balances } = await openPaid({ type: 'reusable' })
    const released = await confirm(pay(10_000_000n, 'listed'))
    const seized = await confirm(pay(10_000_000n, 'listed'))
    const both = await Promise.allSettled([
      end(released, 'released'),
      end(released, 'released'),
      end(seized, 'seized'),
      end(seized, 'seized'),
    ])
    expect(both.map(({ status }) => status)).toEqual(Array(4).fill('fulfilled'))
    expect(await balances()).toEqual({
      available: 9_800_000,
      custody: 20_000_000,
      fees: 200_000,
      forfeited: 10_000_000,
    })
    await expect(end(released, 'seized')).rejects.toMatchObject({ code: 'quarantine-ended' })
    await expect(end(seized, 'released')).rejects.toMatchObject({ code: 'quarantine-ended' })
    await expect(end(newId(), 'released')).rejects.toMatchObject({ code: 'not-found' })
  })

  it.each([
    ['which are the minimum together', [300_000n, 300_000n], 600_000],
    ['of which each raises what is kept', [3_000_000n, 3_000_000n, 100_000n], 6_100_000],
  ])('releases two payments of an invoice at once, %s', async (_, amounts, together) => {
    const { merchantId, pay, balances } = await openPaid({ type: 'reusable' })
    const [first, second, ...small] = amounts
    const held = [pay(required(first, 'one'), 'listed'), pay(required(second, 'another'), 'listed')]
    await blocks.mine([...held, ...small.map((amountMinor) => pay(amountMinor, 'passed'))])
    await blocks.mine()
    const ids = await Promise.all(held.map(blocks.idOf))
    const both = await inTransaction(shop.db, async (tx) => {
      await ledgerAccountRecords.lock(tx, { ownerId: merchantId })
      const ends = ids.map((id) => end(id, 'released'))
      await vi.waitFor(async () => expect(await countLockWaiters(shop.db)).toBe(ends.length), {
        timeout: 10_000,
      })
      return { ends }
    })
    await Promise.all(both.ends)
    const { available = 0, fees = 0, ...rest } = await balances()
    expect(available + fees).toBe(together)
    expect(rest).toEqual({ custody: together })
  })

  it('releases money that first repays what the merchant owes', async () => {
    const till = await openTill(shop, blocks)
    const { address } = await shop.addressFor(await shop.openInvoice(till.merchantId))
    const payment = { ...blocks.pay(address, 10_000_000n), verdict: 'listed' as const }
    await blocks.mine([payment])
    await blocks.mine()
    await till.deposit(20_000_000n)
    const id = await till.withdraw('15')
    await till.send(id)
    await till.settle(id, 'completed')
    await till.undo(1)
    expect(await till.balances()).toMatchObject({ available: 0n, receivable: 15_000_000n })
    await end(await blocks.idOf(payment), 'released')
    expect(await till.balances()).toMatchObject({ available: 0n, receivable: 5_200_000n })
  })
})

describe('a reorganisation', () => {
  const fates = ['held', 'released', 'seized'] as const

  it.each(fates)('reverses exactly what was booked for a payment that was %s', async (fate) => {
    const { pay, confirm, balances, invoice } = await openPaid()
    const payment = pay(10_000_000n, 'listed')
    const id = await confirm(payment)
    if (fate !== 'held') await end(id, fate)
    await blocks.undo(2)
    expect(await balances()).toEqual({})
    expect(await invoice()).toEqual({ state: 'pending', amlOk: true })
    await confirm(payment)
    expect(await balances()).toEqual({ custody: 10_000_000, quarantine: 10_000_000 })
    await end(id, 'released')
    expect(await balances()).toEqual({ available: 9_800_000, custody: 10_000_000, fees: 200_000 })
  })

  it.each(fates)(
    'reverses it for a merchant that was deleted later, for a payment that was %s',
    async (fate) => {
      const { pay, confirm, balances, merchantId } = await openPaid()
      const id = await confirm(pay(10_000_000n, 'listed'))
      if (fate !== 'held') await end(id, fate)
      await deleteMerchant(shop.db, { merchantId, caller, ifEmpty: false })
      await blocks.undo(2)
      expect(await balances()).toEqual({})
    },
  )
})

describe('a merchant that is deleted', () => {
  it('forfeits its quarantine, which an operator can still release or seize', async () => {
    const { pay, confirm, balances, merchantId } = await openPaid({ type: 'reusable' })
    const first = await confirm(pay(10_000_000n, 'listed'))
    const second = await confirm(pay(20_000_000n, 'listed'))
    const third = await confirm(pay(40_000_000n, 'listed'))
    await deleteMerchant(shop.db, { merchantId, caller, ifEmpty: false })
    expect(await balances()).toEqual({ custody: 70_000_000, forfeited: 70_000_000 })
    await end(first, 'released')
    expect(await balances()).toEqual({ custody: 70_000_000, fees: 200_000, forfeited: 69_800_000 })
    await end(second, 'seized')
    await restoreMerchant({ db: shop.db, methods: shop.methods }, { merchantId })
    expect(await balances()).toEqual({
      available: 9_800_000,
      custody: 70_000_000,
      fees: 200_000,
      forfeited: 20_000_000,
      quarantine: 40_000_000,
    })
    await end(third, 'released')
    expect(await balances()).toMatchObject({ available: 49_300_000 })
  })

  it('gets no later payment, and one from a listed sender is forfeited instead of unattributed', async () => {
    const { pay, confirm, balances, merchantId } = await openPaid({ type: 'reusable' })
    await deleteMerchant(shop.db, { merchantId, caller, ifEmpty: false })
    await confirm(pay(20_000_000n, 'passed'))
    const id = await confirm(pay(10_000_000n, 'listed'))
    expect(await balances()).toEqual({ custody: 30_000_000, unattributed: 20_000_000, forfeited: 10_000_000 })
    await restoreMerchant({ db: shop.db, methods: shop.methods }, { merchantId })
    expect(await balances()).toMatchObject({ quarantine: 10_000_000 })
    await end(id, 'released')
    expect(await balances()).toMatchObject({ available: 29_500_000 })
  })

  it('owns later payments once it is restored, also one that the fee takes completely', async () => {
    const { pay, confirm, balances, merchantId } = await openPaid({ type: 'reusable' })
    await deleteMerchant(shop.db, { merchantId, caller, ifEmpty: false })
    await confirm(pay(100_000n, 'passed'))
    await restoreMerchant({ db: shop.db, methods: shop.methods }, { merchantId })
    expect(await balances()).toEqual({ custody: 100_000, fees: 100_000 })
  })
})

type Step =
  | { readonly type: 'pay'; readonly amountMinor: bigint; readonly verdict: Verdict }
  | { readonly type: 'mine' | 'rescreen' | 'delete' | 'restore' }
  | { readonly type: 'undo'; readonly depth: number }
  | { readonly type: 'end'; readonly outcome: 'released' | 'seized'; readonly pick: number }

const anyPayment: fc.Arbitrary<Step> = fc.record({
  type: fc.constant('pay'),
  amountMinor: fc.bigInt(1n, 30_000_000n),
  verdict: fc.constantFrom('passed', 'listed', 'unknown'),
})
const anyEnd: fc.Arbitrary<Step> = fc.record({
  type: fc.constant('end'),
  outcome: fc.constantFrom('released', 'seized'),
  pick: fc.nat(9),
})
const anyUndo: fc.Arbitrary<Step> = fc.record({
  type: fc.constant('undo'),
  depth: fc.integer({ min: 1, max: 3 }),
})
const anyMine: fc.Arbitrary<Step> = fc.record({ type: fc.constant('mine') })
const anyMove: fc.Arbitrary<Step> = fc.record({ type: fc.constantFrom('rescreen', 'delete', 'restore') })
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: anyPayment },
  { weight: 4, arbitrary: anyMine },
  { weight: 3, arbitrary: anyEnd },
  {
    weight: 1,
    arbitrary: anyUndo,
  },
  { weight: 1, arbitrary: anyMove },
)

describe('payments in quarantine', () => {
  it('keep the books correct after every step', async () => {
    await rescreen('listed')
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 25 }), async (steps) => {
        const { merchantId, pay } = await openPaid({ type: 'reusable' })
        let mined = 0
        for (const step of steps) {
          const depth = step.type === 'undo' ? Math.min(step.depth, mined) : 0
          await take(step, { merchantId, pay, depth })
          mined += step.type === 'pay' || step.type === 'mine' ? 1 : -depth
          await expectSoundBooks(shop)
        }
      }),
      { numRuns: 12 },
    )
  }, 180_000)
})

async function take(
  step: Step,
  at: Pick<Awaited<ReturnType<typeof openPaid>>, 'merchantId' | 'pay'> & { readonly depth: number },
): Promise<unknown> {
  const { merchantId, pay, depth } = at
  switch (step.type) {
    case 'pay':
      return blocks.mine([pay(step.amountMinor, step.verdict)])
    case 'mine':
      return blocks.mine()
    case 'undo':
      return blocks.undo(depth)
    case 'rescreen':
      return rescreen('passed')
    case 'delete':
      return deleteMerchant(shop.db, { merchantId, caller, ifEmpty: false }).catch(isDeleted)
    case 'restore':
      return restoreMerchant({ db: shop.db, methods: shop.methods }, { merchantId })
    case 'end':
      return endOne(merchantId, step.pick, step.outcome)
  }
}

function isDeleted(error: { readonly code?: string }): void {
  if (error.code !== 'not-found') throw error
}

async function endOne(merchantId: string, pick: number, outcome: 'released' | 'seized'): Promise<void> {
  const held = await depositRecords.all(shop.db, { merchantId, quarantine: 'held' }, 'id')
  const chosen = held[pick % Math.max(1, held.length)]
  if (chosen !== undefined) await end(chosen.id, outcome)
}

it('money held for a merchant that is deleted for good is not profit that an operator can withdraw', async () => {
  // Settling the books makes every block final from here on.
  await settleBooks(shop)
  const { confirm, pay, merchantId } = await openPaid()
  const takeable = async () => {
    const books = await readBooks(shop.methods, shop.db, shop.methods.all)
    const usdt = books.find(({ asset }) => asset === 'ethereum/USDT')
    return usdt === undefined ? 0n : withdrawableMinor(usdt, 'forfeited')
  }
  const before = await takeable()
  const id = await confirm(pay(10_000_000n, 'listed'))
  await deleteMerchant(shop.db, { merchantId, caller, ifEmpty: false })
  await merchantRecords.change(shop.db, { id: merchantId }, { deletedAt: fromNow('-90 days') })
  expect(await takeable()).toBe(before)
  await end(id, 'seized')
  expect(await takeable()).toBe(before + 10_000_000n)
})
