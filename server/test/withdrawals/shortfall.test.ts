import sql from 'sql-template-tag'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { credit, debit, journal } from '../../src/ledger/journal.ts'
import { post } from '../../src/ledger/post.ts'
import { writeOffDebt } from '../../src/outgoing/treasury/write-off-debt.ts'
import { lockWithdrawals } from '../../src/outgoing/withdrawals/store.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { expectSoundBooks } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { countLockWaiters } from '../support/lock-waiters.ts'
import { useShop } from '../support/shop.ts'
import { openTill, type Till } from './till.ts'

const shop = useShop(useDatabase())
let blocks: Blocks
let till: Till

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
})
beforeEach(async () => {
  till = await openTill(shop, blocks)
})
afterEach(() => expectSoundBooks(shop))

describe('A15 a deposit that its chain takes back', () => {
  it('is covered by the available balance, if that is enough', async () => {
    await till.deposit(20_000_000n)
    await till.deposit(10_000_000n)
    const id = await till.withdraw('19.7')
    await till.undo(1)
    expect(await till.balances()).toEqual({ available: 0n, held: 19_700_000n, receivable: 0n })
    expect(await till.stateOf(id)).toBe('pending')
    expect(await till.events()).toEqual([])
  })

  it('cancels the newest withdrawals that are not planned, and no more than necessary', async () => {
    await till.deposit(20_000_000n)
    await till.deposit(10_000_000n)
    const first = await till.withdraw('10')
    const second = await till.withdraw('9')
    const third = await till.withdraw('8.5')
    await till.undo(1)
    // 29.5 was credited and 27.5 is held, so 2 is available. The reversal takes 9.8. The available 2 and the
    // cancelled order of 8.5 cover it.
    expect(await till.balances()).toEqual({ available: 700_000n, held: 19_000_000n, receivable: 0n })
    expect(await Promise.all([first, second, third].map(till.stateOf))).toEqual([
      'pending',
      'pending',
      'cancelled',
    ])
    expect(await till.events()).toMatchObject([
      { type: 'withdrawal.cancelled', data: { withdrawalID: third, amount: '8.5', reason: 'shortfall' } },
    ])
  })

  it('becomes a receivable if the money has left, and later deposits repay it first', async () => {
    await till.deposit(20_000_000n)
    const id = await till.withdraw('15')
    await till.send(id)
    await till.settle(id, 'completed')
    const waiting = await till.withdraw('4')
    await till.undo(1)
    expect(await till.balances()).toEqual({ available: 0n, held: 0n, receivable: 15_000_000n })
    expect(await till.stateOf(waiting)).toBe('cancelled')
    await till.deposit(10_000_000n)
    expect(await till.balances()).toEqual({ available: 0n, held: 0n, receivable: 5_200_000n })
    await till.deposit(10_000_000n)
    expect(await till.balances()).toEqual({ available: 4_600_000n, held: 0n, receivable: 0n })
  })

  it('is no longer owed once its transaction is mined again', async () => {
    const payment = await till.deposit(20_000_000n)
    const id = await till.withdraw('19.7')
    await till.send(id)
    await till.undo(1)
    expect(await till.balances()).toEqual({ available: 0n, held: 19_700_000n, receivable: 19_700_000n })
    await till.depositAgain(payment)
    expect(await till.balances()).toEqual({ available: 0n, held: 19_700_000n, receivable: 0n })
  })

  it('that is reversed repeatedly is owed once each time', async () => {
    const payment = await till.deposit(20_000_000n)
    await till.send(await till.withdraw('19.7'))
    for (let times = 0; times < 3; times++) {
      await till.undo(1)
      expect(await till.balances()).toMatchObject({ available: 0n, receivable: 19_700_000n })
      await till.depositAgain(payment)
      expect(await till.balances()).toMatchObject({ available: 0n, receivable: 0n })
    }
  })

  it('freezes withdrawals in every asset until it is repaid', async () => {
    await till.deposit(20_000_000n)
    await till.send(await till.withdraw('19.7'))
    await till.undo(1)
    await till.deposit(5_000_000n)
    await expect(till.withdraw('1')).rejects.toMatchObject({ code: 'insufficient-balance' })
    const usdc = await payInUsdc()
    await expect(till.withdraw(usdc, 2)).rejects.toMatchObject({ code: 'payouts-frozen' })
    await till.deposit(30_000_000n)
    expect(await till.balances()).toMatchObject({ receivable: 0n })
    await till.withdraw(usdc, 2)
  })

  it('is repaid by a withdrawal that fails later', async () => {
    await till.deposit(20_000_000n)
    const id = await till.withdraw('15')
    await till.send(id)
    await till.undo(1)
    expect(await till.balances()).toEqual({ available: 0n, held: 15_000_000n, receivable: 15_000_000n })
    await till.settle(id, 'failed')
    expect(await till.balances()).toEqual({ available: 0n, held: 0n, receivable: 0n })
  })

  it('does not wait for a withdrawal that another transaction has locked', async () => {
    await till.deposit(20_000_000n)
    const first = await till.withdraw('9')
    const second = await till.withdraw('10')
    await inTransaction(shop.db, async (tx) => {
      await lockWithdrawals(tx, [second])
      await till.undo(1)
    })
    expect(await Promise.all([first, second].map(till.stateOf))).toEqual(['cancelled', 'pending'])
    expect(await till.balances()).toEqual({ available: 0n, held: 10_000_000n, receivable: 10_000_000n })
    await till.cancel(second)
    expect(await till.balances()).toEqual({ available: 0n, held: 0n, receivable: 0n })
  })

  async function payInUsdc(): Promise<string> {
    const { address } = await shop.addressFor(await shop.openInvoice(till.merchantId, { methodId: 2 }), 2)
    await blocks.mine([blocks.pay(address, 10_000_000n, 2)])
    await blocks.mine()
    return '9.8'
  }
})

describe('a sent withdrawal', () => {
  it('that completed has left custody once, and its fee is ours', async () => {
    await till.deposit(20_000_000n)
    const id = await till.withdraw('10')
    await till.send(id)
    await till.settle(id, 'completed')
    await till.settle(id, 'completed')
    expect(await till.balances()).toEqual({ available: 9_700_000n, held: 0n, receivable: 0n })
    expect(await till.events()).toMatchObject([
      { type: 'withdrawal.broadcast' },
      { type: 'withdrawal.completed', data: { withdrawalID: id, net: '9.8', fee: '0.2', txHash: `0x${id}` } },
    ])
    await expect(till.settle(id, 'failed')).rejects.toThrow('completed, cannot become failed')
  })

  it('that failed returns the whole amount, once', async () => {
    await till.deposit(20_000_000n)
    const id = await till.withdraw('10')
    await till.settle(id, 'failed')
    await till.settle(id, 'failed')
    expect(await till.balances()).toEqual({ available: 19_700_000n, held: 0n, receivable: 0n })
    expect((await till.events()).map(({ type }) => type)).toEqual(['withdrawal.failed'])
  })

  it('is never completed before it was sent', async () => {
    await till.deposit(20_000_000n)
    const id = await till.withdraw('10')
    await expect(till.settle(id, 'completed')).rejects.toThrow('pending and queued, cannot become completed')
    expect(await till.balances()).toMatchObject({ held: 10_000_000n })
  })
})

it('A15 a debt is paid once if a deposit repays it while the operator covers it', async () => {
  const capital = { name: 'capital', asset: 'ethereum/USDT' } as const
  const lines = [debit({ ...capital, name: 'custody' }, 100_000_000n), credit(capital, 100_000_000n)]
  const funded = journal({ kind: 'capital.funded', subject: 'test:capital', lines })
  await inTransaction(shop.db, (tx) => post(tx, [funded]))
  await till.deposit(10_000_000n)
  const id = await till.withdraw('9.8')
  await till.send(id)
  await till.settle(id, 'completed')
  await till.undo(1)
  expect(await till.balances()).toEqual({ available: 0n, held: 0n, receivable: 9_800_000n })
  const both = await inTransaction(shop.db, async (tx) => {
    // This lock makes both wait at the point where they would deadlock: the write-off waits for this account,
    // the deposit for the write-off.
    await tx.query(sql`
      select from ledger_account where name = 'capital' and asset = 'ethereum/USDT' for no key update`)
    const input = { id: newId(), merchantId: till.merchantId, paymentMethodId: 1, amount: '9.8' }
    const writeOff = writeOffDebt(shop, undefined, input)
    const waiters = () => expect.poll(() => countLockWaiters(shop.db), { timeout: 5_000 })
    await waiters().toBeGreaterThanOrEqual(1)
    const deposit = till.deposit(20_000_000n)
    await waiters().toBeGreaterThanOrEqual(2)
    return [writeOff, deposit] as const
  })
  expect((await Promise.all(both))[0]).toBe(9_800_000n)
  expect(await till.balances()).toEqual({ available: 19_700_000n, held: 0n, receivable: 0n })
})
