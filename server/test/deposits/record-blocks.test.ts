import { beforeAll, describe, expect, it } from 'vitest'
import type { Transfer } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { postCovered } from '../../src/outgoing/withdrawals/post-covered.ts'
import { readFunds } from '../../src/payments/balances/read-funds.ts'
import { readPayments } from '../../src/payments/deposits/payments.ts'
import { recordBlocks } from '../../src/payments/deposits/recording/record-blocks.ts'
import { undoBlocksAbove } from '../../src/payments/deposits/recording/undo-blocks.ts'
import type { BlockDeposits } from '../../src/payments/deposits/recording/value-deposits.ts'
import { expireInvoices } from '../../src/payments/invoices/expire-invoices.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { paymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import { toDeposits, transferOf } from '../support/blocks.ts'
import { ledgerAccountRecords } from '../support/books/records.ts'
import { cursorRecords } from '../support/chains/records.ts'
import { setTipTime } from '../support/chains/tip-time.ts'
import { useDatabase } from '../support/database.ts'
import { eventsTo } from '../support/emitted-events.ts'
import {
  addressRecords,
  depositRecords,
  invoiceRecords,
  quoteRecords,
  rateRecords,
} from '../support/payments/records.ts'
import { merchantRecords } from '../support/people/records.ts'
import { fromNow, moved } from '../support/records/values.ts'
import { remacQuotes } from '../support/remac.ts'
import { useShop } from '../support/shop.ts'
import { journalsOf } from '../support/shop-readers.ts'
import { eventRecords } from '../support/webhooks/records.ts'

const database = useDatabase()
const shop = useShop(database)
const network = 'ethereum'
let height = 100
let index = 0

beforeAll(async () => {
  await cursorRecords.add(shop.db, { network, height, hash: 'tip', firstHeight: height, headHeight: height })
})

/** Books the next block with these transfers, and confirms those of the block before it. */
async function mine(transfers: readonly Transfer[] = []): Promise<void> {
  await book([await toBlock(transfers)])
}

async function book(blocks: readonly BlockDeposits[]): Promise<void> {
  await inTransaction(shop.db, (tx) => recordBlocks(shop, tx, network, blocks))
}

async function toBlock(transfers: readonly Transfer[]): Promise<BlockDeposits> {
  height += 1
  const block = { height, hash: `hash-${height}`, parentHash: `hash-${height - 1}`, minedAt: new Date() }
  return { block, deposits: await toDeposits(shop, transfers) }
}

function pay(recipient: string, amountMinor: bigint, methodId = 1): Transfer {
  index += 1
  return transferOf({ index, contract: shop.methods.byId(methodId)?.contract, recipient, amountMinor })
}

/** Makes the chain look as if all blocks up to the time `until` were booked. */
async function setBookedUntil(until: Date): Promise<void> {
  await setTipTime(shop.db, until)
}

const stateOf = (invoiceId: string) => invoiceRecords.one(shop.db, { id: invoiceId }, 'state', 'exceptions')

async function balanceOf(merchantId: string, methodId = 1): Promise<string | undefined> {
  const funds = await readFunds(shop.db, shop.methods, [merchantId])
  return funds.get(merchantId)?.find(({ paymentMethodID }) => paymentMethodID === methodId)?.balance
}

async function eventsOf(merchantId: string): Promise<string[]> {
  const rows = await eventRecords.all(shop.db, { merchantId }, 'type')
  return rows.map(({ type }) => type)
}

async function openPaidInvoice() {
  const merchantId = await shop.openMerchant()
  const invoiceId = await shop.openInvoice(merchantId)
  const { address, amountMinor } = await shop.addressFor(invoiceId)
  const payment = pay(address, amountMinor)
  await mine([payment])
  return { merchantId, invoiceId, address, payment }
}

describe('a block with a payment', () => {
  it('pays the invoice when included, and credits the amount less the fee when confirmed, once', async () => {
    const { merchantId, invoiceId } = await openPaidInvoice()
    expect(await stateOf(invoiceId)).toEqual({ state: 'paid', exceptions: [] })
    expect(await balanceOf(merchantId)).toBe('0')
    await mine()
    expect(await balanceOf(merchantId)).toBe('9.8')
    await mine()
    expect(await balanceOf(merchantId)).toBe('9.8')
    expect(await eventsOf(merchantId)).toEqual([
      'transaction.detected',
      'invoice.paid',
      'transaction.confirmed',
    ])
  })

  it('reports the completing transaction in its own currency', async () => {
    const { merchantId, invoiceId, payment } = await openPaidInvoice()
    expect(await eventsTo(shop.db, merchantId, 'invoice.paid')).toMatchObject([
      {
        type: 'invoice.paid',
        merchantID: merchantId,
        sequence: 2,
        data: { invoiceID: invoiceId, amount: '10', currency: 'USDT', txHash: payment.txHash },
      },
    ])
  })

  it('never books a transfer of the same key in two canonical blocks', async () => {
    const { payment } = await openPaidInvoice()
    await expect(mine([payment])).rejects.toThrow(/two canonical blocks/)
    height -= 1
  })

  it('credits an asset that the invoice does not offer, and leaves the invoice unpaid', async () => {
    const merchantId = await shop.openMerchant()
    const invoiceId = await shop.openInvoice(merchantId)
    const { address } = await shop.addressFor(invoiceId)
    await mine([pay(address, 20_000_000n, 2)])
    await mine()
    expect(await stateOf(invoiceId)).toEqual({ state: 'pending', exceptions: [] })
    expect(await balanceOf(merchantId, 2)).toBe('19.7')
  })

  it('keeps deposits below the minimum separate until the invoice’s sum reaches it', async () => {
    const merchantId = await shop.openMerchant()
    const invoiceId = await shop.openInvoice(merchantId)
    const { address } = await shop.addressFor(invoiceId)
    await mine([pay(address, 300_000n)])
    await mine()
    expect(await balanceOf(merchantId)).toBe('0')
    await mine([pay(address, 200_000n)])
    await mine()
    // The deposits are 0.3 and 0.2, and their fees are 0.103 and 0.102.
    expect(await balanceOf(merchantId)).toBe('0.295')
  })

  it('shows a payer the remaining amount after a partial payment', async () => {
    const merchantId = await shop.openMerchant()
    const invoiceId = await shop.openInvoice(merchantId)
    const { address } = await shop.addressFor(invoiceId)
    await mine([pay(address, 4_000_000n)])
    expect((await shop.addressFor(invoiceId)).amountMinor).toBe(6_000_000n)
    expect(await stateOf(invoiceId)).toEqual({ state: 'pending', exceptions: ['underpaid'] })
    await mine([pay(address, 6_000_000n)])
    expect(await stateOf(invoiceId)).toEqual({ state: 'paid', exceptions: [] })
  })

  it('names the payment that completed an invoice by its position in the block', async () => {
    const merchantId = await shop.openMerchant()
    const invoiceId = await shop.openInvoice(merchantId)
    const { address } = await shop.addressFor(invoiceId)
    const payments = Array.from({ length: 100 }, () => pay(address, 100_000n))
    await mine(payments)
    expect(await eventsTo(shop.db, merchantId, 'invoice.paid')).toMatchObject([
      { data: { txHash: payments.at(-1)?.txHash } },
    ])
  })

  it('values a payment after its quote at the last quote, if no price of that minute is stored', async () => {
    const merchantId = await shop.openMerchant()
    const invoiceId = await shop.openInvoice(merchantId, { methodId: 3 })
    const { address, amountMinor } = await shop.addressFor(invoiceId, 3)
    await quoteRecords.change(
      shop.db,
      { invoiceId },
      { quotedAt: fromNow('-20 minutes'), expiresAt: fromNow('-1 minute') },
    )
    await remacQuotes(shop.db)
    await rateRecords.change(shop.db, { symbol: 'ETH' }, { minute: moved('-1 day') })
    await mine([pay(address, amountMinor, 3)])
    await rateRecords.change(shop.db, { symbol: 'ETH' }, { minute: moved('1 day') })
    expect(await stateOf(invoiceId)).toEqual({ state: 'paid', exceptions: [] })
  })

  it('waits for confirmation before it pays the invoice if the merchant wants that, and does not expire it meanwhile', async () => {
    const merchantId = await shop.openMerchant()
    await merchantRecords.change(shop.db, { id: merchantId }, { paidWhen: 'confirmed' })
    const invoiceId = await shop.openInvoice(merchantId)
    const { address, amountMinor } = await shop.addressFor(invoiceId)
    await mine([pay(address, amountMinor)])
    expect(await stateOf(invoiceId)).toEqual({ state: 'pending', exceptions: [] })
    const deposits = await depositRecords.all(database.owner, {}, 'inTimeAt')
    const latest = Math.max(...deposits.map(({ inTimeAt }) => inTimeAt.getTime()))
    await invoiceRecords.change(database.owner, { id: invoiceId }, { expiresAt: new Date(latest + 1) })
    await setBookedUntil(new Date())
    expect(await expireInvoices(shop).runBatch(new AbortController().signal)).toBe(0)
    await mine()
    expect(await stateOf(invoiceId)).toEqual({ state: 'paid', exceptions: [] })
  })

  it('adds up payments in several offered assets', async () => {
    const merchantId = await shop.openMerchant()
    const invoiceId = await shop.openInvoice(merchantId, { moreMethodIds: [3] })
    const inTether = await shop.addressFor(invoiceId, 1)
    const inEther = await shop.addressFor(invoiceId, 3)
    await mine([pay(inTether.address, 5_000_000n), pay(inEther.address, inEther.amountMinor / 2n, 3)])
    expect(await stateOf(invoiceId)).toEqual({ state: 'paid', exceptions: [] })
  })

  it('records money to an unassigned address as unattributed', async () => {
    const free = required((await addressRecords.all(shop.db, { assignedAt: null })).at(-1), 'a free address')
    await mine([pay(free.address, 7_000_000n)])
    await mine()
    const { credits } = await ledgerAccountRecords.one(
      shop.db,
      { name: 'unattributed', asset: 'ethereum/USDT' },
      'credits',
    )
    expect(credits).toBe('7000000')
  })
})

describe('blocks booked together while catching up', () => {
  it('have the same result as blocks booked one by one', async () => {
    const merchants = [await shop.openMerchant(), await shop.openMerchant()]
    const outcomes = []
    for (const [index, merchantId] of merchants.entries()) {
      const invoiceId = await shop.openInvoice(merchantId)
      const { address } = await shop.addressFor(invoiceId)
      const blocks = []
      for (const amount of [300_000n, 6_000_000n, 3_700_000n, 1_000_000n, undefined, undefined]) {
        blocks.push(await toBlock(amount === undefined ? [] : [pay(address, amount)]))
      }
      if (index === 0) await book(blocks)
      else for (const block of blocks) await book([block])
      const emitted = [...(await eventsOf(merchantId))].sort()
      outcomes.push({ state: await stateOf(invoiceId), balance: await balanceOf(merchantId), emitted })
    }
    expect(outcomes[0]).toEqual(outcomes[1])
    expect(outcomes[0]).toMatchObject({ state: { state: 'paid', exceptions: ['overpaid'] } })
  })
})

describe('a reorganisation', () => {
  it('before the credit makes the payment pending without a block, and the invoice unpaid', async () => {
    const { merchantId, invoiceId } = await openPaidInvoice()
    await undo(1)
    expect(await stateOf(invoiceId)).toEqual({ state: 'pending', exceptions: [] })
    expect(await eventsOf(merchantId)).toEqual([
      'transaction.detected',
      'invoice.paid',
      'transaction.reverted',
      'invoice.reverted',
    ])
  })

  it('after the credit reverses it by a mirror journal, and credits the same transaction once when mined again', async () => {
    const { merchantId, invoiceId, payment } = await openPaidInvoice()
    await mine()
    expect(await balanceOf(merchantId)).toBe('9.8')
    await undo(2)
    expect(await balanceOf(merchantId)).toBe('0')
    await mine()
    await mine([payment])
    expect(await stateOf(invoiceId)).toEqual({ state: 'paid', exceptions: [] })
    await mine()
    expect(await balanceOf(merchantId)).toBe('9.8')
    expect(await journalsOf(shop, { merchantId, invoiceId })).toEqual([
      'deposit.credited',
      'deposit.credited.reversed',
      'deposit.credited',
    ])
    const payments = await readPayments(shop.methods, shop.db, [invoiceId], 'each')
    expect(payments.get(invoiceId)).toHaveLength(1)
  })

  it('values a transfer again that is mined again in another asset', async () => {
    const { invoiceId, payment } = await openPaidInvoice()
    await undo(1)
    await mine([{ ...payment, asset: pay('', 1n, 2).asset }])
    expect(await stateOf(invoiceId)).toEqual({ state: 'pending', exceptions: [] })
  })

  it('reverses deposits that were below the minimum and those that were lifted above it', async () => {
    const merchantId = await shop.openMerchant()
    const { address } = await shop.addressFor(await shop.openInvoice(merchantId))
    await mine([pay(address, 300_000n)])
    await mine([pay(address, 200_000n)])
    await mine()
    expect(await balanceOf(merchantId)).toBe('0.295')
    await undo(3)
    expect(await balanceOf(merchantId)).toBe('0')
    const below = await ledgerAccountRecords.all(shop.db, { ownerId: merchantId, name: 'below_minimum' })
    expect(below).not.toHaveLength(0)
    expect(below.reduce((sum, { debits, credits }) => sum + BigInt(debits) - BigInt(credits), 0n)).toBe(0n)
  })

  it('leaves a small deposit credited if only the deposit with which it reached the minimum is undone', async () => {
    const merchantId = await shop.openMerchant()
    const { address } = await shop.addressFor(await shop.openInvoice(merchantId))
    await mine([pay(address, 300_000n)])
    await mine()
    await mine([pay(address, 200_000n)])
    await mine()
    expect(await balanceOf(merchantId)).toBe('0.295')
    await undo(2)
    expect(await balanceOf(merchantId)).toBe('0.197')
    // The credited deposit counts towards the minimum of those that follow.
    await mine([pay(address, 150_000n)])
    await mine()
    expect(await balanceOf(merchantId)).toBe('0.197')
    await mine([pay(address, 50_000n)])
    await mine()
    // The fee of the deposit of 0.15 is 0.1015. The fee of the last deposit is the whole deposit.
    expect(await balanceOf(merchantId)).toBe('0.2455')
  })

  async function undo(depth: number): Promise<void> {
    height -= depth
    await inTransaction(shop.db, (tx) =>
      undoBlocksAbove({ methods: shop.methods, postCovered }, tx, network, height),
    )
  }
})

it('B17 does not confirm a large deposit by only one of two nodes, however deep, on a chain without finality', async () => {
  const tier = { uptoUsd: undefined, confirmations: 2, needsFinality: true }
  const rules = { confirmationTiers: [tier], hasFinality: false }
  const slow = shop.methods.all.map((method) => ({ ...method, ...rules }))
  const parts = { feeDefaults: shop.feeDefaults, methods: paymentMethods(slow, new Set([network])) }
  const mineWithTrust = async (hasSingleNode: boolean, transfers: readonly Transfer[] = []) => {
    const block = await toBlock(transfers)
    await inTransaction(shop.db, (tx) => recordBlocks({ ...parts, hasSingleNode }, tx, network, [block]))
  }
  const merchantId = await shop.openMerchant()
  const { address, amountMinor } = await shop.addressFor(await shop.openInvoice(merchantId))
  await mineWithTrust(true, [pay(address, amountMinor)])
  for (let blocks = 0; blocks < 3; blocks += 1) await mineWithTrust(true)
  expect(await eventsOf(merchantId)).toEqual(['transaction.detected', 'invoice.paid'])
  await mineWithTrust(false)
  expect(await eventsOf(merchantId)).toContain('transaction.confirmed')
})

it('confirms a deposit of a tier that requires finality once its block is final, whatever its depth', async () => {
  const tier = { uptoUsd: undefined, confirmations: 2, needsFinality: true }
  const slow = shop.methods.all.map((method) => ({ ...method, confirmationTiers: [tier] }))
  const parts = { feeDefaults: shop.feeDefaults, methods: paymentMethods(slow, new Set([network])) }
  const mineSlowly = async (finalHeight: number | undefined, transfers: readonly Transfer[] = []) => {
    const block = await toBlock(transfers)
    await inTransaction(shop.db, (tx) => recordBlocks({ ...parts, finalHeight }, tx, network, [block]))
  }
  const merchantId = await shop.openMerchant()
  const { address, amountMinor } = await shop.addressFor(await shop.openInvoice(merchantId))
  await mineSlowly(0, [pay(address, amountMinor)])
  const included = height
  for (let blocks = 0; blocks < 5; blocks += 1) await mineSlowly(included - 1)
  // A node that reports no final block makes none final, however deep the block is.
  for (let blocks = 0; blocks < 5; blocks += 1) await mineSlowly(undefined)
  expect(await eventsOf(merchantId)).toEqual(['transaction.detected', 'invoice.paid'])
  await mineSlowly(included)
  expect(await eventsOf(merchantId)).toContain('transaction.confirmed')
})

it('counts confirmed deposits that are not final, so that splitting a payment over blocks needs as many confirmations', async () => {
  const tiers = [
    { uptoUsd: 100n * 10n ** 8n, confirmations: 2 },
    { uptoUsd: undefined, confirmations: 5 },
  ]
  const tiered = shop.methods.all.map((method) => ({ ...method, confirmationTiers: tiers }))
  const parts = { feeDefaults: shop.feeDefaults, methods: paymentMethods(tiered, new Set([network])) }
  const mineTiered = async (...transfers: readonly Transfer[]) => {
    const block = await toBlock(transfers)
    await inTransaction(shop.db, (tx) => recordBlocks(parts, tx, network, [block]))
  }
  const merchantId = await shop.openMerchant()
  const { address } = await shop.addressFor(await shop.openInvoice(merchantId, { type: 'reusable' }))
  const confirmed = async () =>
    (await eventsOf(merchantId)).filter((type) => type === 'transaction.confirmed').length
  await mineTiered(pay(address, 60_000_000n))
  await mineTiered()
  expect(await confirmed()).toBe(1)
  await mineTiered(pay(address, 60_000_000n))
  await mineTiered()
  expect(await confirmed()).toBe(1)
  // There are five blocks now. The first has as many confirmations as the largest deposit requires, so its
  // deposit no longer counts towards the amount at stake.
  await mineTiered()
  expect(await confirmed()).toBe(2)
})
