/** Tests what a receiver of events may rely on, by the specification alone. */
import { describe, expect, it } from 'vitest'
import { lapseInvoices } from '../../src/payments/invoices/settle-invoices.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { appendEvents } from '../../src/platform/outbox/append.ts'
import { useShopApi } from '../api/shop-api.ts'
import { useDatabase } from '../support/database.ts'
import { invoiceRecords } from '../support/payments/records.ts'
import { now } from '../support/records/values.ts'

const database = useDatabase()
const api = useShopApi(database)

it('invoice.paid has the fields of the specification, and also type and reference', async () => {
  const seller = await api.openSeller()
  const invoiceID = await seller.createInvoice({ reference: 'order-1042' })
  const { address } = await api.shop.addressFor(invoiceID)
  const transfer = api.blocks.pay(address, 10_000_000n)
  await api.blocks.mine([transfer])
  const { data: events } = (await seller.call('GET', '/events')).body
  const paid = events.find(({ type }: { type: string }) => type === 'invoice.paid')
  expect(paid).toMatchObject({
    merchantID: seller.merchantId,
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
  })
  expect(paid.data).toEqual({
    invoiceID,
    type: 'onetime',
    reference: 'order-1042',
    amount: '10',
    currency: 'USDT',
    paidAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    txHash: transfer.txHash,
  })
})

describe('type and reference of an invoice', () => {
  it('are in every event of the invoice', async () => {
    const seller = await api.openSeller()
    const paid = await seller.createInvoice({ reference: 'order-1' })
    const short = await seller.createInvoice({ reference: 'order-2' })
    const unnamed = await seller.createInvoice({ type: 'reusable' })
    const transfers = [
      api.blocks.pay((await api.shop.addressFor(paid)).address, 10_000_000n),
      api.blocks.pay((await api.shop.addressFor(short)).address, 3_000_000n),
    ]
    await api.blocks.mine(transfers)
    await seller.call('POST', `/invoices/${unnamed}/close`)
    await inTransaction(database.db, async (tx) => {
      await invoiceRecords.change(tx, { id: short }, { expiresAt: now })
      await appendEvents(tx, await lapseInvoices(api.shop, tx, [short]))
    })
    await api.blocks.undo(1)
    const { data: events } = (await seller.call('GET', '/events')).body
    const emitted = events
      .filter(({ type }: { type: string }) => type.startsWith('invoice.'))
      .map(({ type, data }: { type: string; data: Record<string, unknown> }) =>
        [type, data['type'], data['reference']].join(' '),
      )
    expect(emitted).toEqual([
      'invoice.paid onetime order-1',
      'invoice.expired reusable ',
      'invoice.expired onetime order-2',
      'invoice.underpaid onetime order-2',
      'invoice.reverted onetime order-1',
    ])
  })
})
