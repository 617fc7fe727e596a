import { afterEach, describe, expect, it, vi } from 'vitest'
import type { FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import { required } from '../../src/core/assert.ts'
import { seenIn } from '../../src/payments/deposits/deposit.ts'
import { resumeDeposits } from '../../src/payments/deposits/pause-deposits.ts'
import { readPauses } from '../../src/payments/deposits/pause-store.ts'
import { deleteInvoice } from '../../src/payments/invoices/delete-invoice.ts'
import { expireInvoices } from '../../src/payments/invoices/expire-invoices.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { OpenInvoice } from '../support/chain-flow.ts'
import { cursorRecords } from '../support/chains/records.ts'
import { coinMethodId, useFakeFlow } from '../support/fake-flow.ts'
import { depositRecords, invoiceRecords, quoteRecords } from '../support/payments/records.ts'
import { auditRecords } from '../support/people/records.ts'
import { fromNow, moved, reversed, times } from '../support/records/values.ts'
import { remac } from '../support/remac.ts'
import { balanceOf, depositsOf, eventsOf, invoiceStatusOf, journalsOf } from '../support/shop-readers.ts'

const flow = useFakeFlow()
const { shop, chain } = flow

afterEach(async () => {
  expect(await flow.findViolations()).toEqual([])
})

/** Returns the one payment of an invoice, with where it was seen. */
async function paymentOf(invoice: OpenInvoice) {
  const [payment, ...others] = await depositsOf(shop, invoice)
  if (payment === undefined || others.length > 0) throw new Error(`${others.length + 1} payments`)
  const { state, inclusion, replacedBy } = payment
  return { state, inclusion, replacedBy, seenIn: seenIn(payment) }
}

const balance = (invoice: OpenInvoice) => balanceOf(shop, invoice, coinMethodId)

/** Returns another transaction that spends the same outpoints to another recipient. */
function rivalOf({ spends = [] }: FakeTransaction): FakeTransaction {
  return flow.payment({ address: chain.newAddress(), amountMinor: 5n }, { spends })
}

/** Opens an invoice with a payment that was seen in the mempool. */
async function seenPayment() {
  const invoice = await flow.openInvoice()
  const payment = flow.payment(invoice)
  chain.waiting.submit(payment)
  await flow.pollMempool()
  return { invoice, payment }
}

describe('a payment that waits for a block', () => {
  it('is reported once, pays and credits nothing, and keeps its row when it is mined', async () => {
    const { invoice, payment } = await seenPayment()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'pending', inclusion: 0, seenIn: 'mempool' })
    expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'pending', exceptions: [] })
    await flow.pollMempool()
    expect(await eventsOf(shop, invoice)).toEqual(['transaction.detected'])
    await flow.mineAndFollow([payment], 1)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'confirmed', inclusion: 1, seenIn: 'block' })
    expect(await eventsOf(shop, invoice)).toEqual([
      'transaction.detected',
      'invoice.paid',
      'transaction.confirmed',
    ])
    expect(await journalsOf(shop, invoice)).toEqual(['deposit.credited'])
  })

  it('counts as in time and is priced by the time it was first seen, and its invoice waits for it', async () => {
    const { invoice, payment } = await seenPayment()
    const { invoiceId } = invoice
    await depositRecords.change(flow.database.owner, { invoiceId }, { inTimeAt: moved('-2 hours') })
    const earlier = { quotedAt: moved('-3 hours'), expiresAt: moved('-3 hours') }
    await quoteRecords.change(flow.database.owner, { invoiceId }, earlier)
    await invoiceRecords.change(
      flow.database.owner,
      { id: invoiceId },
      { createdAt: moved('-3 hours'), expiresAt: fromNow('-1 hour') },
    )
    await remac(flow.database.owner)
    chain.mine([], new Date())
    await flow.follow()
    await expireAll()
    expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'pending', exceptions: [] })
    await flow.mineAndFollow([payment])
    expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
  })

  it.each([
    ['keeps the price of when it was first seen', 71],
    ['has the price of its block', 73],
  ])('%s when it is mined %i hours after that', async (_which, hours) => {
    const { invoice, payment } = await seenPayment()
    const [{ priceUsd = 0n } = {}] = await depositsOf(shop, invoice)
    // The coin was worth twice as much at that time, and the quote expired long ago.
    const { invoiceId } = invoice
    await quoteRecords.change(
      flow.database.owner,
      { invoiceId },
      { quotedAt: fromNow('-80 hours'), expiresAt: fromNow('-79 hours') },
    )
    const seenAt = fromNow(`${-hours} hours`)
    await depositRecords.change(
      flow.database.owner,
      { invoiceId },
      { fullMinor: times(0.5), price: times(2), firstSeenAt: seenAt, inTimeAt: seenAt },
    )
    await remac(flow.database.owner)
    await flow.mineAndFollow([payment])
    const [mined] = await depositsOf(shop, invoice)
    expect(mined?.priceUsd).toBe(hours < 72 ? priceUsd * 2n : priceUsd)
    expect(mined?.fullMinor).toBe(hours < 72 ? invoice.amountMinor / 2n : invoice.amountMinor)
    expect(mined?.inTimeAt, 'in time by when it was seen').toEqual(mined?.firstSeenAt)
  })

  it('B09 stays pending and unseen when it is evicted, and is credited if it is mined later', async () => {
    const { invoice, payment } = await seenPayment()
    chain.waiting.evict(payment.hash)
    await flow.pollMempool()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'pending', seenIn: 'nowhere' })
    chain.waiting.submit(payment)
    await flow.pollMempool()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'pending', seenIn: 'mempool' })
    chain.waiting.evict(payment.hash)
    await flow.pollMempool()
    await flow.mineAndFollow([payment], 1)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'confirmed', seenIn: 'block' })
    expect(await eventsOf(shop, invoice)).toEqual([
      'transaction.detected',
      'invoice.paid',
      'transaction.confirmed',
    ])
  })

  it('prevents the deletion of its invoice until it was in no mempool for 72 hours', async () => {
    const { invoice, payment } = await seenPayment()
    await expect(deleteIt(invoice)).rejects.toMatchObject({ code: 'payment-under-way' })
    chain.waiting.evict(payment.hash)
    await flow.pollMempool()
    await expect(deleteIt(invoice)).rejects.toMatchObject({ code: 'payment-under-way' })
    await depositRecords.change(
      flow.database.owner,
      { invoiceId: invoice.invoiceId },
      { unseenSince: fromNow('-73 hours') },
    )
    await deleteIt(invoice)
  })

  it('does not count as evicted while the books are behind the node, and is polled again afterwards', async () => {
    const { invoice, payment } = await seenPayment()
    chain.mine([payment], new Date())
    await flow.pollMempool()
    expect(await paymentOf(invoice)).toMatchObject({ seenIn: 'mempool' })
    await flow.follow()
    expect(await paymentOf(invoice)).toMatchObject({ seenIn: 'block' })
  })
})

describe('a mempool with many transactions', () => {
  it('is read once while it is unchanged, in limited batches, and again after a restart', async () => {
    const strangers = Array.from({ length: 2_500 }, () =>
      flow.payment({ address: chain.newAddress(), amountMinor: 5n }),
    )
    for (const one of strangers) chain.waiting.submit(one)
    const { payment, invoice } = await paymentAmong()
    const reads = vi.spyOn(required(flow.reader.mempool, 'the mempool'), 'readWaiting')
    const asked = () => reads.mock.calls.flatMap(([txHashes]) => txHashes)
    await flow.pollNew()
    expect(asked().length).toBe(chain.waiting.hashes.length)
    expect(Math.max(...reads.mock.calls.map(([txHashes]) => txHashes.length))).toBeLessThanOrEqual(100)
    expect(await paymentOf(invoice)).toMatchObject({ seenIn: 'mempool' })
    reads.mockClear()
    await flow.pollNew()
    expect(asked()).toEqual([])
    chain.waiting.evict(payment.hash)
    await flow.pollNew()
    chain.waiting.submit(payment)
    await flow.pollNew()
    expect(asked()).toEqual([payment.hash])
    reads.mockClear()
    await flow.pollMempool()
    expect(asked().length).toBe(chain.waiting.hashes.length)
    reads.mockRestore()
    for (const { hash } of strangers) chain.waiting.evict(hash)
  })

  it('is ignored if the books have advanced since it was listed', async () => {
    const { invoice } = await paymentAmong()
    const { owner } = flow.database
    const mempool = required(flow.reader.mempool, 'the mempool')
    const { readAncestors } = mempool
    const reads = vi.spyOn(mempool, 'readAncestors').mockImplementationOnce(async (...asked) => {
      await cursorRecords.change(owner, {}, { hash: reversed })
      return readAncestors(...asked)
    })
    await flow.pollOnce()
    reads.mockRestore()
    await cursorRecords.change(owner, {}, { hash: reversed })
    expect(await depositsOf(shop, invoice)).toEqual([])
    await flow.pollMempool()
    expect(await paymentOf(invoice)).toMatchObject({ seenIn: 'mempool' })
  })

  async function paymentAmong() {
    const invoice = await flow.openInvoice()
    const payment = flow.payment(invoice)
    chain.waiting.submit(payment)
    return { invoice, payment }
  }
})

async function expireAll(): Promise<void> {
  const { db, methods, paymentsOf } = shop
  const worker = expireInvoices({ db, methods, paymentsOf })
  while ((await worker.runBatch(new AbortController().signal)) > 0);
}

function deleteIt({ merchantId, invoiceId }: OpenInvoice): Promise<void> {
  const { db, methods, paymentsOf } = shop
  return deleteInvoice(
    { db, methods, paymentsOf },
    { merchantId, invoiceId, caller: { type: 'key', merchantId } },
  )
}

describe('a sender who fills the mempool', () => {
  afterEach(() => {
    for (const hash of chain.waiting.hashes) chain.waiting.evict(hash)
  })

  it('cannot enlarge a batch by the number of inputs, and is polled to the end', async () => {
    const invoice = await flow.openInvoice()
    for (const _ of Array.from({ length: 12 })) {
      const spends = Array.from({ length: 1_000 }, () => chain.newOutpoint())
      chain.waiting.submit(flow.payment(invoice, { spends }))
    }
    expect(await flow.pollMempool()).toEqual([7, 2, 0])
    expect(await depositsOf(shop, invoice)).toHaveLength(12)
  })

  it('cannot enlarge a batch by the number of outputs to us', async () => {
    const invoice = await flow.openInvoice()
    for (const _ of Array.from({ length: 3 })) {
      chain.waiting.submit(flow.payments(invoice, 300))
    }
    expect(await flow.pollMempool()).toEqual([1, 0])
    expect(await depositsOf(shop, invoice)).toHaveLength(900)
  })
})

describe('a double-spent payment', () => {
  it('B01 is replaced by an unconfirmed transaction, and fails once that one is final', async () => {
    const { invoice, payment } = await seenPayment()
    const rival = rivalOf(payment)
    chain.waiting.submit(rival)
    await flow.pollMempool()
    const replaced = { inclusion: 0, replacedBy: rival.hash, seenIn: 'nowhere' }
    expect(await paymentOf(invoice)).toEqual({ state: 'pending', ...replaced })
    await flow.mineAndFollow([rival])
    expect(await paymentOf(invoice)).toEqual({ state: 'pending', ...replaced })
    await flow.mineAndFollow()
    expect(await paymentOf(invoice)).toEqual({ state: 'failed', ...replaced })
    expect(await eventsOf(shop, invoice)).toEqual(['transaction.detected', 'transaction.failed'])
    expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'pending', exceptions: [] })
    expect(await journalsOf(shop, invoice)).toEqual([])
  })

  it('B02 is replaced by a transaction that was in no mempool', async () => {
    const { invoice, payment } = await seenPayment()
    const rival = rivalOf(payment)
    await flow.mineAndFollow([rival], 1)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'failed', replacedBy: rival.hash })
  })

  it('B06 is credited once, in the form that was mined, if its hash was changed before', async () => {
    const { invoice, payment } = await seenPayment()
    const altered = flow.payment(invoice, { spends: payment.spends ?? [] })
    await flow.mineAndFollow([altered], 1)
    expect(await depositsOf(shop, invoice)).toMatchObject([
      { txHash: altered.hash, state: 'confirmed' },
      { txHash: payment.hash, state: 'failed', replacedBy: altered.hash },
    ])
    expect(await journalsOf(shop, invoice)).toEqual(['deposit.credited'])
    expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
  })

  it('B10 is replaced when its parent is replaced', async () => {
    const invoice = await flow.openInvoice()
    const root = flow.payment({ address: chain.newAddress(), amountMinor: 5n })
    const ancestors = [root]
    for (const _ of Array.from({ length: 23 })) {
      const spends = [`${ancestors.at(-1)?.hash}:0`]
      ancestors.push(flow.payment({ address: chain.newAddress(), amountMinor: 5n }, { spends }))
    }
    const payment = flow.payment(invoice, { spends: [`${ancestors.at(-1)?.hash}:0`] })
    for (const one of [...ancestors, payment]) chain.waiting.submit(one)
    await flow.pollMempool()
    expect(await paymentOf(invoice)).toMatchObject({ seenIn: 'mempool' })
    const rival = rivalOf(root)
    chain.waiting.submit(rival)
    await flow.pollMempool()
    expect(await paymentOf(invoice)).toMatchObject({ seenIn: 'nowhere', replacedBy: rival.hash })
    await flow.mineAndFollow([rival], 1)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'failed', replacedBy: rival.hash })
  })

  it('stays valid when its parent is mined before it', async () => {
    const invoice = await flow.openInvoice()
    const parent = flow.payment({ address: chain.newAddress(), amountMinor: 5n })
    const payment = flow.payment(invoice, { spends: [`${parent.hash}:0`] })
    for (const one of [parent, payment]) chain.waiting.submit(one)
    await flow.pollMempool()
    await flow.mineAndFollow([parent], 1)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'pending', replacedBy: undefined })
    await flow.mineAndFollow([payment], 1)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'confirmed' })
  })

  it('is unconfirmed again when a reorganisation drops the other, even a final one, each time', async () => {
    const { invoice, payment } = await seenPayment()
    const rival = rivalOf(payment)
    await flow.mineAndFollow([rival], 1)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'failed' })
    chain.rollback(2)
    await flow.mineAndFollow([], 2)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'pending', replacedBy: undefined })
    await flow.mineAndFollow([rival], 1)
    chain.rollback(2)
    await flow.mineAndFollow([payment], 2)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'confirmed', inclusion: 1 })
    expect(await eventsOf(shop, invoice)).toEqual([
      'transaction.detected',
      'transaction.failed',
      'transaction.reverted',
      'transaction.failed',
      'transaction.reverted',
      'invoice.paid',
      'transaction.confirmed',
    ])
  })

  it('A17 fails when a reorganisation replaces it by a double spend', async () => {
    const invoice = await flow.openInvoice()
    const payment = flow.payment(invoice)
    await flow.mineAndFollow([payment], 1)
    expect(await balance(invoice)).not.toBe('0')
    chain.rollback(2)
    const rival = rivalOf(payment)
    await flow.mineAndFollow([rival], 2)
    expect(await balance(invoice)).toBe('0')
    expect(await paymentOf(invoice)).toMatchObject({ state: 'failed', replacedBy: rival.hash, inclusion: 1 })
    expect(await eventsOf(shop, invoice)).toEqual([
      'transaction.detected',
      'invoice.paid',
      'transaction.confirmed',
      'transaction.reverted',
      'invoice.reverted',
      'transaction.failed',
    ])
  })
})

describe('a rule of the chain itself', () => {
  it('B08 credits a coinbase only when it can be spent, although its tier needs fewer confirmations', async () => {
    const invoice = await flow.openInvoice()
    const coinbase = flow.payment(invoice, { spends: [], maturesAfter: 100 })
    await flow.mineAndFollow([coinbase], 98)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'pending' })
    expect(await balance(invoice)).toBe('0')
    await flow.mineAndFollow()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'confirmed' })
  })
})

describe('a deep reorganisation', () => {
  it('pauses credits until the chain has grown twice as far, while payments are still seen and reported', async () => {
    await flow.mineAndFollow([], 13)
    chain.rollback(13)
    await flow.mineAndFollow([], 13)
    const { height } = chain.head
    expect(await readPauses(shop.db)).toMatchObject([{ depth: 13, untilHeight: height - 14 + 26 }])
    const invoice = await flow.openInvoice()
    await flow.mineAndFollow([flow.payment(invoice)], 10)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'pending', seenIn: 'block' })
    expect(await invoiceStatusOf(shop, invoice)).toMatchObject({ state: 'paid' })
    await flow.mineAndFollow()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'confirmed' })
    expect(await readPauses(shop.db)).toEqual([])
  })

  it('ends when an operator says so, which is recorded', async () => {
    await flow.mineAndFollow([], 5)
    chain.rollback(5)
    await flow.mineAndFollow([], 5)
    const invoice = await flow.openInvoice()
    await flow.mineAndFollow([flow.payment(invoice)], 1)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'pending' })
    const resume = () =>
      inTransaction(shop.db, (tx) => resumeDeposits(tx, 'ethereum', { reason: 'looked at' }))
    expect(await resume()).toBe(true)
    expect(await resume()).toBe(false)
    await flow.mineAndFollow()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'confirmed' })
    const { details } = await auditRecords.one(shop.db, { action: 'deposits.resumed' }, 'details')
    expect(details).toEqual({ reason: 'looked at' })
  })
})
