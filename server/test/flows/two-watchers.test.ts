import { expect, it } from 'vitest'
import { type OpenInvoice, useChainFlow } from '../support/chain-flow.ts'
import { balanceOf, depositsOf, eventsOf, paidOnce } from '../support/shop-readers.ts'
import { useWatcherProcesses } from '../support/watcher-process.ts'

const flow = useChainFlow()
const { shop, anvil } = flow
const startWatcher = useWatcherProcesses(flow)

async function expectPaidOnce(invoices: readonly OpenInvoice[]): Promise<void> {
  for (const invoice of invoices) {
    await expect.poll(() => balanceOf(shop, invoice), { timeout: 10_000, interval: 20 }).toBe('9.8')
    expect(await depositsOf(shop, invoice)).toHaveLength(1)
    expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
  }
}

/** Pays each invoice in a block of its own. */
async function payEach(invoices: readonly OpenInvoice[]): Promise<void> {
  for (const invoice of invoices) {
    await flow.pay(invoice)
    await anvil.mine()
  }
  await anvil.mine()
}

it('of two watchers one works, each payment is credited once, and the other continues when it stops', async () => {
  const invoices = await Promise.all(Array.from({ length: 20 }, () => flow.openInvoice()))
  const first = startWatcher()
  const second = startWatcher()
  const leader = await Promise.race([first, second].map((one) => one.said('lease acquired').then(() => one)))
  await payEach(invoices.slice(0, 10))
  await expectPaidOnce(invoices.slice(0, 10))
  const other = leader === first ? second : first
  expect(other.hasSaid('lease acquired')).toBe(false)
  leader.child.kill('SIGTERM')
  await payEach(invoices.slice(10))
  await leader.ended
  expect(await other.said('lease acquired')).toMatchObject({ lease: 'watch ethereum' })
  await expectPaidOnce(invoices)
  other.child.kill('SIGTERM')
  await other.ended
})
