import sql from 'sql-template-tag'
import { expect, it, onTestFinished } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { acquireLease, type Lease, releaseLease } from '../../src/platform/db/lease.ts'
import { followChain } from '../../src/watcher/follow-chain.ts'
import { useChainFlow } from '../support/chain-flow.ts'
import { balanceOf, countDeposits, eventsOf, journalsOf, paidOnce } from '../support/shop-readers.ts'
import { useWatcherProcesses, type WatcherProcess } from '../support/watcher-process.ts'

const flow = useChainFlow()
const { shop, anvil } = flow
const startWatcher = useWatcherProcesses(flow)

/** The number of the first statement after those that check the lease and lock the cursor. */
const afterLocks = 4

async function pauseBefore(beforeStatement: number): Promise<WatcherProcess> {
  const watcher = startWatcher({ signal: 'SIGSTOP', beforeStatement })
  await watcher.said('interruptedBefore')
  return watcher
}

/** Takes the lease as soon as its holder has lost it. */
async function takeOver(): Promise<Lease> {
  const leaseParams = { name: 'watch ethereum', holderId: newId(), ttlMs: limits.leaseMs }
  let lease: Lease | undefined
  const tryIt = async () => {
    lease ??= await acquireLease(shop.db, leaseParams)
    return lease
  }
  await expect.poll(tryIt, { timeout: 2 * limits.leaseMs, interval: 100 }).toBeDefined()
  if (lease === undefined) throw new Error('there is no lease')
  return lease
}

async function stop({ child, ended }: WatcherProcess): Promise<void> {
  child.kill('SIGTERM')
  await ended
}

it('refuses the write of a watcher that was paused past its lease, even if nobody has written since', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice)
  await anvil.mine(2)
  const before = await countDeposits(shop)
  const paused = await pauseBefore(1)
  const lease = await takeOver()
  onTestFinished(() => releaseLease(shop.db, lease))
  paused.child.kill('SIGCONT')
  expect(await paused.said('endedBy')).toEqual({ endedBy: 'rollback' })
  await stop(paused)
  expect(await countDeposits(shop)).toBe(before)
  while ((await followChain(flow.partsUnder(lease), new AbortController().signal)) > 0);
  expect(await balanceOf(shop, invoice)).toBe('9.8')
  expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
})

it('takes over from a watcher that was paused during a write, of which nothing remains', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice)
  await anvil.mine(2)
  const paused = await pauseBefore(afterLocks)
  const second = startWatcher()
  await second.said('lease acquired')
  await expect.poll(() => balanceOf(shop, invoice), { timeout: 10_000 }).toBe('9.8')
  paused.child.kill('SIGCONT')
  expect(await paused.said('endedBy')).toEqual({ endedBy: 'rollback' })
  await flow.pay(invoice)
  await anvil.mine(2)
  await expect.poll(() => balanceOf(shop, invoice), { timeout: 10_000 }).toBe('19.6')
  expect(await journalsOf(shop, invoice)).toEqual(['deposit.credited', 'deposit.credited'])
  const { epoch } = await shop.row<{ epoch: number }>(
    sql`select epoch from lease where name = 'watch ethereum'`,
  )
  expect(await second.said('lease acquired')).toMatchObject({ epoch })
  await stop(paused)
  await stop(second)
})
