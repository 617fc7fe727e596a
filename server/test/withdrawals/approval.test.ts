import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import { required } from '../../src/core/assert.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/active-halts.ts'
import { saveSpendFloors } from '../../src/outgoing/engine/spend-floor-store.ts'
import { attributeMoney } from '../../src/outgoing/treasury/attribute-money.ts'
import {
  rejectWithdrawal,
  releaseWithdrawal,
} from '../../src/outgoing/withdrawals/approvals/decide-withdrawal.ts'
import { LeaseLostError, releaseLease } from '../../src/platform/db/lease.ts'
import { KeyTree, newMnemonic } from '../../src/signer/keys/key-tree.ts'
import { isApproved } from '../../src/signing/payment-mac.ts'
import { ageWithdrawals } from '../support/age-withdrawals.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { ledgerAccountRecords } from '../support/books/records.ts'
import { expectSoundBooks } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { payHotWallet } from '../support/hot-wallet.ts'
import { resumeHalts } from '../support/lifts.ts'
import { markSwept } from '../support/outgoing/mark-swept.ts'
import { haltRecords, sweepRetryRecords, withdrawalRecords } from '../support/outgoing/records.ts'
import { depositRecords, rateRecords } from '../support/payments/records.ts'
import { auditRecords } from '../support/people/records.ts'
import { moved, now } from '../support/records/values.ts'
import { useShop } from '../support/shop.ts'
import {
  intentKey,
  makeFinal,
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

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
})

/** The merchant has 98.9 USDT that is final. */
beforeEach(async () => {
  till = await openTill(shop, blocks)
  await till.deposit(100_000_000n)
  await settleBooks(shop)
})

async function stageOf(id: string): Promise<readonly (string | null)[]> {
  const { stage, state, waitsFor } = await withdrawalRecords.one(shop.db, { id })
  return [stage ?? state, waitsFor]
}

function freshAddress(): string {
  return `0x${randomBytes(20).toString('hex')}`
}

async function ordered(amount: string, address?: string): Promise<string> {
  const id = await till.withdraw(amount, 1, address)
  await sealAll(shop)
  return id
}

/** Returns the address that holds the merchant's deposits. */
async function lying(): Promise<{ readonly addressId: number }> {
  const { addressId } = await depositRecords.one(shop.db, { merchantId: till.merchantId }, 'addressId')
  return { addressId: required(addressId, 'an address') }
}

/** Marks all payments of the merchant's customers so far as swept to the hot wallets. */
const sweptAway = () => markSwept(shop.db, { merchantId: till.merchantId, network, asset: 'ethereum/USDT' })

describe('a queued withdrawal', () => {
  it('is approved with a MAC over exactly what is then proposed', async () => {
    const { approve, propose } = await openApprovals(shop)
    const id = await ordered('10')
    expect(await stageOf(id)).toEqual(['queued', null])
    await approve()
    expect(await stageOf(id)).toEqual(['approved', null])
    const proposal = required(
      (await propose()).find((one) => one.id === id),
      'the proposal',
    )
    const payment = paymentOf(proposal)
    expect(payment).toMatchObject({
      withdrawalId: id,
      merchantId: till.merchantId,
      asset: 'ethereum/USDT',
      contract: `0x${'11'.repeat(20)}`,
      address: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
      netMinor: 9_800_000n,
      feeMinor: 200_000n,
    })
    expect(proposal.spends).toEqual({
      asset: 'ethereum/USDT',
      contract: payment.contract,
      amountMinor: 9_800_000n,
    })
    expect(isApproved(intentKey, network, payment)).toBe(true)
  })

  it('waits for credits that can still be reversed, the oldest order first', async () => {
    const { approve } = await openApprovals(shop)
    await makeFinal(shop)
    await till.deposit(100_000_000n)
    const orders = [await ordered('60'), await ordered('60'), await ordered('20')]
    await approve()
    expect(await Promise.all(orders.map(stageOf))).toEqual([
      ['approved', null],
      ['queued', 'funds'],
      ['queued', 'funds'],
    ])
    await settleBooks(shop)
    await approve()
    expect(await Promise.all(orders.map(stageOf))).toEqual(Array(3).fill(['approved', null]))
  })

  it('waits for money that an operator attributed and that can still be reversed', async () => {
    const { approve } = await openApprovals(shop)
    await makeFinal(shop)
    const depositId = await payHotWallet(shop, blocks, 100_000_000n)
    await attributeMoney(shop, undefined, { depositId, merchantId: till.merchantId })
    const orders = [await ordered('60'), await ordered('60')]
    await approve()
    expect(await Promise.all(orders.map(stageOf))).toEqual([
      ['approved', null],
      ['queued', 'funds'],
    ])
    await settleBooks(shop)
    await approve()
    expect(await Promise.all(orders.map(stageOf))).toEqual(Array(2).fill(['approved', null]))
  })

  it('A4 waits for money that cannot be swept, because a listed sender paid to the same address', async () => {
    const { approve } = await openApprovals(shop)
    const { addressId } = await lying()
    const listed = await depositRecords.one(shop.db, { addressId }, 'id')
    await depositRecords.change(shop.db, listed, { amlVerdict: 'listed' })
    const id = await ordered('60')
    await approve()
    expect(await stageOf(id)).toEqual(['queued', 'funds'])
    await depositRecords.change(shop.db, { addressId }, { amlVerdict: 'passed' })
    await approve()
    expect(await stageOf(id)).toEqual(['approved', null])
  })

  it('A4 waits for money whose sweep failed, until a sweep succeeds', async () => {
    const { approve } = await openApprovals(shop)
    const { addressId } = await lying()
    await sweepRetryRecords.add(shop.db, { addressId, asset: 'ethereum/USDT', tries: 1 })
    const id = await ordered('60')
    await approve()
    expect(await stageOf(id)).toEqual(['queued', 'funds'])
    await sweepRetryRecords.remove(shop.db, { addressId })
    await approve()
    expect(await stageOf(id)).toEqual(['approved', null])
  })

  it('A4 waits for money that is not worth its sweep, as long as that is so', async () => {
    const { approve } = await openApprovals(shop)
    await saveSpendFloors(shop.db, network, [{ asset: 'ethereum/USDT', floorMinor: 100_000_001n }])
    const id = await ordered('60')
    await approve()
    expect(await stageOf(id)).toEqual(['queued', 'funds'])
    await saveSpendFloors(shop.db, network, [{ asset: 'ethereum/USDT', floorMinor: 100_000_000n }])
    await approve()
    expect(await stageOf(id)).toEqual(['approved', null])
    await saveSpendFloors(shop.db, network, [{ asset: 'ethereum/USDT', floorMinor: 0n }])
  })

  it('A4 is covered by money in the hot wallets, whatever cannot be swept elsewhere', async () => {
    const { approve } = await openApprovals(shop)
    await sweptAway()
    await till.deposit(100_000_000n)
    await settleBooks(shop)
    const { addressId } = await lying()
    await sweepRetryRecords.add(shop.db, { addressId, asset: 'ethereum/USDT', tries: 1 })
    const orders = [await ordered('60'), await ordered('60')]
    await approve()
    expect(await Promise.all(orders.map(stageOf))).toEqual([
      ['approved', null],
      ['queued', 'funds'],
    ])
  })

  it('A4 takes its turn: orders with arrived money first, then each merchant once, then the longest waiting', async () => {
    const { approve, propose, notify } = await openApprovals(shop)
    await withdrawalRecords.change(shop.db, { stage: 'approved' }, { stage: 'queued' })
    const busy = [await ordered('10'), await ordered('10'), await ordered('10')]
    till = await openTill(shop, blocks)
    await till.deposit(100_000_000n)
    await settleBooks(shop)
    const calm = [await ordered('10'), await ordered('10')]
    till = await openTill(shop, blocks)
    await till.deposit(100_000_000n)
    await settleBooks(shop)
    await sweptAway()
    const arrived = await ordered('98')
    await approve()
    const own = [...busy, ...calm, arrived]
    const proposedIds = async () => (await propose()).map(({ id }) => id).filter((id) => own.includes(id))
    expect(await proposedIds()).toEqual([arrived, busy[0], calm[0], busy[1], calm[1], busy[2]])
    const first = required(
      (await propose()).find(({ id }) => id === busy[0]),
      'the first',
    )
    await notify({ outgoingTransaction: outgoingTransactionOf(first), to: 'planned' })
    expect(await proposedIds()).toEqual([arrived, calm[0], busy[1], calm[1], busy[2]])
  })

  it('is covered by final money, whatever was paid, cancelled and ordered before', async () => {
    const { approve } = await openApprovals(shop)
    const first = await ordered('50')
    await approve()
    await till.send(first)
    await till.settle(first, 'completed')
    await till.cancel(await ordered('40'))
    const second = await ordered('40')
    const third = await ordered('8.9')
    await makeFinal(shop)
    await approve()
    expect(await Promise.all([second, third].map(stageOf))).toEqual(Array(2).fill(['approved', null]))
  })

  it('waits without a reason until its hold is part of the sealed books', async () => {
    const { approve } = await openApprovals(shop)
    const id = await till.withdraw('10')
    await approve()
    expect(await stageOf(id)).toEqual(['queued', null])
    await sealAll(shop)
    await approve()
    expect(await stageOf(id)).toEqual(['approved', null])
  })

  it('waits while its merchant owes anything, and is not proposed even if it was approved before', async () => {
    const { approve, propose } = await openApprovals(shop)
    const gone = await ordered('50')
    const approved = await ordered('20')
    const queued = await ordered('20')
    const by = { accountId: undefined, reason: undefined }
    for (const id of [gone, approved]) await releaseWithdrawal(shop, by, id)
    await approve()
    await withdrawalRecords.change(shop.db, { id: queued }, { stage: 'queued', approvalMac: null })
    await ledgerAccountRecords.add(shop.db, {
      name: 'receivable',
      ownerId: till.merchantId,
      asset: 'ethereum/USDC',
      debits: 1n,
    })
    await approve()
    expect(await stageOf(queued)).toEqual(['queued', 'debt'])
    expect((await propose()).map(({ id }) => id)).not.toContain(approved)
    await ledgerAccountRecords.remove(shop.db, { name: 'receivable', ownerId: till.merchantId })
    await approve()
    expect(await stageOf(queued)).toEqual(['approved', null])
    expect((await propose()).map(({ id }) => id)).toContain(approved)
  })

  it('waits for everything while payouts are halted', async () => {
    const { approve } = await openApprovals(shop)
    const id = await ordered('10')
    await haltRecords.add(shop.db, { cause: 'books', detail: 'a test' })
    await approve()
    expect(await stageOf(id)).toEqual(['queued', null])
    await resumeHalts(shop.db, new KeyTree(newMnemonic(12), 1))
    await approve()
    expect(await stageOf(id)).toEqual(['approved', null])
  })

  it('is not approved by a process that has lost the lease', async () => {
    const { approve, lease } = await openApprovals(shop)
    const id = await ordered('10')
    await releaseLease(shop.db, lease)
    await expect(approve()).rejects.toThrow(LeaseLostError)
    expect(await stageOf(id)).toEqual(['queued', null])
  })

  it('is either cancelled or approved, whichever comes first', async () => {
    const { approve, propose } = await openApprovals(shop)
    for (let round = 0; round < 10; round++) {
      const id = await ordered('5')
      const [cancelled] = await Promise.allSettled([till.cancel(id), approve()])
      expect(cancelled.status).toBe('fulfilled')
      expect(await till.stateOf(id)).toBe('cancelled')
      expect((await propose()).map((one) => one.id)).not.toContain(id)
    }
    await expectSoundBooks(shop)
  })
})

describe('screening of a destination', () => {
  it('H02 E15 waits while the verdict is unknown, and fails with its money returned once it is listed', async () => {
    let says: 'unknown' | 'listed' = 'unknown'
    const { approve } = await openApprovals(shop, { screen: () => says })
    const id = await ordered('10')
    await approve()
    expect(await stageOf(id)).toEqual(['queued', 'screening'])
    says = 'listed'
    await approve()
    expect(await stageOf(id)).toEqual(['failed', null])
    expect(await till.balances()).toEqual({ available: 98_900_000n, held: 0n, receivable: 0n })
    expect(await till.events()).toMatchObject([
      {
        type: 'withdrawal.failed',
        data: {
          withdrawalID: id,
          reason: 'screening',
          explanation: 'The destination is on a sanctions list.',
        },
      },
    ])
    expect(
      await auditRecords.one(shop.db, { subject: id, action: 'withdrawal.refused' }, 'action', 'accountId'),
    ).toEqual({ action: 'withdrawal.refused', accountId: null })
    await expectSoundBooks(shop)
  })

  it('screens each address once, and not for orders that wait for money', async () => {
    const asked: string[] = []
    const { approve } = await openApprovals(shop, {
      screen: (address) => {
        asked.push(address)
        return 'passed'
      },
    })
    await approve()
    asked.length = 0
    await ordered('10')
    await ordered('10')
    await approve()
    expect(asked).toHaveLength(1)
  })
})

describe('above the threshold', () => {
  const aboveTen = { approvalAboveUsd: 10n * 10n ** 8n }
  const operator = { accountId: undefined, reason: 'called them' }

  it('a withdrawal waits for an operator, and does not delay smaller ones', async () => {
    const { approve } = await openApprovals(shop, aboveTen)
    const amounts = ['10.000001', '10', '78.899999']
    const orders: string[] = []
    // The orders must not be made at once. Each call of `ordered` seals the journals, and for this it ends
    // the sealer's lease of the previous call.
    for (const amount of amounts) orders.push(await ordered(amount, freshAddress()))
    await approve()
    await approve()
    expect(await Promise.all(orders.map(stageOf))).toEqual([
      ['queued', 'operator'],
      ['approved', null],
      ['queued', 'operator'],
    ])
    const [large = ''] = orders
    await releaseWithdrawal(shop, operator, large)
    await approve()
    expect(await stageOf(large)).toEqual(['approved', null])
  })

  it('A10 of twenty orders to one address, each below the threshold, only the first leaves without an operator', async () => {
    const { approve } = await openApprovals(shop, { approvalAboveUsd: 1_000n * 10n ** 8n })
    await till.deposit(20_000_000_000n)
    await settleBooks(shop)
    const address = freshAddress()
    const orders: string[] = []
    // The address with and without the capital letters of the checksum, as a merchant may write it.
    for (let order = 0; order < 20; order += 1)
      orders.push(await ordered('975', order % 2 === 0 ? address : evmAddresses.display(address)))
    for (let round = 0; round < 3; round += 1) await approve()
    const stages = await Promise.all(orders.map(stageOf))
    expect(stages[0]).toEqual(['approved', null])
    expect(stages.slice(1)).toEqual(Array(19).fill(['queued', 'operator']))
  })

  it('A10 the sum of a destination counts payments of every merchant, and that of a merchant counts every destination', async () => {
    const { approve } = await openApprovals(shop, aboveTen)
    const address = freshAddress()
    const first = await ordered('6', address)
    await approve()
    const elsewhere = await ordered('6', freshAddress())
    await approve()
    till = await openTill(shop, blocks)
    await till.deposit(100_000_000n)
    await settleBooks(shop)
    const same = await ordered('6', address)
    const other = await ordered('6', freshAddress())
    await approve()
    const all = [first, elsewhere, same, other]
    expect(await Promise.all(all.map(stageOf))).toEqual([
      ['approved', null],
      ['queued', 'operator'],
      ['queued', 'operator'],
      ['approved', null],
    ])
  })

  it('A10 orders that an operator approved, that were cancelled or that left a day ago do not count', async () => {
    const { approve } = await openApprovals(shop, aboveTen)
    const address = freshAddress()
    const agreed = await ordered('9', address)
    await releaseWithdrawal(shop, operator, agreed)
    const cancelled = await ordered('9', address)
    await approve()
    await till.cancel(cancelled)
    const old = await ordered('9', address)
    await approve()
    await ageWithdrawals(database, 24, sql`id = ${old}`)
    const now = await ordered('9', address)
    const next = await ordered('1.1', address)
    await approve()
    expect(await Promise.all([agreed, old, now, next].map(stageOf))).toEqual([
      ...Array(3).fill(['approved', null]),
      ['queued', 'operator'],
    ])
  })

  it.each([
    [
      'when it was approved',
      sql`approved_at = approved_at - interval '24 hours'`,
      'cannot be moved into the past',
    ],
    ['that it was', sql`approved_at = null`, 'cannot be moved into the past'],
    ['that an operator let it go', sql`released_at = now()`, 'cannot be released'],
  ])('A10 an approved order cannot be hidden from the sums by writing %s', async (_, set, why) => {
    const { approve } = await openApprovals(shop, aboveTen)
    const address = freshAddress()
    const first = await ordered('9', address)
    await approve()
    await expect(shop.db.query(sql`update withdrawal set ${set} where id = ${first}`)).rejects.toThrow(why)
    const next = await ordered('9', address)
    await approve()
    expect(await Promise.all([first, next].map(stageOf))).toEqual([
      ['approved', null],
      ['queued', 'operator'],
    ])
  })

  it('A10 an order that is marked as failed counts until a journal returns its money', async () => {
    const { approve } = await openApprovals(shop, aboveTen)
    const address = freshAddress()
    const first = await ordered('9', address)
    await approve()
    await withdrawalRecords.change(shop.db, { id: first }, { state: 'failed', stage: null, endedAt: now })
    const next = await ordered('9', address)
    await approve()
    expect(await stageOf(next)).toEqual(['queued', 'operator'])
    await withdrawalRecords.change(
      shop.db,
      { id: first },
      { state: 'pending', stage: 'approved', endedAt: null },
    )
  })

  it('a withdrawal with a forged approval, by nobody or copied from another, is not approved, and halts', async () => {
    const { approve } = await openApprovals(shop, aboveTen)
    const large = await ordered('40')
    const other = await ordered('20')
    await approve()
    await releaseWithdrawal(shop, operator, other)
    await approve()
    await shop.db.query(sql`
      update withdrawal set released_at = now(), waits_for = null,
        release_signature = (select release_signature from withdrawal where id = ${other})
      where id = ${large}`)
    await approve()
    expect(await Promise.all([large, other].map(stageOf))).toEqual([
      ['queued', null],
      ['approved', null],
    ])
    const detail = expect.stringContaining(`the release of withdrawal ${large} is not signed`)
    expect(await readShownHalts(shop.db)).toMatchObject([{ cause: 'tampering', detail }])
    await resumeHalts(shop.db, new KeyTree(newMnemonic(12), 1))
    await releaseWithdrawal(shop, operator, large)
    await approve()
    expect(await stageOf(large)).toEqual(['approved', null])
  })

  it('a waiting withdrawal reserves its money', async () => {
    const { approve } = await openApprovals(shop, aboveTen)
    const large = await ordered('90')
    await approve()
    await makeFinal(shop)
    await till.deposit(10_000_000n)
    const later = await ordered('10')
    await approve()
    expect(await Promise.all([large, later].map(stageOf))).toEqual([
      ['queued', 'operator'],
      ['queued', 'funds'],
    ])
  })

  it('a withdrawal without a price waits for an operator or for a price', async () => {
    const { approve } = await openApprovals(shop, aboveTen)
    const byPrice = await ordered('5', freshAddress())
    const byOperator = await ordered('5', freshAddress())
    await rateRecords.change(shop.db, {}, { takenAt: moved('-1 hour') })
    await approve()
    expect(await stageOf(byPrice)).toEqual(['queued', 'rate'])
    await releaseWithdrawal(shop, operator, byOperator)
    await approve()
    expect(await stageOf(byOperator)).toEqual(['approved', null])
    await rateRecords.change(shop.db, {}, { takenAt: moved('1 hour') })
    await approve()
    expect(await stageOf(byPrice)).toEqual(['approved', null])
  })

  it("E24 an operator's approval during the regular approvals pays the withdrawal once, however often", async () => {
    const { approve, propose } = await openApprovals(shop, aboveTen)
    const id = await ordered('50')
    await approve()
    await Promise.all([
      ...Array.from({ length: 5 }, () => releaseWithdrawal(shop, operator, id)),
      approve(),
      approve(),
    ])
    await approve()
    expect((await propose()).filter((one) => one.id === id)).toHaveLength(1)
    const count = await auditRecords.count(shop.db, { subject: id, action: 'withdrawal.released' })
    expect(count).toBe(1)
  })

  it('a withdrawal is rejected once, its money is returned, and its merchant sees the reason', async () => {
    const { approve } = await openApprovals(shop, aboveTen)
    const id = await ordered('50')
    await approve()
    const reasoned = { accountId: undefined, reason: 'not theirs' }
    for (let times = 0; times < 2; times++) await rejectWithdrawal(shop, reasoned, id)
    expect(await stageOf(id)).toEqual(['failed', null])
    expect(await till.events()).toMatchObject([
      {
        type: 'withdrawal.failed',
        data: { withdrawalID: id, reason: 'operator', explanation: 'not theirs' },
      },
    ])
    expect(await till.balances()).toMatchObject({ available: 98_900_000n, held: 0n })
    await expect(releaseWithdrawal(shop, operator, id)).rejects.toMatchObject({ code: 'withdrawal-ended' })
    await expectSoundBooks(shop)
  })
})
