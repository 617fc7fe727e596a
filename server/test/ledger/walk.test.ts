/** The ledger walked: each event of the table by what brings it about, on a real chain with the real signer. */
import sql from 'sql-template-tag'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NodeError } from '../../src/chains/port.ts'
import { newId } from '../../src/core/ids.ts'
import { formatDecimal } from '../../src/core/money.ts'
import { credit, debit, journal } from '../../src/ledger/journal.ts'
import { post } from '../../src/ledger/post.ts'
import { deleteMerchant } from '../../src/offboarding/delete-merchant.ts'
import { attributeMoney } from '../../src/outgoing/treasury/attribute-money.ts'
import { orderTakeOut } from '../../src/outgoing/treasury/order-take-out.ts'
import type { TakeOutSource } from '../../src/outgoing/treasury/own-money.ts'
import { takeOutPurpose } from '../../src/outgoing/treasury/take-out-purpose.ts'
import { writeOffDebt } from '../../src/outgoing/treasury/write-off-debt.ts'
import { cancelWithdrawal } from '../../src/outgoing/withdrawals/cancel-withdrawal.ts'
import { createWithdrawal } from '../../src/outgoing/withdrawals/create-withdrawal.ts'
import { endQuarantine } from '../../src/payments/deposits/quarantine/end-quarantine.ts'
import { rescreenDeposits } from '../../src/payments/deposits/quarantine/rescreen-deposits.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { standingIn } from '../support/books.ts'
import { screeningBy } from '../support/screening.ts'
import type { InvoiceWish } from '../support/shop.ts'
import { useWithdrawalFlow } from '../support/withdrawal-flow.ts'
import { type Event, rows, Walk } from './walk.ts'

const cold = `0x${'c0'.repeat(20)}`
const flow = useWithdrawalFlow({ coldAddress: cold })
const { anvil } = flow
const walk = new Walk(flow)
const caller = { type: 'account', accountId: newId(), sessionId: newId(), isOperator: false } as const
const walked = new Set<Event>()

/** A test of one row. */
function walks(event: Event, name: string, test: () => Promise<void>): void {
  walked.add(event)
  it(`${event}: ${name}`, test)
}

beforeAll(async () => {
  // The tokens that the lanes were dealt are the operator's.
  const asset = 'ethereum/USDT'
  const lines = [
    debit({ name: 'custody', asset }, 2n * 10n ** 12n),
    credit({ name: 'capital', asset }, 2n * 10n ** 12n),
  ]
  await inTransaction(flow.database.db, (tx) =>
    post(tx, [journal({ kind: 'capital.funded', subject: 'test:tokens', lines })]),
  )
  // Asks the signer who the lanes are.
  await (await flow.payer()).settle()
  await flow.endLeases()
  await flow.follow()
})
beforeEach(() => walk.start())

interface Till {
  readonly merchantId: string
  readonly address: string
}

/** An invoice of a new merchant unless told otherwise. */
async function open(wish: Partial<InvoiceWish> = {}, ownerId?: string): Promise<Till> {
  const merchantId = ownerId ?? (await flow.shop.openMerchant())
  const invoiceId = await flow.shop.openInvoice(merchantId, wish)
  const { address } = await flow.shop.addressFor(invoiceId, wish.methodId)
  return { merchantId, address: address.toLowerCase() }
}

const usdt = 1_000_000n
const pay = (to: string, whole: number) =>
  anvil.sendToken({ contract: flow.usdt, to, amountMinor: BigInt(Math.round(whole * 1e6)) })

/** A merchant that got 9.8 USDT by a payment that is final on any chain. */
async function openPaid(): Promise<Till> {
  const till = await open()
  await pay(till.address, 10)
  await flow.mine(5)
  await walk.start()
  return till
}

const milli = 10n ** 15n

/** A merchant that gets 0.0495 ETH by the next two blocks. */
async function openCoin({
  from,
  ownerId,
}: {
  from?: string | undefined
  ownerId?: string
} = {}): Promise<Till> {
  const till = await open({ methodId: 3 }, ownerId)
  await anvil.sendCoin({ to: till.address, amountMinor: 50n * milli, ...(from !== undefined && { from }) })
  return till
}

/** Orders 0.04 ETH. */
async function orderCoin(merchantId: string): Promise<{ readonly id: string; readonly address: string }> {
  const id = newId()
  const address = `0x${'fa'.repeat(20)}`
  await createWithdrawal(flow.orders, caller, { id, merchantId, address, amount: '0.04', paymentMethodId: 3 })
  await flow.follow()
  return { id, address }
}

async function idOfPaymentTo(address: string): Promise<string> {
  return (await flow.shop.row<{ id: string }>(sql`select id from transaction where recipient = ${address}`))
    .id
}

/** What the final payout of this id cost by its receipt. */
async function feeOf(payoutId: string): Promise<bigint> {
  const { hash } = await flow.shop.row<{ hash: string }>(
    sql`select included_tx_hash as hash from payout where id = ${payoutId}`,
  )
  const { gasUsed, effectiveGasPrice } = await anvil.receiptOf(hash)
  return BigInt(gasUsed) * BigInt(effectiveGasPrice)
}

const networkFee = async (payoutId: string) => {
  const fee = `${formatDecimal(await feeOf(payoutId), 18)} ETH`
  return { 'network fee of our own transaction': [`network-fee.paid: network_fees ${fee} / custody ${fee}`] }
}

/** What a failure in a block books of a hold of 0.04 ETH: its fee, rounded up to 8 places, is the merchant's. */
function failedAt(feeMinor: bigint): readonly string[] {
  const step = 10n ** 10n
  const chargedMinor = ((feeMinor + step - 1n) / step) * step
  const charged = `${formatDecimal(chargedMinor, 18)} ETH`
  const back = `${formatDecimal(40n * milli - chargedMinor, 18)} ETH`
  return [
    `withdrawal.failure_charged: held ${charged} / fees ${charged}`,
    `withdrawal.failed: held ${back} / available ${back}`,
  ]
}

/** Of a final payout that was mined again, at the price of another block. */
async function feeSetRight(payoutId: string, bookedMinor: bigint): Promise<readonly string[]> {
  const moreMinor = (await feeOf(payoutId)) - bookedMinor
  const fee = `${formatDecimal(moreMinor < 0n ? -moreMinor : moreMinor, 18)} ETH`
  if (moreMinor === 0n) return []
  const [to, from] = moreMinor > 0n ? ['network_fees', 'custody'] : ['custody', 'network_fees']
  return [`network-fee.corrected: ${to} ${fee} / ${from} ${fee}`]
}

const credited = 'deposit.credited: custody 10 USDT / available 9.8 USDT + fees 0.2 USDT'
const creditedCoin = 'deposit.credited: custody 0.05 ETH / available 0.0495 ETH + fees 0.0005 ETH'
const taken = 'deposit.credited.reversed: available 9.8 USDT + fees 0.2 USDT / custody 10 USDT'
const requested = 'withdrawal.requested: available 9.8 USDT / held 9.8 USDT'
const owed = 'suspense.owed: suspense 9.8 USDT / available 9.8 USDT'

/** Puts empty blocks in place of the last `depth`; what was in them is gone for good, unless someone sends it again. */
async function replaceBlocks(depth: number): Promise<void> {
  await anvil.rpc('anvil_rollback', [depth])
  await anvil.rpc('anvil_dropAllTransactions')
  await flow.mine(depth + 1)
}

const headHeight = async () => Number(await anvil.rpc('eth_blockNumber'))

describe('money in', () => {
  walks('deposit confirmed', 'to the merchant, less the fee', async () => {
    const { address } = await open()
    await pay(address, 10)
    await flow.mine(1)
    await walk.expectBooked({})
    await flow.mine(1)
    await walk.expectBooked({ 'deposit confirmed': [credited] })
  })

  walks('deposit below the method’s minimum', 'is kept apart until the sum reaches it', async () => {
    const { address } = await open({ type: 'reusable' })
    await pay(address, 0.3)
    await flow.mine(2)
    await walk.expectBooked({
      'deposit below the method’s minimum': [
        'deposit.below_minimum: custody 0.3 USDT / below_minimum 0.3 USDT',
      ],
    })
    await pay(address, 10)
    await flow.mine(2)
    await walk.expectBooked({
      'deposit confirmed': [credited],
      'deposit below the method’s minimum': [
        'deposit.raised: below_minimum 0.3 USDT / available 0.197 USDT + fees 0.103 USDT',
      ],
    })
  })

  const listed = 3
  const unknown = 4
  const screened = (isAway = true) =>
    screeningBy({
      oracle: {
        areListed: async (addresses) => {
          const isListed = addresses.map((address) => address === anvil.accounts[listed])
          if (isAway && addresses.includes(anvil.accounts[unknown] ?? '')) throw new NodeError('away')
          return isListed
        },
      },
    })
  const held = 'deposit.quarantined: custody 0.05 ETH / quarantine 0.05 ETH'
  const payScreened = async (account: number) => {
    const till = await openCoin({ from: anvil.accounts[account] })
    await anvil.mine(2)
    await flow.follow({ screening: screened() })
    return idOfPaymentTo(till.address)
  }

  walks('sender listed, or not yet screened', 'is held apart whole', async () => {
    await payScreened(listed)
    await payScreened(unknown)
    await walk.expectBooked({ 'sender listed, or not yet screened': [held, held] })
  })

  walks('released / seized', 'goes to the merchant less the fee, or to nobody for good', async () => {
    const first = await payScreened(listed)
    const second = await payScreened(listed)
    await payScreened(unknown)
    await walk.start()
    await endQuarantine(flow.shop, { transactionId: first, outcome: 'released' })
    await endQuarantine(flow.shop, { transactionId: second, outcome: 'seized' })
    const released = 'quarantine.released: quarantine 0.05 ETH / available 0.0495 ETH + fees 0.0005 ETH'
    await walk.expectBooked({
      'released / seized': [released, 'quarantine.seized: quarantine 0.05 ETH / forfeited 0.05 ETH'],
    })
    await rescreenDeposits({ ...flow.shop, screening: screened(false) }).takeAndDo(
      new AbortController().signal,
    )
    // That of the test before too.
    await walk.expectBooked({ 'released / seized': [released, released] })
  })

  const nobodys = 'deposit.unattributed: custody 10 USDT / unattributed 10 USDT'

  walks('deposit of a deleted merchant, an unassigned address', 'belongs to nobody we know', async () => {
    const { merchantId, address } = await open()
    await deleteMerchant(flow.shop.db, { merchantId, caller, ifEmpty: false })
    const { free } = await flow.shop.row<{ free: string }>(
      sql`select address as free from address where invoice_id is null order by id desc limit 1`,
    )
    for (const to of [address, free, flow.signer.keys.lanes[0] ?? '']) await pay(to, 10)
    await flow.mine(2)
    await walk.expectBooked({
      'deposit of a deleted merchant, an unassigned address': [nobodys, nobodys, nobodys],
    })
  })

  walks('operator assigns it', 'to a merchant, less its fee', async () => {
    const { merchantId } = await open()
    const lane = flow.signer.keys.lanes[1] ?? ''
    await pay(lane, 10)
    await flow.mine(2)
    await walk.start()
    const transactionId = await idOfPaymentTo(lane)
    await attributeMoney(flow.shop, undefined, { transactionId, merchantId })
    await walk.expectBooked({
      'operator assigns it': [
        'attributed.merchant: unattributed 10 USDT / available 9.8 USDT + fees 0.2 USDT',
      ],
    })
  })
})

describe('money that its chain takes back', () => {
  walks('rollback of a credit', 'is booked back as its mirror', async () => {
    const { address } = await open()
    await pay(address, 10)
    await flow.mine(2)
    await walk.start()
    await replaceBlocks(2)
    await walk.expectBooked({ 'rollback of a credit': [taken] })
  })

  walks('rollback of a credit', 'first cancels what was ordered and not signed', async () => {
    const { merchantId, address } = await open()
    await pay(address, 10)
    await flow.mine(2)
    const { id } = await flow.order(merchantId, { amount: '9.8' })
    await walk.start()
    await replaceBlocks(2)
    await walk.expectBooked({
      'rollback of a credit': [taken],
      'withdrawal failed or cancelled': ['withdrawal.cancelled: held 9.8 USDT / available 9.8 USDT'],
    })
    expect(await flow.row(id)).toMatchObject({ state: 'cancelled', tx_hash: null })
  })

  walks(
    'rollback of a credit',
    'that was withdrawn is owed, freezes payouts, and is repaid first',
    async () => {
      const before = await headHeight()
      const { merchantId, address } = await openPaid()
      const { id, address: outside } = await flow.order(merchantId, { amount: '9.8' })
      const machine = await flow.payer()
      await flow.playOut(machine)
      expect(await flow.row(id)).toMatchObject({ state: 'completed' })
      const bookedMinor = await feeOf(id)
      await walk.start()
      await replaceBlocks((await headHeight()) - before)
      await flow.playOut(machine)
      // The payment is gone for good, the withdrawal's bytes are mined again, and paid nothing twice.
      expect(await flow.held(outside, flow.usdt)).toBe(9_602_000n)
      await walk.expectBooked({ 'rollback of a credit': [owed, taken] }, await feeSetRight(id, bookedMinor))
      expect(await standingIn(flow.shop, merchantId)).toEqual({
        available: 0n,
        held: 0n,
        suspense: (98n * usdt) / 10n,
      })
      await openCoin({ ownerId: merchantId })
      await flow.mine(2)
      await walk.expectBooked({ 'deposit confirmed': [creditedCoin] })
      await expect(orderCoin(merchantId)).rejects.toMatchObject({ code: 'payouts-frozen' })
      await pay(address, 5)
      await flow.mine(2)
      await walk.expectBooked({
        'deposit confirmed': ['deposit.credited: custody 5 USDT / available 4.85 USDT + fees 0.15 USDT'],
        'rollback of a credit': ['suspense.repaid: available 4.85 USDT / suspense 4.85 USDT'],
      })
      await expect(orderCoin(merchantId)).rejects.toMatchObject({ code: 'payouts-frozen' })
      await pay(address, 10)
      await flow.mine(2)
      await walk.expectBooked({
        'deposit confirmed': [credited],
        'rollback of a credit': ['suspense.repaid: available 4.95 USDT / suspense 4.95 USDT'],
      })
      expect(await standingIn(flow.shop, merchantId)).toEqual({
        available: 4_850_000n,
        held: 0n,
        suspense: 0n,
      })
      const { id: freeId } = await orderCoin(merchantId)
      await cancelWithdrawal(flow.shop, caller, { merchantId, id: freeId })
    },
  )

  walks('suspense written off', 'by the operator’s capital', async () => {
    const before = await headHeight()
    const { merchantId } = await openPaid()
    const { id } = await flow.order(merchantId, { amount: '9.8' })
    const machine = await flow.payer()
    await flow.playOut(machine)
    const bookedMinor = await feeOf(id)
    await walk.start()
    await replaceBlocks((await headHeight()) - before)
    await flow.playOut(machine)
    await walk.expectBooked({ 'rollback of a credit': [owed, taken] }, await feeSetRight(id, bookedMinor))
    await writeOffDebt(flow.shop, undefined, { id: newId(), merchantId, paymentMethodId: 1, amount: '9.8' })
    await walk.expectBooked({
      'suspense written off': ['suspense.written_off: capital 9.8 USDT / suspense 9.8 USDT'],
    })
  })
})

describe('money out', () => {
  walks('withdrawal requested', 'leaves what is available at once', async () => {
    const { merchantId } = await openPaid()
    const { id } = await flow.order(merchantId, { amount: '9.8' })
    await walk.expectBooked({ 'withdrawal requested': [requested] })
    await cancelWithdrawal(flow.shop, caller, { merchantId, id })
  })

  for (const event of ['withdrawal completed', 'network fee of our own transaction'] as const) {
    walks(event, 'is booked when it is final, not before, and the books are exact all the way', async () => {
      const { merchantId } = await openPaid()
      const { id, address } = await flow.order(merchantId, { amount: '9.8' })
      await walk.start()
      const machine = await flow.payer()
      await machine.settle()
      await walk.expectBooked({})
      // Mined, and the machine has not looked yet.
      await flow.mine(1)
      expect(await flow.row(id)).toMatchObject({ stage: 'broadcast' })
      await walk.expectBooked({})
      await machine.settle()
      await walk.expectBooked({})
      await flow.playOut(machine)
      await walk.expectBooked({
        'withdrawal completed': [
          'withdrawal.completed: held 9.8 USDT / custody 9.602 USDT + fees 0.198 USDT',
        ],
        ...(await networkFee(id)),
      })
      expect(await flow.held(address, flow.usdt)).toBe(9_602_000n)
    })
  }

  walks(
    'withdrawal failed or cancelled',
    'is available again; what failed in a block costs its fee',
    async () => {
      const { merchantId } = await openPaid()
      const { id: cancelledId } = await flow.order(merchantId, { amount: '9.8' })
      await walk.start()
      await cancelWithdrawal(flow.shop, caller, { merchantId, id: cancelledId })
      await walk.expectBooked({
        'withdrawal failed or cancelled': ['withdrawal.cancelled: held 9.8 USDT / available 9.8 USDT'],
      })
      const { merchantId: other } = await openCoin()
      await flow.mine(5)
      const { id, address } = await orderCoin(other)
      await walk.start()
      const machine = await flow.payer()
      await machine.settle()
      // Code that takes nothing, when it is too late for the estimate: PUSH0 PUSH0 REVERT.
      await anvil.rpc('anvil_setCode', [address, '0x5f5ffd'])
      await flow.playOut(machine)
      expect(await flow.row(id)).toMatchObject({ state: 'failed' })
      await walk.expectBooked({
        'withdrawal failed or cancelled': failedAt(await feeOf(id)),
        ...(await networkFee(id)),
      })
    },
  )

  walks('operator funds a wallet / takes profit', 'in and out of the operator’s own accounts', async () => {
    const lane = flow.signer.keys.lanes[0] ?? ''
    await anvil.sendCoin({ to: lane, amountMinor: 3n * milli })
    await flow.mine(2)
    const { id: transactionId } = await flow.shop.row<{ id: string }>(
      sql`select id from transaction where recipient = ${lane} and asset = 'ethereum/ETH'`,
    )
    await attributeMoney(flow.shop, undefined, { transactionId, merchantId: undefined })
    await walk.expectBooked({
      'operator funds a wallet / takes profit': [
        'deposit.unattributed: custody 0.003 ETH / unattributed 0.003 ETH',
        'attributed.capital: unattributed 0.003 ETH / capital 0.003 ETH',
      ],
    })
    const takings: readonly [TakeOutSource, number, string][] = [
      ['capital', 3, '0.5 ETH'],
      ['fees', 1, '0.1 USDT'],
      ['forfeited', 3, '0.05 ETH'],
    ]
    const { db, methods } = flow.shop
    const parts = { db, methods, coldAddresses: new Map([['ethereum', 'a cold address']]) }
    const machine = await flow.machine({ purposes: [takeOutPurpose(methods)], coldAddress: cold })
    for (const [source, paymentMethodId, what] of takings) {
      const [amount = ''] = what.split(' ')
      const { id } = await orderTakeOut(parts, undefined, { id: newId(), paymentMethodId, source, amount })
      await walk.expectBooked({})
      await flow.playOut(machine)
      await walk.expectBooked({
        'operator funds a wallet / takes profit': [
          `taken_out.${source}: ${source} ${what} / custody ${what}`,
        ],
        ...(await networkFee(id)),
      })
    }
  })
})

describe('the table', () => {
  it.each(Object.keys(rows) as Event[])(
    'has a test of "%s", and each of its accounts was booked',
    (event) => {
      expect(walked).toContain(event)
      expect(walk.untouched(event)).toEqual([])
    },
  )
})
