/** What a receiver of events may rely on, by the specification alone. */
import { expect, it } from 'vitest'
import { useShopApi } from '../api/shop-api.ts'
import { useDatabase } from '../support/database.ts'

const api = useShopApi(useDatabase())

it('invoice.paid has the fields of the specification, and type and reference beside them', async () => {
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
