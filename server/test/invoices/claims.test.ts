import { beforeAll, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { claimHash, claimToken } from '../../src/payments/invoices/claims/claim.ts'
import { completeClaim, reopenClaim, takeClaim } from '../../src/payments/invoices/claims/settle-claim.ts'
import { expireInvoices } from '../../src/payments/invoices/expire-invoices.ts'
import { inTransaction, type Tx } from '../../src/platform/db/transaction.ts'
import { appendEvents } from '../../src/platform/outbox/append.ts'
import { startBlocks } from '../support/blocks.ts'
import { blockRecords } from '../support/chains/records.ts'
import { useDatabase } from '../support/database.ts'
import { eventsTo } from '../support/emitted-events.ts'
import { invoiceRecords } from '../support/payments/records.ts'
import type { ChangeOf } from '../support/records/records.ts'
import { fromNow, now, times } from '../support/records/values.ts'
import { useShop } from '../support/shop.ts'
import { eventsOf, invoiceStatusOf } from '../support/shop-readers.ts'

const shop = useShop(useDatabase())

beforeAll(async () => {
  await startBlocks(shop, true)
})

async function openClaim() {
  const merchantId = await shop.openMerchant()
  const invoiceId = await shop.openInvoice(merchantId, { type: 'withdraw' })
  return { merchantId, invoiceId, token: claimToken(shop.claimKey, invoiceId) }
}

const within = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(shop.db, work)
const take = ({ invoiceId, token }: { invoiceId: string; token: string }) =>
  within((tx) => takeClaim(tx, invoiceId, token))
const notPayable = expect.objectContaining({ code: 'invoice-not-payable' })
const notFound = expect.objectContaining({ code: 'not-found', message: 'No such invoice.' })

const complete = (invoiceId: string) =>
  within(async (tx) => {
    const method = required(shop.methods.byId(1), 'a method')
    const events = await completeClaim(tx, invoiceId, { method, amountMinor: 9_900_000n, txHash: '0xpaid' })
    await appendEvents(tx, events)
  })

describe('a claim', () => {
  it('is taken once by any number of requests at once, with its token only', async () => {
    const claim = await openClaim()
    for (const token of ['', 'x', `${claim.token}A`, claimToken(shop.claimKey, newId())]) {
      await expect(take({ ...claim, token })).rejects.toEqual(notFound)
    }
    await expect(take({ ...claim, invoiceId: newId() })).rejects.toEqual(notFound)
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => take(claim)))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refused = tries.filter((one) => one.status === 'rejected')
    for (const { reason } of refused) expect(reason).toEqual(notPayable)
  })

  it('does not exist for an invoice that a customer pays', async () => {
    const invoiceId = await shop.openInvoice(await shop.openMerchant())
    const token = claimToken(shop.claimKey, invoiceId)
    await expect(take({ invoiceId, token })).rejects.toEqual(notFound)
  })

  it.each<[string, (merchantId: string) => ChangeOf<typeof invoiceRecords>]>([
    ['whose money it pays out', (merchantId) => ({ merchantId })],
    ['how much', () => ({ amountUsd: times(100) })],
    ['to whom', () => ({ claimHash: claimHash('a token of mine') })],
    ['by whom it was made', () => ({ claimMac: null })],
  ])('cannot be taken if somebody with write access to the database changed %s', async (_, set) => {
    const claim = await openClaim()
    const change = set(await shop.openMerchant())
    await invoiceRecords.change(shop.db, { id: claim.invoiceId }, change)
    const refused = expect.objectContaining({ alert: 'claim-tampered' })
    const tries = [take(claim), take({ ...claim, token: 'a token of mine' })]
    const reasons = (await Promise.allSettled(tries)).map((one) =>
      one.status === 'rejected' ? one.reason : one,
    )
    expect(reasons).toContainEqual(refused)
    for (const reason of reasons) expect([refused, notFound]).toContainEqual(reason)
    await invoiceRecords.remove(shop.db, { id: claim.invoiceId })
  })

  it('is open again after its withdrawal failed', async () => {
    const claim = await openClaim()
    await take(claim)
    await within((tx) => reopenClaim(tx, claim.invoiceId))
    await expect(take(claim)).resolves.toMatchObject({ id: claim.invoiceId })
  })

  it('makes its invoice paid when its withdrawal completes, and reports it once', async () => {
    const claim = await openClaim()
    await take(claim)
    await complete(claim.invoiceId)
    await complete(claim.invoiceId)
    expect(await invoiceStatusOf(shop, claim)).toEqual({ state: 'paid', exceptions: [] })
    expect(await eventsOf(shop, claim)).toEqual(['invoice.paid'])
    const [emitted] = await eventsTo(shop.db, claim.merchantId)
    expect(emitted?.data).toEqual({
      invoiceID: claim.invoiceId,
      type: 'withdraw',
      reference: null,
      amount: '9.9',
      currency: 'USDT',
      paidAt: expect.any(String),
      txHash: '0xpaid',
    })
    await within((tx) => reopenClaim(tx, claim.invoiceId))
    await expect(take(claim)).rejects.toEqual(notPayable)
  })

  it('ends with its invoice, which waits for a withdrawal in progress', async () => {
    const idle = await openClaim()
    const claimed = await openClaim()
    await take(claimed)
    await invoiceRecords.change(
      shop.db,
      { id: [idle.invoiceId, claimed.invoiceId] },
      { expiresAt: fromNow('-1 second') },
    )
    await expect(take(idle)).rejects.toEqual(notPayable)
    await blockRecords.change(shop.db, {}, { minedAt: now })
    await expireInvoices(shop).runBatch(new AbortController().signal)
    expect(await invoiceStatusOf(shop, idle)).toEqual({ state: 'expired', exceptions: [] })
    expect(await invoiceStatusOf(shop, claimed)).toEqual({ state: 'pending', exceptions: [] })
    await complete(claimed.invoiceId)
    expect(await invoiceStatusOf(shop, claimed)).toEqual({ state: 'paid', exceptions: [] })
    await expect(take(idle)).rejects.toEqual(notPayable)
  })
})
