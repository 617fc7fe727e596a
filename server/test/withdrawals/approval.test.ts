import sql from 'sql-template-tag'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { LeaseLostError, releaseLease } from '../../src/db/lease.ts'
import { isApproved } from '../../src/intents/payment-mac.ts'
import { attributeMoney } from '../../src/treasury/attribute-money.ts'
import { rejectWithdrawal, releaseWithdrawal } from '../../src/withdrawals/approvals/decide-withdrawal.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { expectSoundBooks } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { payHotWallet } from '../support/hot-wallet.ts'
import { useShop } from '../support/shop.ts'
import { intentKey, makeFinal, network, openApprovals, paymentOf, sealAll, settleBooks } from './approvals.ts'
import { openTill, type Till } from './till.ts'

const shop = useShop(useDatabase())
let blocks: Blocks
let till: Till

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
})

/** 98.9 USDT that the chain calls final. */
beforeEach(async () => {
  till = await openTill(shop, blocks)
  await till.deposit(100_000_000n)
  await settleBooks(shop)
})

async function stageOf(id: string): Promise<readonly (string | null)[]> {
  const { stage, waits } = await shop.row<{ stage: string | null; waits: string | null }>(
    sql`select coalesce(stage, state) as stage, waits_for as waits from withdrawal where id = ${id}`,
  )
  return [stage, waits]
}

async function ordered(amount: string): Promise<string> {
  const id = await till.withdraw(amount)
  await sealAll(shop)
  return id
}

describe('a queued withdrawal', () => {
  it('is approved with a MAC over exactly what is proposed then', async () => {
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

  it('waits for credits that can still be taken back, the oldest order first', async () => {
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

  it('waits for money that an operator assigned and that can still be taken back', async () => {
    const { approve } = await openApprovals(shop)
    await makeFinal(shop)
    const transactionId = await payHotWallet(shop, blocks, 100_000_000n)
    await attributeMoney(shop, undefined, { transactionId, merchantId: till.merchantId })
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

  it('is covered by what is final whatever was paid, cancelled and ordered before', async () => {
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

  it('waits for its hold to be part of the sealed books, and says nothing of it', async () => {
    const { approve } = await openApprovals(shop)
    const id = await till.withdraw('10')
    await approve()
    expect(await stageOf(id)).toEqual(['queued', null])
    await sealAll(shop)
    await approve()
    expect(await stageOf(id)).toEqual(['approved', null])
  })

  it('waits while its merchant owes anything, and is not proposed even where it was approved before', async () => {
    const { approve, propose } = await openApprovals(shop)
    const [gone, approved, queued] = [await ordered('50'), await ordered('20'), await ordered('20')]
    for (const id of [gone, approved])
      await releaseWithdrawal(shop, { accountId: undefined, reason: undefined }, id)
    await approve()
    await shop.db.query(sql`update withdrawal set stage = 'queued', approval_mac = null where id = ${queued}`)
    await shop.db.query(sql`
      insert into ledger_account (name, owner_id, asset, debits) values ('suspense', ${till.merchantId}, 'ethereum/USDC', 1)`)
    await approve()
    expect(await stageOf(queued)).toEqual(['queued', 'debt'])
    expect((await propose()).map(({ id }) => id)).not.toContain(approved)
    await shop.db.query(
      sql`delete from ledger_account where name = 'suspense' and owner_id = ${till.merchantId}`,
    )
    await approve()
    expect(await stageOf(queued)).toEqual(['approved', null])
    expect((await propose()).map(({ id }) => id)).toContain(approved)
  })

  it('waits for everything while payouts are halted', async () => {
    const { approve } = await openApprovals(shop)
    const id = await ordered('10')
    await shop.db.query(sql`insert into payout_halt (cause, detail) values ('books', 'a test')`)
    await approve()
    expect(await stageOf(id)).toEqual(['queued', null])
    await shop.db.query(sql`delete from payout_halt`)
    await approve()
    expect(await stageOf(id)).toEqual(['approved', null])
  })

  it('is not approved by whoever has lost the lease', async () => {
    const { approve, lease } = await openApprovals(shop)
    const id = await ordered('10')
    await releaseLease(shop.db, lease)
    await expect(approve()).rejects.toThrow(LeaseLostError)
    expect(await stageOf(id)).toEqual(['queued', null])
  })

  it('is cancelled or approved, never both, whoever comes first', async () => {
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
  it('H02 E15 waits while nobody knows, and fails with its money back once it is listed', async () => {
    let says: 'unknown' | 'listed' = 'unknown'
    const { approve } = await openApprovals(shop, { screen: () => says })
    const id = await ordered('10')
    await approve()
    expect(await stageOf(id)).toEqual(['queued', 'screening'])
    says = 'listed'
    await approve()
    expect(await stageOf(id)).toEqual(['failed', null])
    expect(await till.standing()).toEqual({ available: 98_900_000n, held: 0n, suspense: 0n })
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
      await shop.row(
        sql`select action, account_id from audit_entry where subject = ${id} and action = 'withdrawal.refused'`,
      ),
    ).toEqual({ action: 'withdrawal.refused', account_id: null })
    await expectSoundBooks(shop)
  })

  it('asks once for each address, and not for orders that wait for money', async () => {
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

  it('a withdrawal waits for an operator, and holds up none that is smaller', async () => {
    const { approve } = await openApprovals(shop, aboveTen)
    const orders = [await ordered('10.000001'), await ordered('10'), await ordered('78.899999')]
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

  it('promises its money to nobody else while it waits', async () => {
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

  it('nobody can tell without a price, so an operator or a price must come', async () => {
    const { approve } = await openApprovals(shop, aboveTen)
    const [byPrice, byOperator] = [await ordered('5'), await ordered('5')]
    await shop.db.query(sql`update rate set taken_at = taken_at - interval '1 hour'`)
    await approve()
    expect(await stageOf(byPrice)).toEqual(['queued', 'rate'])
    await releaseWithdrawal(shop, operator, byOperator)
    await approve()
    expect(await stageOf(byOperator)).toEqual(['approved', null])
    await shop.db.query(sql`update rate set taken_at = taken_at + interval '1 hour'`)
    await approve()
    expect(await stageOf(byPrice)).toEqual(['approved', null])
  })

  it('E24 an operator who agrees while orders are approved makes one payout of it, however often', async () => {
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
    const { count } = await shop.row<{ count: number }>(
      sql`select count(*) from audit_entry where subject = ${id} and action = 'withdrawal.released'`,
    )
    expect(count).toBe(1)
  })

  it('is rejected once, with its money back, and says why to its merchant', async () => {
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
    expect(await till.standing()).toMatchObject({ available: 98_900_000n, held: 0n })
    await expect(releaseWithdrawal(shop, operator, id)).rejects.toMatchObject({ code: 'withdrawal-ended' })
    await expectSoundBooks(shop)
  })
})
