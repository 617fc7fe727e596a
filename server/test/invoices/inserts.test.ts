import { expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import type { NewInvoice } from '../../src/payments/invoices/invoice.ts'
import { insertInvoices } from '../../src/payments/invoices/store.ts'
import { useDatabase } from '../support/database.ts'
import { invoiceRecords } from '../support/payments/records.ts'
import { useShop } from '../support/shop.ts'

const database = useDatabase()
const shop = useShop(database)

it('D07 the same references of two merchants, sent to two processes at once, do not deadlock', async () => {
  const merchantIds = [await shop.openMerchant(), await shop.openMerchant()]
  const crossed = merchantIds.toReversed()
  for (let round = 0; round < 5; round++) {
    const references = Array.from({ length: 200 }, (_, index) => `order-${round}-${index}`)
    const batches = [merchantIds, crossed].map((ids) =>
      references.flatMap((reference) => ids.map((merchantId) => invoiceOf(merchantId, reference))),
    )
    const stored = await Promise.all(batches.map((batch) => insertInvoices(database.db, batch)))
    expect(stored.reduce((total, { size }) => total + size, 0)).toBe(400)
  }
  const made = await invoiceRecords.all(database.db, {}, 'merchantId', 'reference')
  const references = made.map(({ merchantId, reference }) => `${merchantId} ${reference}`)
  expect(new Set(references).size).toBe(references.length)
})

function invoiceOf(merchantId: string, reference: string): NewInvoice {
  return {
    id: newId(),
    merchantId,
    type: 'onetime',
    amount: '10',
    amountUsd: 1_000_000_000n,
    reference,
    paymentMethodIds: [1],
    lifetimeMinutes: 60,
    description: undefined,
    redirectUrl: undefined,
    collectState: undefined,
    claimHash: undefined,
  }
}
