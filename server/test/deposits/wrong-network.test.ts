/** Tests payments on a network that their invoice does not offer: the invoice asks for Base, the payer uses Ethereum. */
import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startCursor } from '../../src/chains/blocks/store.ts'
import { newId } from '../../src/core/ids.ts'
import { changeMerchant } from '../../src/merchants/change-merchant.ts'
import { deleteMerchant } from '../../src/offboarding/delete-merchant.ts'
import { restoreMerchant } from '../../src/offboarding/restore-merchant.ts'
import { readDeposited } from '../../src/outgoing/sweeps/deposited-store.ts'
import { attributeMoney } from '../../src/outgoing/treasury/attribute-money.ts'
import { unattributedView } from '../../src/outgoing/treasury/view.ts'
import { showTransactions } from '../../src/payments/deposits/lists/show-transactions.ts'
import { endQuarantine } from '../../src/payments/deposits/quarantine/end-quarantine.ts'
import { recordBlocks } from '../../src/payments/deposits/recording/record-blocks.ts'
import { creditDeposit } from '../../src/payments/deposits/unattributed/credit-deposit.ts'
import { listUnattributed } from '../../src/payments/deposits/unattributed/list-store.ts'
import type { Verdict } from '../../src/payments/screening/verdict.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { paymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import { type Blocks, type ScreenedTransfer, startBlocks } from '../support/blocks.ts'
import { balancesOf } from '../support/books/balances.ts'
import { expectSoundBooks } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { invoiceRecords } from '../support/payments/records.ts'
import { auditRecords } from '../support/people/records.ts'
import { takePrices, useShop } from '../support/shop.ts'
import { eventRecords } from '../support/webhooks/records.ts'

const shop = useShop(useDatabase(), () => ({ networks: ['ethereum', 'base'] }))
const usdcOnBase = 21
const usdcOnEthereum = 2
const caller = { type: 'account', accountId: newId(), sessionId: newId(), isOperator: false } as const
let blocks: Blocks

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
  const block = { height: 1, hash: 'base-1', parentHash: 'base-0', minedAt: new Date() }
  await inTransaction(shop.db, (tx) => startCursor(tx, 'base', block))
})
afterEach(() => expectSoundBooks(shop))

/** Opens a merchant with an invoice in USDC on Base, to whose address payers send USDT on Ethereum. */
async function openAsked(methodId = usdcOnBase, moreMethodIds: readonly number[] = []) {
  await takePrices(shop)
  const merchantId = await shop.openMerchant()
  const invoiceId = await shop.openInvoice(merchantId, { methodId, moreMethodIds })
  const { address } = await shop.addressFor(invoiceId, methodId)
  return {
    merchantId,
    invoiceId,
    pay: (amountMinor: bigint, verdict?: Verdict): ScreenedTransfer => ({
      ...blocks.pay(address, amountMinor),
      ...(verdict !== undefined && { verdict }),
    }),
    credit: (depositId: string) => creditDeposit(shop, { caller, merchantId, depositId }),
    switchTo: (creditsWrongNetwork: boolean) =>
      changeMerchant(shop.db, { caller, merchantId }, { settings: { creditsWrongNetwork } }),
    balances: async () =>
      Object.fromEntries(
        Object.entries(await balancesOf(shop.db, merchantId)).map(([name, minor]) => [name, Number(minor)]),
      ),
    transactions: async () => (await showTransactions(shop.methods, shop.db, invoiceId)).transactions,
    events: async () =>
      (await eventRecords.all(shop.db, { merchantId }, 'type', 'body')).map(({ type, body }) => ({
        type,
        data: JSON.parse(body).data,
      })),
  }
}

/** Books a payment with all its confirmations and returns the id of the deposit. */
async function confirm(payment: ScreenedTransfer): Promise<string> {
  await blocks.mine([payment])
  await blocks.mine()
  return blocks.idOf(payment)
}

const refused = { code: 'transaction-not-creditable' }
const kept = { custody: 10_000_000, unattributed: 10_000_000 }
const credited = { available: 9_800_000, custody: 10_000_000, fees: 200_000 }

describe('a payment on a network that its invoice does not offer', () => {
  it('is kept for its merchant, pays no invoice, and is reported as on the wrong network', async () => {
    const { pay, balances, invoiceId, events, transactions } = await openAsked()
    await confirm(pay(10_000_000n))
    expect(await balances()).toEqual(kept)
    expect(await invoiceRecords.one(shop.db, { id: invoiceId }, 'state', 'exceptions')).toEqual({
      state: 'pending',
      exceptions: [],
    })
    expect(await events()).toMatchObject([
      { type: 'transaction.detected', data: { isWrongNetwork: true } },
      { type: 'transaction.confirmed', data: { isWrongNetwork: true, fee: null, net: null } },
    ])
    expect(await transactions()).toMatchObject([
      { isWrongNetwork: true, isCreditable: true, creditFee: '0.2', state: 'confirmed' },
    ])
  })

  it('is credited once, less its fee, with an entry in the audit log', async () => {
    const { pay, credit, balances, transactions, merchantId } = await openAsked()
    const id = await confirm(pay(10_000_000n))
    await Promise.all([credit(id), credit(id)])
    await credit(id)
    expect(await balances()).toEqual(credited)
    expect(await transactions()).toMatchObject([{ isWrongNetwork: true, isCreditable: false }])
    expect(
      await auditRecords.all(
        shop.db,
        { action: 'transaction.credited', subject: id },
        'merchantId',
        'accountId',
      ),
    ).toEqual([{ merchantId, accountId: caller.accountId }])
  })

  it('is credited at once if the merchant has chosen so, without paying the invoice', async () => {
    const { pay, credit, switchTo, balances, invoiceId, merchantId } = await openAsked()
    await switchTo(true)
    const id = await confirm(pay(10_000_000n))
    expect(await balances()).toEqual(credited)
    expect((await invoiceRecords.one(shop.db, { id: invoiceId }, 'state')).state).toBe('pending')
    await expect(credit(id)).rejects.toMatchObject(refused)
    const [entry] = await auditRecords.all(
      shop.db,
      { action: 'merchant.settings_changed', subject: merchantId },
      'details',
    )
    expect(entry?.details).toMatchObject({
      before: { creditsWrongNetwork: false },
      after: { creditsWrongNetwork: true },
    })
  })

  it('is not credited before it is confirmed, below the minimum, or for another merchant', async () => {
    const { pay, credit } = await openAsked()
    const payment = pay(10_000_000n)
    await blocks.mine([payment])
    const id = await blocks.idOf(payment)
    const message = 'The payment is not confirmed yet.'
    await expect(credit(id)).rejects.toMatchObject({ ...refused, message })
    await blocks.mine()
    await expect(credit(await confirm(pay(1n)))).rejects.toMatchObject(refused)
    const other = await openAsked()
    await expect(other.credit(id)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('is credited by an operator alone if its row of the catalogue is not creditable', async () => {
    const { pay, merchantId, switchTo, balances } = await openAsked()
    const methods = paymentMethods(
      shop.methods.all.map((method) => ({ ...method, isCreditable: method.id !== 1 })),
      new Set(['ethereum', 'base']),
    )
    await switchTo(true)
    const payment = pay(10_000_000n)
    await blocks.mine([payment])
    // The block that confirms the payment is booked by an installation with other rows in its catalogue.
    await blocks.mineWith((block) =>
      inTransaction(shop.db, (tx) =>
        recordBlocks({ methods, feeDefaults: shop.feeDefaults }, tx, 'ethereum', [{ block, deposits: [] }]),
      ),
    )
    const id = await blocks.idOf(payment)
    expect(await balances()).toEqual(kept)
    await expect(
      creditDeposit({ db: shop.db, methods }, { caller, merchantId, depositId: id }),
    ).rejects.toMatchObject(refused)
    await attributeMoney(shop, undefined, { depositId: id, merchantId })
    expect(await balances()).toEqual(credited)
  })

  it('is listed for operators with its reason, and can be swept', async () => {
    const { pay, merchantId } = await openAsked()
    const id = await confirm(pay(10_000_000n))
    const { deposits } = await listUnattributed(shop.db, { page: 1, limit: 100 })
    const views = deposits.map((one) => unattributedView(shop.methods, (_, address) => address, one))
    expect(views.find((one) => one.id === id)).toMatchObject({
      reason: 'wrong-network',
      merchantID: merchantId,
    })
    const swept = await readDeposited(shop.db, 'ethereum', 1000)
    expect(swept.filter((one) => one.merchantId === merchantId)).toMatchObject([{ amountMinor: 10_000_000n }])
  })

  it('is none of the merchant’s business any more once an operator has attributed it to another', async () => {
    const { pay, credit, balances, transactions, switchTo } = await openAsked()
    const other = await openAsked()
    const payment = pay(10_000_000n)
    const id = await confirm(payment)
    await attributeMoney(shop, undefined, { depositId: id, merchantId: other.merchantId })
    await expect(credit(id)).rejects.toMatchObject(refused)
    expect(await transactions()).toMatchObject([{ isCreditable: false }])
    // The operator's decision also outlives a reorganisation and a change of the setting.
    await switchTo(true)
    await blocks.undo(2)
    await confirm(payment)
    expect(await balances()).toEqual({ custody: 10_000_000 })
    expect(await other.balances()).toEqual({ available: 9_800_000, fees: 200_000 })
  })
})

describe('a payment in another asset on a network that its invoice offers', () => {
  it('is credited as before', async () => {
    const { pay, balances, transactions, credit } = await openAsked(usdcOnEthereum, [usdcOnBase])
    const id = await confirm(pay(10_000_000n))
    expect(await balances()).toEqual(credited)
    expect(await transactions()).toMatchObject([{ isWrongNetwork: false, isCreditable: false }])
    await expect(credit(id)).rejects.toMatchObject(refused)
  })
})

describe('a reorganisation', () => {
  it('takes the credit back with the block, and gives it again with the next one', async () => {
    const { pay, credit, balances } = await openAsked()
    const payment = pay(10_000_000n)
    const id = await confirm(payment)
    await credit(id)
    await blocks.undo(2)
    expect(await balances()).toEqual({})
    await expectSoundBooks(shop)
    await confirm(payment)
    expect(await balances()).toEqual(credited)
  })

  it('at the same time as a credit leaves sound books, whichever comes first', async () => {
    const { pay, credit, balances } = await openAsked()
    const payment = pay(10_000_000n)
    const id = await confirm(payment)
    const [outcome] = await Promise.allSettled([credit(id), blocks.undo(2)])
    expect(await balances()).toEqual({})
    await confirm(payment)
    expect(await balances()).toEqual(outcome.status === 'fulfilled' ? credited : kept)
  })
})

describe('a payment on the wrong network whose sender is listed', () => {
  it('goes to quarantine first, and is kept for its merchant after its release', async () => {
    const { pay, credit, balances, transactions } = await openAsked()
    const id = await confirm(pay(10_000_000n, 'listed'))
    expect(await balances()).toEqual({ custody: 10_000_000, quarantine: 10_000_000 })
    await expect(credit(id)).rejects.toMatchObject(refused)
    await endQuarantine(shop, { depositId: id, outcome: 'released', reason: 'cleared' })
    expect(await balances()).toEqual(kept)
    expect(await transactions()).toMatchObject([{ isCreditable: true }])
    await expectSoundBooks(shop)
    await credit(id)
    expect(await balances()).toEqual(credited)
    await blocks.undo(2)
    expect(await balances()).toEqual({})
  })

  it('can be attributed by an operator after its release', async () => {
    const { pay, balances, merchantId } = await openAsked()
    const id = await confirm(pay(10_000_000n, 'listed'))
    const attribute = () => attributeMoney(shop, undefined, { depositId: id, merchantId })
    await expect(attribute()).rejects.toMatchObject({ code: 'not-found' })
    await endQuarantine(shop, { depositId: id, outcome: 'released' })
    await attribute()
    expect(await balances()).toEqual(credited)
  })

  it('keeps an earlier credit in mind: after the release, the credit applies again', async () => {
    const { pay, credit, balances } = await openAsked()
    const payment = pay(10_000_000n)
    const id = await confirm(payment)
    await credit(id)
    await blocks.undo(2)
    await confirm({ ...payment, verdict: 'listed' })
    expect(await balances()).toEqual({ custody: 10_000_000, quarantine: 10_000_000 })
    await expectSoundBooks(shop)
    await endQuarantine(shop, { depositId: id, outcome: 'released' })
    expect(await balances()).toEqual(credited)
  })

  it('can be seized', async () => {
    const { pay, credit, balances } = await openAsked()
    const id = await confirm(pay(10_000_000n, 'listed'))
    await endQuarantine(shop, { depositId: id, outcome: 'seized' })
    await expect(credit(id)).rejects.toMatchObject(refused)
    expect(await balances()).toEqual({ custody: 10_000_000, forfeited: 10_000_000 })
  })
})

describe('a deleted merchant', () => {
  it('gets no payment on the wrong network, and decides on it after the restoration', async () => {
    const { pay, credit, balances, merchantId } = await openAsked()
    const id = await confirm(pay(10_000_000n))
    await deleteMerchant(shop.db, { caller, merchantId, ifEmpty: true })
    await expect(credit(id)).rejects.toMatchObject({ code: 'not-found' })
    await confirm(pay(10_000_000n))
    await restoreMerchant(shop, { merchantId })
    expect(await balances()).toEqual({ custody: 20_000_000, unattributed: 20_000_000 })
    await credit(id)
    expect(await balances()).toEqual({
      available: 9_800_000,
      custody: 20_000_000,
      fees: 200_000,
      unattributed: 10_000_000,
    })
  })
})

const acts = ['credit', 'mine', 'undo', 'on', 'off', 'release', 'operator', 'clean', 'listed'] as const

describe('any sequence of decisions, reorganisations and settings', () => {
  it('credits a payment at most once and keeps the books sound', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...acts), { minLength: 2, maxLength: 10 }),
        async (sequence) => {
          const { pay, credit, switchTo, balances, merchantId } = await openAsked()
          let payment = pay(10_000_000n, 'passed')
          let depth = 0
          await blocks.mine([payment])
          depth = 1
          const id = await blocks.idOf(payment)
          for (const act of sequence) {
            const mine = async () => {
              await blocks.mine(depth === 0 ? [payment] : [])
              depth += 1
            }
            const steps: Record<(typeof acts)[number], () => Promise<unknown>> = {
              credit: () => credit(id),
              mine,
              undo: async () => {
                await blocks.undo(depth)
                depth = 0
              },
              on: () => switchTo(true),
              off: () => switchTo(false),
              release: () => endQuarantine(shop, { depositId: id, outcome: 'released', reason: 'cleared' }),
              operator: () => attributeMoney(shop, undefined, { depositId: id, merchantId }),
              clean: async () => {
                payment = { ...payment, verdict: 'passed' }
              },
              listed: async () => {
                payment = { ...payment, verdict: 'listed' }
              },
            }
            await steps[act]().catch((error: Error) => {
              if (!('code' in error)) throw error
            })
          }
          await expectSoundBooks(shop)
          const { available = 0, fees = 0, custody = 0, unattributed = 0, quarantine = 0 } = await balances()
          expect(available + fees + unattributed + quarantine).toBe(custody)
          expect([0, 10_000_000]).toContain(custody)
        },
      ),
      { numRuns: 12 },
    )
  }, 120_000)
})
