import sql from 'sql-template-tag'
import { expect, it, vi } from 'vitest'
import { endAllLeases } from '../../src/platform/db/lease.ts'
import { expectRightBooks, type OpenInvoice, useChainFlow } from '../support/chain-flow.ts'
import {
  balanceOf,
  depositsOf,
  eventsOf,
  invoiceStatusOf,
  journalsOf,
  paidOnce,
} from '../support/shop-readers.ts'
import { useWatcherProcesses } from '../support/watcher-process.ts'

// Each test starts some thirty processes, one after the other.
vi.setConfig({ testTimeout: 180_000 })

const flow = useChainFlow()
const { shop, anvil } = flow
const startWatcher = useWatcherProcesses(flow)

async function tip(): Promise<string> {
  const { hash } = await shop.row<{ hash: string }>(sql`select hash from chain_cursor`)
  return hash
}

/** Returns everything that is booked for an invoice. */
function booked(invoice: OpenInvoice): Promise<unknown> {
  return Promise.all([
    depositsOf(shop, invoice),
    invoiceStatusOf(shop, invoice),
    journalsOf(shop, invoice),
    eventsOf(shop, invoice),
  ])
}

/**
 * Follows the chain to its head with watchers that are killed before a statement of their transactions. The
 * first one dies before the first statement, the next one a statement later, and so on. If the tip moved
 * before a kill, the count starts again. If it did not move, the books must be unchanged.
 * @returns the statements before which they died
 */
async function followByKilled(invoice: OpenInvoice): Promise<string[]> {
  const deaths: string[] = []
  const { hash: head } = await anvil.rpc('eth_getBlockByNumber', ['latest', false])
  for (let beforeStatement = 1; (await tip()) !== head; beforeStatement += 1) {
    const before = { tip: await tip(), booked: await booked(invoice) }
    const watcher = startWatcher({ signal: 'SIGKILL', beforeStatement })
    await watcher.ended
    const { interruptedBefore } = await watcher.said('interruptedBefore')
    deaths.push(String(interruptedBefore))
    await expectRightBooks(flow, [])
    await endAllLeases(shop.db)
    if ((await tip()) !== before.tip) beforeStatement = 0
    else expect(await booked(invoice)).toEqual(before.booked)
  }
  return deaths
}

async function expectPaidOnce(invoice: OpenInvoice): Promise<void> {
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
  expect(await depositsOf(shop, invoice)).toMatchObject([{ state: 'confirmed' }])
  expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
  expect(await journalsOf(shop, invoice)).toEqual(['deposit.credited'])
  expect(await balanceOf(shop, invoice)).toBe('9.8')
}

it('F13 books each payment exactly once if it is killed at any write of a block', async () => {
  const invoices = await payTwo()
  const deaths: string[] = []
  for (const _block of ['including', 'confirming']) {
    await anvil.mine()
    deaths.push(...(await followByKilled(invoices[0])))
  }
  expect(deaths).toEqual(expect.arrayContaining(['include-deposits', 'save-confirmations', 'extend-cursor']))
  expect(deaths.filter((at) => at === 'commit')).toHaveLength(2)
  expect(deaths.filter((at) => at === 'the answer to commit')).toHaveLength(2)
  for (const invoice of invoices) await expectPaidOnce(invoice)
})

it('books each payment exactly once if it is killed at any write of several blocks booked together', async () => {
  const invoices = await payTwo()
  await anvil.mine(2)
  const deaths = await followByKilled(invoices[0])
  expect(deaths).toEqual(expect.arrayContaining(['include-deposits', 'save-confirmations', 'extend-cursor']))
  expect(deaths.filter((at) => at === 'the answer to commit')).toHaveLength(1)
  for (const invoice of invoices) await expectPaidOnce(invoice)
})

async function payTwo(): Promise<readonly [OpenInvoice, OpenInvoice]> {
  const invoices = [await flow.openInvoice(), await flow.openInvoice()] as const
  for (const invoice of invoices) await flow.pay(invoice)
  return invoices
}

it('F13 reverses each payment exactly once if it is killed at any write of a rollback', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice)
  await flow.mineAndFollow(2)
  expect(await balanceOf(shop, invoice)).toBe('9.8')
  await flow.rollBack(2)
  await anvil.sendCoin({ to: anvil.accounts[3] ?? '', amountMinor: 1n })
  await anvil.mine()
  const deaths = await followByKilled(invoice)
  expect(deaths.filter((at) => at === 'the answer to commit')).toHaveLength(2)
  expect(await journalsOf(shop, invoice)).toEqual(['deposit.credited', 'deposit.credited.reversed'])
  expect(await eventsOf(shop, invoice)).toEqual([...paidOnce, 'transaction.reverted', 'invoice.reverted'])
  expect(await balanceOf(shop, invoice)).toBe('0')
})
