import { expect, it, onTestFinished } from 'vitest'
import { NodeError } from '../../src/chains/port.ts'
import { expireInvoices } from '../../src/payments/invoices/expire-invoices.ts'
import { startAlteredNode } from '../chains/altered-node.ts'
import { openDevChain } from '../chains/evm-harness.ts'
import { endInvoiceAt, headTime, type OpenInvoice, useChainFlow } from '../support/chain-flow.ts'
import { balanceOf, eventsOf, invoiceStatusOf, paidOnce } from '../support/shop-readers.ts'

const flow = useChainFlow()
const { shop, anvil } = flow

const expire = async () => {
  while ((await expireInvoices(shop).runBatch(new AbortController().signal)) > 0);
}

/** Resolves when the clock of this machine, which the database uses too, has passed `time`. */
async function timeIsPast(time: Date): Promise<void> {
  await expect.poll(() => Date.now(), { timeout: 5_000 }).toBeGreaterThan(time.getTime())
}

/** Mines a payment of `invoice` into a block of its own and returns that block's time. */
async function payInOneBlock(invoice: OpenInvoice): Promise<Date> {
  await flow.pay(invoice)
  await anvil.mine()
  return headTime(flow)
}

function oneSecondAfter(time: Date): Date {
  return new Date(time.getTime() + 1000)
}

it('credits every payment of hundreds of blocks missed in an outage once, late only by its block time', async () => {
  let isDown = true
  const node = await startAlteredNode(
    anvil.url,
    (_, answer) => answer,
    (response) => isDown && response.destroy() !== undefined,
  )
  const chain = openDevChain(node.url)
  onTestFinished(async () => {
    await chain.close()
    await node.close()
  })
  const inTime = await flow.openInvoice()
  const late = await flow.openInvoice()
  const others = await Promise.all(Array.from({ length: 20 }, () => flow.openInvoice()))
  const over = oneSecondAfter(await payInOneBlock(inTime))
  await endInvoiceAt(flow, inTime, over)
  await endInvoiceAt(flow, late, over)
  for (const other of others) {
    await payInOneBlock(other)
    await anvil.mine(19)
  }
  await timeIsPast(over)
  await payInOneBlock(late)
  await anvil.mine()
  await expect(flow.followToHead({ chain })).rejects.toThrow(NodeError)
  await expire()
  isDown = false
  await flow.followToHead({ chain })
  await expire()
  for (const paid of [inTime, ...others]) {
    expect(await invoiceStatusOf(shop, paid)).toEqual({ state: 'paid', exceptions: [] })
    expect(await eventsOf(shop, paid)).toEqual(paidOnce)
    expect(await balanceOf(shop, paid)).toBe('9.8')
  }
  expect(await invoiceStatusOf(shop, late)).toEqual({ state: 'expired', exceptions: ['underpaid', 'late'] })
  expect(await balanceOf(shop, late)).toBe('9.8')
})

it('does not expire an invoice before the blocks of its time are booked, and a payment among them pays it', async () => {
  const paid = await flow.openInvoice()
  const unpaid = await flow.openInvoice()
  const over = oneSecondAfter(await payInOneBlock(paid))
  await endInvoiceAt(flow, paid, over)
  await endInvoiceAt(flow, unpaid, over)
  await timeIsPast(over)
  await expire()
  expect(await invoiceStatusOf(shop, paid)).toEqual({ state: 'pending', exceptions: [] })
  expect(await invoiceStatusOf(shop, unpaid)).toEqual({ state: 'pending', exceptions: [] })
  await flow.mineAndFollow()
  await expire()
  expect(await invoiceStatusOf(shop, paid)).toEqual({ state: 'paid', exceptions: [] })
  expect(await invoiceStatusOf(shop, unpaid)).toEqual({ state: 'expired', exceptions: [] })
  expect(await eventsOf(shop, unpaid)).toEqual(['invoice.expired'])
})
