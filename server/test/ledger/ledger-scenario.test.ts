/**
 * Triggers each event of the table in `ledger-scenario.ts` on a real chain with the real signer, and checks
 * the journals.
 */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NodeError } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { formatDecimal } from '../../src/core/money.ts'
import { credit, debit, journal } from '../../src/ledger/journal.ts'
import { post } from '../../src/ledger/post.ts'
import { deleteMerchant } from '../../src/offboarding/delete-merchant.ts'
import { attributeMoney } from '../../src/outgoing/treasury/attribute-money.ts'
import { orderTreasuryWithdrawal } from '../../src/outgoing/treasury/order-treasury-withdrawal.ts'
import type { TreasuryWithdrawalSource } from '../../src/outgoing/treasury/own-money.ts'
import { treasuryOutgoingSource } from '../../src/outgoing/treasury/treasury-outgoing-source.ts'
import { writeOffDebt } from '../../src/outgoing/treasury/write-off-debt.ts'
import { cancelWithdrawal } from '../../src/outgoing/withdrawals/cancel-withdrawal.ts'
import { createWithdrawal } from '../../src/outgoing/withdrawals/create-withdrawal.ts'
import { endQuarantine } from '../../src/payments/deposits/quarantine/end-quarantine.ts'
import { rescreenDeposits } from '../../src/payments/deposits/quarantine/rescreen-deposits.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { balancesIn } from '../support/books.ts'
import { outgoingRecords } from '../support/outgoing/records.ts'
import { addressRecords, depositRecords } from '../support/payments/records.ts'
import { screeningBy } from '../support/screening.ts'
import type { InvoiceParams } from '../support/shop.ts'
import { useWithdrawalFlow } from '../support/withdrawal-flow.ts'
import { type Event, LedgerScenario, rows } from './ledger-scenario.ts'

const cold = `0x${'c0'.repeat(20)}`
const flow = useWithdrawalFlow({ coldAddress: cold })
const { anvil } = flow
const ledgerScenario = new LedgerScenario(flow)
const caller = { type: 'account', accountId: newId(), sessionId: newId(), isOperator: false } as const
const walked = new Set<Event>()

/** Declares a test of one event in `rows`, the table of events and the accounts that they change. */
function scenario(event: Event, name: string, test: () => Promise<void>): void {
  walked.add(event)
  it(`${event}: ${name}`, test)
}

beforeAll(async () => {
  // The tokens that the hot wallets were given at the start belong to the operator.
  const asset = 'ethereum/USDT'
  const lines = [
    debit({ name: 'custody', asset }, 2n * 10n ** 12n),
    credit({ name: 'capital', asset }, 2n * 10n ** 12n),
  ]
  await inTransaction(flow.database.db, (tx) =>
    post(tx, [journal({ kind: 'capital.funded', subject: 'test:tokens', lines })]),
  )
  // The first round asks the signer for the addresses of the hot wallets.
  await (await flow.payer()).settle()
  await flow.endLeases()
  await flow.follow()
})
beforeEach(() => ledgerScenario.start())

interface Till {
  readonly merchantId: string
  readonly address: string
}

/** Opens an invoice, for a new merchant unless `ownerId` is given. */
async function open(params: Partial<InvoiceParams> = {}, ownerId?: string): Promise<Till> {
  const merchantId = ownerId ?? (await flow.shop.openMerchant())
  const invoiceId = await flow.shop.openInvoice(merchantId, params)
  const { address } = await flow.shop.addressFor(invoiceId, params.methodId)
  return { merchantId, address: address.toLowerCase() }
}

const usdt = 1_000_000n
const pay = (to: string, whole: number) =>
  anvil.sendToken({ contract: flow.usdt, to, amountMinor: BigInt(Math.round(whole * 1e6)) })

/** Opens a merchant that was credited with 9.8 USDT by a payment that is final on any chain. */
async function openPaid(): Promise<Till> {
  const till = await open()
  await pay(till.address, 10)
  await flow.mine(5)
  await ledgerScenario.start()
  return till
}

const milli = 10n ** 15n

/** Opens a merchant that is credited with 0.0495 ETH in the next two blocks. */
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

/** Orders a withdrawal of 0.04 ETH. */
async function orderCoin(merchantId: string): Promise<{ readonly id: string; readonly address: string }> {
  const id = newId()
  const address = `0x${'fa'.repeat(20)}`
  await createWithdrawal(flow.orders, caller, { id, merchantId, address, amount: '0.04', paymentMethodId: 3 })
  await flow.follow()
  return { id, address }
}

async function idOfPaymentTo(address: string): Promise<string> {
  return (await depositRecords.one(flow.shop.db, { recipient: address }, 'id')).id
}

/** Returns the network fee of this final outgoing transaction according to its receipt. */
async function feeOf(outgoingTransactionId: string): Promise<bigint> {
  const { includedTxHash } = await outgoingRecords.one(
    flow.shop.db,
    { id: outgoingTransactionId },
    'includedTxHash',
  )
  const { gasUsed, effectiveGasPrice } = await anvil.receiptOf(required(includedTxHash, 'the hash'))
  return BigInt(gasUsed) * BigInt(effectiveGasPrice)
}

const networkFee = async (outgoingTransactionId: string) => {
  const fee = `${formatDecimal(await feeOf(outgoingTransactionId), 18)} ETH`
  return { 'network fee of our own transaction': [`network-fee.paid: network_fees ${fee} / custody ${fee}`] }
}

/**
 * Returns the journals that are booked when a withdrawal of 0.04 ETH fails in a block. The merchant pays the
 * network fee, rounded up to 8 places.
 */
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

/**
 * Returns the journal that corrects a network fee. A final outgoing transaction was mined again in another
 * block, at another gas price.
 */
async function feeSetRight(outgoingTransactionId: string, bookedMinor: bigint): Promise<readonly string[]> {
  const moreMinor = (await feeOf(outgoingTransactionId)) - bookedMinor
  const fee = `${formatDecimal(moreMinor < 0n ? -moreMinor : moreMinor, 18)} ETH`
  if (moreMinor === 0n) return []
  const [to, from] = moreMinor > 0n ? ['network_fees', 'custody'] : ['custody', 'network_fees']
  return [`network-fee.corrected: ${to} ${fee} / ${from} ${fee}`]
}

const credited = 'deposit.credited: custody 10 USDT / available 9.8 USDT + fees 0.2 USDT'
const creditedCoin = 'deposit.credited: custody 0.05 ETH / available 0.0495 ETH + fees 0.0005 ETH'
const taken = 'deposit.credited.reversed: available 9.8 USDT + fees 0.2 USDT / custody 10 USDT'
const requested = 'withdrawal.requested: available 9.8 USDT / held 9.8 USDT'
const owed = 'receivable.owed: receivable 9.8 USDT / available 9.8 USDT'

/**
 * Replaces the last `depth` blocks with empty ones. Their transactions are lost unless somebody sends them
 * again.
 */
async function replaceBlocks(depth: number): Promise<void> {
  await anvil.rpc('anvil_rollback', [depth])
  await anvil.rpc('anvil_dropAllTransactions')
  await flow.mine(depth + 1)
}

const headHeight = async () => Number(await anvil.rpc('eth_blockNumber'))

describe('money in', () => {
  scenario('deposit confirmed', 'to the merchant, less the fee', async () => {
    const { address } = await open()
    await pay(address, 10)
    await flow.mine(1)
    await ledgerScenario.expectBooked({})
    await flow.mine(1)
    await ledgerScenario.expectBooked({ 'deposit confirmed': [credited] })
  })

  scenario('deposit below the method’s minimum', 'is kept apart until the sum reaches it', async () => {
    const { address } = await open({ type: 'reusable' })
    await pay(address, 0.3)
    await flow.mine(2)
    await ledgerScenario.expectBooked({
      'deposit below the method’s minimum': [
        'deposit.below_minimum: custody 0.3 USDT / below_minimum 0.3 USDT',
      ],
    })
    await pay(address, 10)
    await flow.mine(2)
    await ledgerScenario.expectBooked({
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

  scenario('sender listed, or not yet screened', 'is held apart whole', async () => {
    await payScreened(listed)
    await payScreened(unknown)
    await ledgerScenario.expectBooked({ 'sender listed, or not yet screened': [held, held] })
  })

  scenario('released / seized', 'goes to the merchant less the fee, or to nobody for good', async () => {
    const first = await payScreened(listed)
    const second = await payScreened(listed)
    await payScreened(unknown)
    await ledgerScenario.start()
    await endQuarantine(flow.shop, { depositId: first, outcome: 'released' })
    await endQuarantine(flow.shop, { depositId: second, outcome: 'seized' })
    const released = 'quarantine.released: quarantine 0.05 ETH / available 0.0495 ETH + fees 0.0005 ETH'
    await ledgerScenario.expectBooked({
      'released / seized': [released, 'quarantine.seized: quarantine 0.05 ETH / forfeited 0.05 ETH'],
    })
    await rescreenDeposits({ ...flow.shop, screening: screened(false) }).runBatch(
      new AbortController().signal,
    )
    // The release of the previous test is among the journals too.
    await ledgerScenario.expectBooked({ 'released / seized': [released, released] })
  })

  const unattributed = 'deposit.unattributed: custody 10 USDT / unattributed 10 USDT'

  scenario('deposit of a deleted merchant, an unassigned address', 'belongs to nobody we know', async () => {
    const { merchantId, address } = await open()
    await deleteMerchant(flow.shop.db, { merchantId, caller, ifEmpty: false })
    const others = await addressRecords.all(flow.shop.db, { invoiceId: null }, 'id', 'address')
    const newest = others.sort((one, other) => other.id - one.id)[0]
    const free = required(newest, 'an address').address
    for (const to of [address, free, flow.signer.keys.hotWallets[0] ?? '']) await pay(to, 10)
    await flow.mine(2)
    await ledgerScenario.expectBooked({
      'deposit of a deleted merchant, an unassigned address': [unattributed, unattributed, unattributed],
    })
  })

  scenario('operator assigns it', 'to a merchant, less its fee', async () => {
    const { merchantId } = await open()
    const hotWallet = flow.signer.keys.hotWallets[1] ?? ''
    await pay(hotWallet, 10)
    await flow.mine(2)
    await ledgerScenario.start()
    const depositId = await idOfPaymentTo(hotWallet)
    await attributeMoney(flow.shop, undefined, { depositId, merchantId })
    await ledgerScenario.expectBooked({
      'operator assigns it': [
        'attributed.merchant: unattributed 10 USDT / available 9.8 USDT + fees 0.2 USDT',
      ],
    })
  })
})

describe('money that a reorganisation reverses', () => {
  scenario('rollback of a credit', 'is booked back as its mirror', async () => {
    const { address } = await open()
    await pay(address, 10)
    await flow.mine(2)
    await ledgerScenario.start()
    await replaceBlocks(2)
    await ledgerScenario.expectBooked({ 'rollback of a credit': [taken] })
  })

  scenario('rollback of a credit', 'first cancels what was ordered and not signed', async () => {
    const { merchantId, address } = await open()
    await pay(address, 10)
    await flow.mine(2)
    const { id } = await flow.order(merchantId, { amount: '9.8' })
    await ledgerScenario.start()
    await replaceBlocks(2)
    await ledgerScenario.expectBooked({
      'rollback of a credit': [taken],
      'withdrawal failed or cancelled': ['withdrawal.cancelled: held 9.8 USDT / available 9.8 USDT'],
    })
    expect(await flow.row(id)).toMatchObject({ state: 'cancelled', tx_hash: null })
  })

  scenario(
    'rollback of a credit',
    'that was withdrawn is owed, freezes payouts, and is repaid first',
    async () => {
      const before = await headHeight()
      const { merchantId, address } = await openPaid()
      const { id, address: outside } = await flow.order(merchantId, { amount: '9.8' })
      const engine = await flow.payer()
      await flow.playOut(engine)
      expect(await flow.row(id)).toMatchObject({ state: 'completed' })
      const bookedMinor = await feeOf(id)
      await ledgerScenario.start()
      await replaceBlocks((await headHeight()) - before)
      await flow.playOut(engine)
      // The payment is lost for good. The withdrawal's bytes are mined again and pay the recipient only once.
      expect(await flow.held(outside, flow.usdt)).toBe(9_602_000n)
      await ledgerScenario.expectBooked(
        { 'rollback of a credit': [owed, taken] },
        await feeSetRight(id, bookedMinor),
      )
      expect(await balancesIn(flow.shop, merchantId)).toEqual({
        available: 0n,
        held: 0n,
        receivable: (98n * usdt) / 10n,
      })
      await openCoin({ ownerId: merchantId })
      await flow.mine(2)
      await ledgerScenario.expectBooked({ 'deposit confirmed': [creditedCoin] })
      await expect(orderCoin(merchantId)).rejects.toMatchObject({ code: 'payouts-frozen' })
      await pay(address, 5)
      await flow.mine(2)
      await ledgerScenario.expectBooked({
        'deposit confirmed': ['deposit.credited: custody 5 USDT / available 4.85 USDT + fees 0.15 USDT'],
        'rollback of a credit': ['receivable.repaid: available 4.85 USDT / receivable 4.85 USDT'],
      })
      await expect(orderCoin(merchantId)).rejects.toMatchObject({ code: 'payouts-frozen' })
      await pay(address, 10)
      await flow.mine(2)
      await ledgerScenario.expectBooked({
        'deposit confirmed': [credited],
        'rollback of a credit': ['receivable.repaid: available 4.95 USDT / receivable 4.95 USDT'],
      })
      expect(await balancesIn(flow.shop, merchantId)).toEqual({
        available: 4_850_000n,
        held: 0n,
        receivable: 0n,
      })
      const { id: freeId } = await orderCoin(merchantId)
      await cancelWithdrawal(flow.shop, caller, { merchantId, id: freeId })
    },
  )

  scenario('receivable written off', 'by the operator’s capital', async () => {
    const before = await headHeight()
    const { merchantId } = await openPaid()
    const { id } = await flow.order(merchantId, { amount: '9.8' })
    const engine = await flow.payer()
    await flow.playOut(engine)
    const bookedMinor = await feeOf(id)
    await ledgerScenario.start()
    await replaceBlocks((await headHeight()) - before)
    await flow.playOut(engine)
    await ledgerScenario.expectBooked(
      { 'rollback of a credit': [owed, taken] },
      await feeSetRight(id, bookedMinor),
    )
    await writeOffDebt(flow.shop, undefined, { id: newId(), merchantId, paymentMethodId: 1, amount: '9.8' })
    await ledgerScenario.expectBooked({
      'receivable written off': ['receivable.written_off: capital 9.8 USDT / receivable 9.8 USDT'],
    })
  })
})

describe('money out', () => {
  scenario('withdrawal requested', 'leaves what is available at once', async () => {
    const { merchantId } = await openPaid()
    const { id } = await flow.order(merchantId, { amount: '9.8' })
    await ledgerScenario.expectBooked({ 'withdrawal requested': [requested] })
    await cancelWithdrawal(flow.shop, caller, { merchantId, id })
  })

  for (const event of ['withdrawal completed', 'network fee of our own transaction'] as const) {
    scenario(
      event,
      'is booked when it is final, not before, and the books are exact all the way',
      async () => {
        const { merchantId } = await openPaid()
        const { id, address } = await flow.order(merchantId, { amount: '9.8' })
        await ledgerScenario.start()
        const engine = await flow.payer()
        await engine.settle()
        await ledgerScenario.expectBooked({})
        // The withdrawal is mined, and the engine has not polled yet.
        await flow.mine(1)
        expect(await flow.row(id)).toMatchObject({ stage: 'broadcast' })
        await ledgerScenario.expectBooked({})
        await engine.settle()
        await ledgerScenario.expectBooked({})
        await flow.playOut(engine)
        await ledgerScenario.expectBooked({
          'withdrawal completed': [
            'withdrawal.completed: held 9.8 USDT / custody 9.602 USDT + fees 0.198 USDT',
          ],
          ...(await networkFee(id)),
        })
        expect(await flow.held(address, flow.usdt)).toBe(9_602_000n)
      },
    )
  }

  scenario(
    'withdrawal failed or cancelled',
    'is available again; what failed in a block costs its fee',
    async () => {
      const { merchantId } = await openPaid()
      const { id: cancelledId } = await flow.order(merchantId, { amount: '9.8' })
      await ledgerScenario.start()
      await cancelWithdrawal(flow.shop, caller, { merchantId, id: cancelledId })
      await ledgerScenario.expectBooked({
        'withdrawal failed or cancelled': ['withdrawal.cancelled: held 9.8 USDT / available 9.8 USDT'],
      })
      const { merchantId: other } = await openCoin()
      await flow.mine(5)
      const { id, address } = await orderCoin(other)
      await ledgerScenario.start()
      const engine = await flow.payer()
      await engine.settle()
      // The code accepts no payment (PUSH0 PUSH0 REVERT). It is set after the gas estimate.
      await anvil.rpc('anvil_setCode', [address, '0x5f5ffd'])
      await flow.playOut(engine)
      expect(await flow.row(id)).toMatchObject({ state: 'failed' })
      await ledgerScenario.expectBooked({
        'withdrawal failed or cancelled': failedAt(await feeOf(id)),
        ...(await networkFee(id)),
      })
    },
  )

  scenario(
    'operator funds a wallet / takes profit',
    'in and out of the operator’s own accounts',
    async () => {
      const hotWallet = flow.signer.keys.hotWallets[0] ?? ''
      await anvil.sendCoin({ to: hotWallet, amountMinor: 3n * milli })
      await flow.mine(2)
      const { id: depositId } = await depositRecords.one(
        flow.shop.db,
        { recipient: hotWallet, asset: 'ethereum/ETH' },
        'id',
      )
      await attributeMoney(flow.shop, undefined, { depositId, merchantId: undefined })
      await ledgerScenario.expectBooked({
        'operator funds a wallet / takes profit': [
          'deposit.unattributed: custody 0.003 ETH / unattributed 0.003 ETH',
          'attributed.capital: unattributed 0.003 ETH / capital 0.003 ETH',
        ],
      })
      const takings: readonly [TreasuryWithdrawalSource, number, string][] = [
        ['capital', 3, '0.5 ETH'],
        ['fees', 1, '0.1 USDT'],
        ['forfeited', 3, '0.05 ETH'],
      ]
      const { db, methods } = flow.shop
      const parts = { db, methods, coldAddresses: new Map([['ethereum', 'a cold address']]) }
      const engine = await flow.engine({
        outgoingSources: [treasuryOutgoingSource(methods)],
        coldAddress: cold,
      })
      for (const [source, paymentMethodId, what] of takings) {
        const [amount = ''] = what.split(' ')
        const { id } = await orderTreasuryWithdrawal(parts, undefined, {
          id: newId(),
          paymentMethodId,
          source,
          amount,
        })
        await ledgerScenario.expectBooked({})
        await flow.playOut(engine)
        await ledgerScenario.expectBooked({
          'operator funds a wallet / takes profit': [
            `treasury_withdrawal.${source}: ${source} ${what} / custody ${what}`,
          ],
          ...(await networkFee(id)),
        })
      }
    },
  )
})

describe('the table', () => {
  it.each(Object.keys(rows) as Event[])(
    'has a test of "%s", and each of its accounts was booked',
    (event) => {
      expect(walked).toContain(event)
      expect(ledgerScenario.untouched(event)).toEqual([])
    },
  )
})
