/**
 * Tests withdrawals whose rows somebody changes who can write to the database. Each ends as it was ordered, its
 * own merchant receives each event once, and the change is recorded as tampering.
 */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import type {
  IntendedOutgoingTransaction,
  OutgoingMove,
  Proposal,
} from '../../src/outgoing/engine/outgoing-source.ts'
import { rejectWithdrawal } from '../../src/outgoing/withdrawals/approvals/decide-withdrawal.ts'
import { readNewTamperings } from '../../src/platform/audit/tampering-store.ts'
import type { Intent, Payment } from '../../src/signing/intent.ts'
import { paymentMac } from '../../src/signing/payment-mac.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { breakHold, forgeEnd } from '../support/books/forged-holds.ts'
import { ledgerAccountRecords } from '../support/books/records.ts'
import { useDatabase } from '../support/database.ts'
import { outgoingRecords, withdrawalRecords } from '../support/outgoing/records.ts'
import { invoiceRecords } from '../support/payments/records.ts'
import { now } from '../support/records/values.ts'
import { useShop } from '../support/shop.ts'
import {
  type Approvals,
  inclusionOf,
  intentKey,
  network,
  openApprovals,
  outgoingTransactionOf,
  paymentOf,
  sealAll,
  settleBooks,
} from './approvals.ts'
import { openTill, type Till } from './till.ts'

const database = useDatabase()
const shop = useShop(database)
let blocks: Blocks
let till: Till
let approvals: Approvals

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
})

beforeEach(async () => {
  till = await openTill(shop, blocks)
  await till.deposit(100_000_000n)
  await settleBooks(shop)
  approvals = await openApprovals(shop)
})

/** Returns a withdrawal of 10 USDT that is proposed to payouts. */
async function proposed(): Promise<Proposal> {
  const id = await till.withdraw('10')
  await sealAll(shop)
  await approvals.approve()
  return required(
    (await approvals.propose()).find((one) => one.id === id),
    'the proposal',
  )
}

/** Returns a proposal whose transaction is signed. */
async function signed(): Promise<Proposal> {
  const proposal = await proposed()
  const outgoingTransaction = outgoingTransactionOf(proposal)
  await approvals.notify({ outgoingTransaction, to: 'planned' }, { outgoingTransaction, to: 'signed' })
  return proposal
}

/** Returns a proposal whose transaction was sent. */
async function sent(): Promise<Proposal> {
  const proposal = await signed()
  await broadcast(proposal)
  return proposal
}

async function broadcast(proposal: Proposal): Promise<void> {
  await approvals.notify({
    outgoingTransaction: outgoingTransactionOf(proposal),
    to: 'broadcast',
    txHash: '0x1',
  })
}

async function complete(proposal: Proposal): Promise<void> {
  const outgoingTransaction = outgoingTransactionOf(proposal, 'broadcast')
  await approvals.notify({ outgoingTransaction, to: 'final', inclusion: inclusionOf('0x1') })
}

/** Reports a transaction that the log of the signer contains, but not the database. */
async function adopt(proposal: Proposal): Promise<void> {
  const outgoingTransaction = outgoingTransactionOf(proposal, 'signed')
  await approvals.notify({ outgoingTransaction, to: 'planned' }, { outgoingTransaction, to: 'signed' })
}

function set(id: string, change: Parameters<typeof withdrawalRecords.change>[2]): Promise<number> {
  return withdrawalRecords.change(shop.db, { id }, change)
}

/** Returns what was recorded about a withdrawal: the subjects without its id. */
async function tamperedOf({ id }: { readonly id: string }): Promise<readonly string[]> {
  const subjects = (await readNewTamperings(shop.db)).map(({ subject }) => subject)
  return subjects
    .filter((subject) => subject.endsWith(` ${id}`))
    .map((subject) => subject.slice(0, -id.length - 1))
}

const typesOf = async () => (await till.events()).map(({ type }) => type)
const completedEvents = ['withdrawal.broadcast', 'withdrawal.completed']
const heldBalances = { available: 88_900_000n, held: 10_000_000n, receivable: 0n }
const paidBalances = { available: 88_900_000n, held: 0n, receivable: 0n }
const returnedBalances = { available: 98_900_000n, held: 0n, receivable: 0n }
const orderedData = {
  amount: '10',
  fee: '0.2',
  net: '9.8',
  currency: 'USDT',
  paymentMethodID: 1,
  invoiceID: null,
}

describe('a withdrawal whose row is changed while its transaction is on its way', () => {
  const changes: readonly [string, (id: string) => Promise<unknown>][] = [
    ['a higher amount', (id) => set(id, { amountMinor: '50000000', amount: '50' })],
    ['a lower amount', (id) => set(id, { amountMinor: '5000000', amount: '5' })],
    ['no fee', (id) => set(id, { feeMinor: '0' })],
    ['another address', (id) => set(id, { address: `0x${'7e'.repeat(20)}` })],
    ['another asset', (id) => set(id, { asset: 'ethereum/ETH' })],
    ['another payment method', (id) => set(id, { paymentMethodId: 2 })],
    ['an unknown payment method', (id) => set(id, { paymentMethodId: 999 })],
    ['another merchant', async (id) => set(id, { merchantId: await shop.openMerchant() })],
    [
      'a claim',
      async (id) => {
        const invoiceId = await shop.openInvoice(till.merchantId, { type: 'withdraw' })
        return set(id, { invoiceId })
      },
    ],
    ['a second hold', (id) => set(id, { retakenAt: now })],
  ]
  const ends: readonly [string, (sent: IntendedOutgoingTransaction) => OutgoingMove, typeof paidBalances][] =
    [
      [
        'completes',
        (outgoingTransaction) => ({ outgoingTransaction, to: 'final', inclusion: inclusionOf('0x1') }),
        paidBalances,
      ],
      [
        'fails on the chain',
        (outgoingTransaction) => ({ outgoingTransaction, to: 'final', inclusion: inclusionOf('0x1', false) }),
        returnedBalances,
      ],
      ['is replaced', (outgoingTransaction) => ({ outgoingTransaction, to: 'conflicted' }), returnedBalances],
    ]
  it.each(ends.flatMap((end) => changes.map((change) => [change[0], ...end, change[1]] as const)))(
    'to %s %s as it was ordered',
    async (_, __, endOf, balances, change) => {
      const proposal = await sent()
      await change(proposal.id)
      await approvals.notify(endOf(outgoingTransactionOf(proposal, 'broadcast')))
      expect(await till.balances()).toEqual(balances)
      expect(await tamperedOf(proposal)).toEqual(['withdrawal'])
      expect((await till.events()).at(-1)).toMatchObject({
        data: { withdrawalID: proposal.id, ...orderedData },
      })
    },
  )

  it.each([...changes, ['no transaction hash', (id: string) => set(id, { txHash: null })] as const])(
    'to %s before it is sent is reported once to its own merchant',
    async (_, change) => {
      const proposal = await signed()
      await change(proposal.id)
      await broadcast(proposal)
      await complete(proposal)
      expect(await till.balances()).toEqual(paidBalances)
      expect(await till.events()).toMatchObject([
        { type: 'withdrawal.broadcast', data: { withdrawalID: proposal.id, ...orderedData } },
        { type: 'withdrawal.completed', data: { withdrawalID: proposal.id, ...orderedData, txHash: '0x1' } },
      ])
    },
  )

  it('to another transaction hash before it is signed is reported with its own hash', async () => {
    const proposal = await proposed()
    const outgoingTransaction = outgoingTransactionOf(proposal)
    await approvals.notify({ outgoingTransaction, to: 'planned' })
    await set(proposal.id, { txHash: '0xbad' })
    await approvals.notify({ outgoingTransaction, to: 'signed' })
    await broadcast(proposal)
    expect(await till.events()).toMatchObject([{ type: 'withdrawal.broadcast', data: { txHash: '0x1' } }])
  })

  it('to no transaction hash after it is sent is reported once', async () => {
    const proposal = await sent()
    await set(proposal.id, { txHash: null })
    await broadcast(proposal)
    await set(proposal.id, { txHash: null })
    await complete(proposal)
    expect(await typesOf()).toEqual(completedEvents)
  })

  it.each(['completed', 'failed', 'cancelled'])(
    'to the state %s ends as its transaction does',
    async (state) => {
      const proposal = await sent()
      await set(proposal.id, { state, stage: null, endedAt: now })
      await complete(proposal)
      expect(await till.stateOf(proposal.id)).toBe('completed')
      expect(await till.balances()).toEqual(paidBalances)
      expect(await typesOf()).toEqual(completedEvents)
      expect(await tamperedOf(proposal)).toEqual(['state of withdrawal'])
    },
  )

  it('to be pending again after its end does not end twice', async () => {
    const proposal = await sent()
    await complete(proposal)
    await set(proposal.id, { state: 'pending', stage: 'broadcast', endedAt: null })
    await complete(proposal)
    expect(await till.balances()).toEqual(paidBalances)
    expect(await typesOf()).toEqual(completedEvents)
    expect(await tamperedOf(proposal)).toEqual(['state of ended withdrawal'])
  })

  it('to lose the claim that it pays still pays the claim', async () => {
    const invoiceId = await shop.openInvoice(till.merchantId, { type: 'withdraw' })
    const proposal = await sent()
    await complete(withPayment(proposal, { invoiceId }))
    expect((await till.events()).at(-1)).toMatchObject({ data: { invoiceID: invoiceId } })
    expect(await invoiceRecords.one(shop.db, { id: invoiceId }, 'state')).toEqual({ state: 'paid' })
    expect(await tamperedOf(proposal)).toEqual(['withdrawal'])
  })
})

describe('a withdrawal whose row is deleted while its transaction is on its way', () => {
  const remove = (id: string) => withdrawalRecords.remove(shop.db, { id })

  it('before it is sent is restored and reported', async () => {
    const proposal = await signed()
    await remove(proposal.id)
    await broadcast(proposal)
    await complete(proposal)
    expect(await till.balances()).toEqual(paidBalances)
    expect(await typesOf()).toEqual(completedEvents)
    expect(await tamperedOf(proposal)).toEqual(['deleted withdrawal'])
  })

  it('after it is sent is restored, and its broadcast is not reported again', async () => {
    const proposal = await sent()
    await remove(proposal.id)
    const outgoingTransaction = outgoingTransactionOf(proposal, 'broadcast')
    await approvals.notify({ outgoingTransaction, to: 'needs_recheck' })
    await complete(proposal)
    expect(await till.balances()).toEqual(paidBalances)
    expect(await typesOf()).toEqual(completedEvents)
  })

  it('is restored and fails if its transaction is replaced', async () => {
    const proposal = await sent()
    await remove(proposal.id)
    const outgoingTransaction = outgoingTransactionOf(proposal, 'broadcast')
    await approvals.notify({ outgoingTransaction, to: 'conflicted' })
    expect(await till.balances()).toEqual(returnedBalances)
    expect(await typesOf()).toEqual(['withdrawal.broadcast', 'withdrawal.failed'])
  })

  it('is restored and fails if its proposal is refused', async () => {
    const proposal = await proposed()
    await remove(proposal.id)
    await approvals.notify({ proposal, to: 'refused', reason: 'the recipient is on a block list' })
    expect(await till.balances()).toEqual(returnedBalances)
    expect(await typesOf()).toEqual(['withdrawal.failed'])
  })

  it('together with its transaction is held once when the log of the signer brings both back', async () => {
    const proposal = await sent()
    await remove(proposal.id)
    await adopt(proposal)
    expect(await till.balances()).toEqual(heldBalances)
    await complete(proposal)
    expect(await till.balances()).toEqual(paidBalances)
    expect(await typesOf()).toEqual(completedEvents)
  })

  it.each(['completed', 'failed', 'cancelled', 'pending'])(
    'together with its transaction is held once if its row is put back as %s',
    async (state) => {
      const proposal = await sent()
      const isPending = state === 'pending'
      await set(proposal.id, { state, stage: isPending ? 'queued' : null, endedAt: isPending ? null : now })
      await adopt(proposal)
      expect(await till.balances()).toEqual(heldBalances)
      await complete(proposal)
      expect(await till.balances()).toEqual(paidBalances)
      expect(await typesOf()).toEqual(completedEvents)
    },
  )

  it.each(['completed', 'cancelled', 'pending', 'deleted'])(
    'after it was cancelled is held again when its transaction is found, whatever its row says: %s',
    async (state) => {
      const proposal = await proposed()
      await till.cancel(proposal.id)
      const isPending = state === 'pending'
      const change = {
        state,
        stage: isPending ? 'approved' : null,
        endedAt: isPending ? null : now,
        txHash: '0x0',
      }
      await (state === 'deleted' ? remove(proposal.id) : set(proposal.id, change))
      await adopt(proposal)
      expect(await till.balances()).toEqual(heldBalances)
      await complete(proposal)
      expect(await till.balances()).toEqual(paidBalances)
      expect(await till.stateOf(proposal.id)).toBe('completed')
    },
  )

  it.each([
    ['another amount', () => ({ amountMinor: '50000000', amount: '50' })],
    ['another fee', () => ({ feeMinor: '0' })],
    ['another asset', () => ({ asset: 'ethereum/ETH' })],
    ['another merchant', async () => ({ merchantId: await shop.openMerchant() })],
  ])('after it was cancelled is held again as it was ordered, although its row has %s', async (_, change) => {
    const proposal = await proposed()
    await till.cancel(proposal.id)
    await set(proposal.id, await change())
    await adopt(proposal)
    expect(await till.balances()).toEqual(heldBalances)
    expect(await tamperedOf(proposal)).toEqual(['withdrawal'])
    await complete(proposal)
    expect(await till.balances()).toEqual(paidBalances)
    expect(await feesOf()).toBe(200_000n)
  })

  it('after it was paid is not held again', async () => {
    const proposal = await sent()
    await complete(proposal)
    await remove(proposal.id)
    await adopt(proposal)
    await complete(proposal)
    expect(await till.balances()).toEqual(paidBalances)
    expect(await tamperedOf(proposal)).toContain('transaction of withdrawal')
  })

  it('is not restored from a payment that nobody ordered', async () => {
    const proposal = await sent()
    await remove(proposal.id)
    await complete(alteredPayment(proposal, { feeMinor: 300_000n, netMinor: 9_700_000n }))
    expect(await withdrawalRecords.first(shop.db, { id: proposal.id })).toBeUndefined()
    expect(await till.balances()).toEqual({ available: 88_900_000n, held: 10_000_000n, receivable: 0n })
    expect(await tamperedOf(proposal)).toEqual(['deleted withdrawal'])
  })

  it('is not restored if the books hold nothing for it', async () => {
    const proposal = await sent()
    const id = newId()
    await complete({ ...withPayment(proposal, { withdrawalId: id }), id })
    expect(await withdrawalRecords.first(shop.db, { id })).toBeUndefined()
    expect(await tamperedOf({ id })).toEqual(['deleted withdrawal'])
  })
})

describe('a withdrawal whose payment is changed in its stored transaction', () => {
  it('ends as its row says, and the row is not accused, if the sum stays the same', async () => {
    const proposal = await sent()
    await complete(alteredPayment(proposal, { feeMinor: 300_000n, netMinor: 9_700_000n }))
    expect((await till.events()).at(-1)).toMatchObject({ data: orderedData })
    expect(await feesOf()).toBe(200_000n)
    expect(await tamperedOf(proposal)).toEqual(['payment of withdrawal'])
  })

  it('does not end with another fee if the row was changed, too', async () => {
    const proposal = await sent()
    await set(proposal.id, { amountMinor: '10100000', feeMinor: '300000' })
    await complete(alteredPayment(proposal, { feeMinor: 300_000n }))
    expect(await till.balances()).toEqual(paidBalances)
    expect(await tamperedOf(proposal)).toEqual(['withdrawal', 'payment of withdrawal'])
  })

  it.each([
    ['a number as its amount', { netMinor: 9_800_000 }],
    ['no fee', { feeMinor: undefined }],
    ['no MAC', { mac: undefined, feeMinor: 300_000n }],
  ])('to have %s ends as its row says', async (_, change) => {
    const proposal = await sent()
    await complete(alteredPayment(proposal, change as unknown as Partial<Payment>))
    expect(await till.balances()).toEqual(paidBalances)
    expect(await tamperedOf(proposal)).toEqual(['payment of withdrawal'])
  })
})

/** Returns the fees that the merchant paid for withdrawals. The fee of the deposit is 1.1 USDT. */
async function feesOf(): Promise<bigint> {
  const owner = { name: 'fees', ownerId: till.merchantId, asset: 'ethereum/USDT' }
  const { credits, debits } = await ledgerAccountRecords.one(shop.db, owner)
  return BigInt(credits) - BigInt(debits) - 1_100_000n
}

/** Returns a proposal with another payment that was not approved. */
function alteredPayment(proposal: Proposal, change: Partial<Payment>): Proposal {
  const intent: Intent = { kind: 'withdrawal', payments: [{ ...paymentOf(proposal), ...change }] }
  return { ...proposal, intent }
}

/** Returns a proposal with another payment that was approved. */
function withPayment(proposal: Proposal, change: Partial<Payment>): Proposal {
  const payment = { ...paymentOf(proposal), ...change }
  return alteredPayment(proposal, { ...change, mac: paymentMac(intentKey, network, payment) })
}

/** Stores the transaction of a proposal, and changes the row of the withdrawal to a stage before it. */
async function storedAndSetBack(
  { id, intent }: Proposal,
  { state = 'broadcast', stage = 'queued', transactionId = id } = {},
): Promise<void> {
  await outgoingRecords.add(shop.db, {
    id: transactionId,
    network,
    kind: 'withdrawal',
    intent: JSON.stringify(intent, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
    state,
    maxCostMinor: '0',
  })
  await set(id, { stage, txHash: null })
}

describe('a withdrawal that is sent, and whose row is changed to be queued', () => {
  async function queuedAgain(): Promise<Proposal> {
    const proposal = await sent()
    await storedAndSetBack(proposal)
    return proposal
  }

  it.each([
    ['is planned', { state: 'planned' }],
    ['pays several withdrawals', { transactionId: newId() }],
    ['pays several withdrawals and is planned', { transactionId: newId(), state: 'planned' }],
  ])('is not cancelled if its transaction %s', async (_, stored) => {
    const proposal = await proposed()
    await storedAndSetBack(proposal, stored)
    await expect(till.cancel(proposal.id)).rejects.toMatchObject({ code: 'withdrawal-under-way' })
    expect(await till.balances()).toEqual(heldBalances)
    expect(await tamperedOf(proposal)).toEqual(['stage of withdrawal'])
  })

  it('is cancelled although the intent of another transaction is not JSON', async () => {
    const other = { network, kind: 'withdrawal', intent: '{', state: 'broadcast', maxCostMinor: '0' }
    await outgoingRecords.add(shop.db, { ...other, id: newId() })
    const id = await till.withdraw('10')
    await till.cancel(id)
    expect(await till.balances()).toEqual(returnedBalances)
  })

  it('does not end if its proposal is refused', async () => {
    const proposal = await queuedAgain()
    await approvals.notify({ proposal, to: 'refused', reason: 'it would fail' })
    expect(await till.balances()).toEqual(heldBalances)
    expect(await tamperedOf(proposal)).toEqual(['refusal of withdrawal'])
    await complete(proposal)
    expect(await till.balances()).toEqual(paidBalances)
  })

  it('does not end if its recipient is on a sanctions list now', async () => {
    const proposal = await queuedAgain()
    await (await openApprovals(shop, { screen: () => 'listed' })).approve()
    expect(await till.balances()).toEqual(heldBalances)
    expect(await tamperedOf(proposal)).toEqual(['stage of withdrawal'])
  })

  it('is not proposed again', async () => {
    const proposal = await sent()
    await storedAndSetBack(proposal, { stage: 'approved' })
    expect(await approvals.propose()).toEqual([])
    expect(await tamperedOf(proposal)).toEqual(['stage of withdrawal'])
  })

  it('is not cancelled by its merchant', async () => {
    const proposal = await queuedAgain()
    await expect(till.cancel(proposal.id)).rejects.toMatchObject({ code: 'withdrawal-under-way' })
    expect(await till.balances()).toEqual(heldBalances)
    expect(await tamperedOf(proposal)).toEqual(['stage of withdrawal'])
    await complete(proposal)
    expect(await till.balances()).toEqual(paidBalances)
  })

  it('is not rejected by an operator', async () => {
    const proposal = await queuedAgain()
    const decider = { accountId: undefined, reason: 'a doubt' }
    await expect(rejectWithdrawal(shop, decider, proposal.id)).rejects.toMatchObject({
      code: 'withdrawal-under-way',
    })
    expect(await till.balances()).toEqual(heldBalances)
    expect(await tamperedOf(proposal)).toEqual(['stage of withdrawal'])
  })

  it('is not cancelled when a deposit is reversed', async () => {
    const proposal = await queuedAgain()
    await till.undo(1)
    expect(await till.balances()).toEqual({ available: 0n, held: 10_000_000n, receivable: 10_000_000n })
    expect(await till.stateOf(proposal.id)).toBe('pending')
    expect(await tamperedOf(proposal)).toEqual(['stage of withdrawal'])
  })
})

describe('a withdrawal whose money was returned', () => {
  it.each(['signed', 'broadcast', 'final'] as const)(
    'is recorded if its transaction becomes %s',
    async (to) => {
      const proposal = await proposed()
      await till.cancel(proposal.id)
      const outgoingTransaction = outgoingTransactionOf(proposal, 'broadcast')
      await approvals.notify({ outgoingTransaction, to, txHash: '0x1', inclusion: inclusionOf('0x1') })
      expect(await till.balances()).toEqual(returnedBalances)
      expect(await tamperedOf(proposal)).toEqual(['returned withdrawal'])
      expect(await typesOf()).toEqual(['withdrawal.cancelled'])
    },
  )
})

describe('a withdrawal before its transaction is planned', () => {
  it.each(['50000000', '5000000'])('with an amount changed to %s returns its hold', async (amountMinor) => {
    await till.withdraw('60')
    const id = await till.withdraw('10')
    await set(id, { amountMinor })
    await till.cancel(id)
    expect(await till.balances()).toMatchObject({ available: 38_900_000n, held: 60_000_000n })
    expect(await tamperedOf({ id })).toEqual(['withdrawal'])
  })

  it('that was forged returns nothing', async () => {
    const id = await till.withdraw('10')
    const forged = newId()
    const { merchantId, paymentMethodId, asset, address, amountMinor, amount, feeMinor } =
      await withdrawalRecords.one(shop.db, { id })
    const order = { merchantId, paymentMethodId, asset, address, amountMinor, amount, feeMinor }
    await withdrawalRecords.add(shop.db, { ...order, id: forged })
    await till.cancel(forged)
    expect(await till.balances()).toMatchObject({ available: 88_900_000n, held: 10_000_000n })
    expect(await tamperedOf({ id: forged })).toEqual(['missing hold of withdrawal'])
  })
})

describe('a withdrawal whose hold has no valid MAC', () => {
  // This test comes first, because no journal is sealed after a forged one.
  it('ends with the amounts of its payment if its transaction is final', async () => {
    const proposal = await sent()
    await breakHold(database.owner, proposal.id)
    await complete(proposal)
    expect(await till.balances()).toEqual(paidBalances)
    expect(await tamperedOf(proposal)).toEqual(['hold of withdrawal'])
  })

  it('is neither cancelled nor rejected', async () => {
    const id = await till.withdraw('10')
    await breakHold(database.owner, id)
    await expect(till.cancel(id)).rejects.toMatchObject({ alert: 'withdrawal-tampered' })
    const decider = { accountId: undefined, reason: 'a doubt' }
    await expect(rejectWithdrawal(shop, decider, id)).rejects.toMatchObject({ alert: 'withdrawal-tampered' })
    expect(await till.stateOf(id)).toBe('pending')
    expect(await till.balances()).toMatchObject({ available: 88_900_000n, held: 10_000_000n })
    expect(await tamperedOf({ id })).toEqual(['hold of withdrawal'])
  })

  it('is not cancelled when a deposit is reversed', async () => {
    const id = await till.withdraw('10')
    await breakHold(database.owner, id)
    await till.undo(1)
    expect(await till.stateOf(id)).toBe('pending')
    expect(await till.balances()).toEqual({ available: 0n, held: 10_000_000n, receivable: 10_000_000n })
  })

  it('is not cancelled if somebody forged the end of its hold', async () => {
    const id = await till.withdraw('10')
    await forgeEnd(shop.db, id)
    await expect(till.cancel(id)).rejects.toMatchObject({ alert: 'withdrawal-tampered' })
    expect(await till.balances()).toMatchObject({ held: 10_000_000n })
  })
})
