/**
 * Tests the payer's page through HTTP: what it shows in each state, what it hides, and how it shows changes.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { languages } from '../../src/checkout/languages/language.ts'
import { newId } from '../../src/core/ids.ts'
import { noteFeeLevel } from '../../src/outgoing/sweeps/deposited-store.ts'
import { useDatabase } from '../support/database.ts'
import {
  addressRecords,
  depositRecords,
  invoiceRecords,
  quoteRecords,
  rateRecords,
} from '../support/payments/records.ts'
import { fromNow } from '../support/records/values.ts'
import { takePrices } from '../support/shop.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
let seller: Seller

beforeAll(async () => {
  seller = await api.openSeller()
})

const browser = { headers: { accept: 'text/html,*/*;q=0.8' } }
const page = (path: string, headers: Record<string, string> = {}) =>
  api.call('GET', `/pay/${path}`, { headers: { ...browser.headers, ...headers } })
const statusOf = async (id: string, query = '') => (await api.call('GET', `/pay/${id}/status${query}`)).body
const phaseOf = async (id: string, query = '') => (await statusOf(id, query)).phase

/** Pays to the address on the page, in whole units of USDT by default. */
async function pay(id: string, units: number, methodId = 1): Promise<void> {
  const { address } = (await api.addressOf(id, methodId)).body
  await api.blocks.mine([api.blocks.pay(address.toLowerCase(), BigInt(units) * 1_000_000n, methodId)])
}

async function endTime(id: string): Promise<void> {
  await invoiceRecords.change(
    database.db,
    { id },
    { createdAt: fromNow('-2 hours'), expiresAt: fromNow('-1 hour') },
  )
  await quoteRecords.change(
    database.db,
    { invoiceId: id },
    { quotedAt: fromNow('-2 hours'), expiresAt: fromNow('-1 hour') },
  )
}

/**
 * Books a payment, and makes it look as if it was seen before the time at which `endTime` ends the invoice.
 */
async function seeInTime(id: string, payment: ReturnType<typeof api.blocks.pay>): Promise<void> {
  await api.blocks.see([payment])
  await depositRecords.change(
    database.db,
    { invoiceId: id, txHash: payment.txHash },
    { inTimeAt: fromNow('-90 minutes') },
  )
}

/** Expires the invoice as the watcher's job does, once blocks after the invoice's end are booked. */
async function expire(id: string): Promise<void> {
  await endTime(id)
  await invoiceRecords.change(database.db, { id }, { state: 'expired' })
}

describe('without JavaScript', () => {
  it('shows address, amount, QR code and wallet link at once if the invoice has one method', async () => {
    const id = await seller.createInvoice({ amount: '25', description: 'A blue hat' })
    const { status, text, headers } = await page(id)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    const { address } = (await api.addressOf(id)).body
    expect(text).toContain(`data-address>${address}</code>`)
    expect(text).toContain('<span data-amount>25</span> USDT')
    expect(text).toContain('$25.00')
    expect(text).toContain('A blue hat')
    expect(text).toMatch(/<svg class="qr" role="img"[^>]*>.*<path d="M/s)
    expect(text).toContain(`address=${address}&amp;uint256=25000000" data-uri`)
    expect(text).toContain('<h1>Waiting for your payment</h1>')
  })

  it('assigns no address for a HEAD request', async () => {
    const id = await seller.createInvoice()
    for (const path of ['', '/status', '/events'])
      expect((await api.call('HEAD', `/pay/${id}${path}`, browser)).status).toBe(200)
    expect(await addressRecords.all(database.db, { invoiceId: id })).toEqual([])
    await page(id)
    await page(id)
    expect(await addressRecords.all(database.db, { invoiceId: id })).toHaveLength(1)
  })

  it('lets a payer choose a method by a form, which assigns the address, and choose again', async () => {
    const id = await seller.createInvoice({ paymentMethodIDs: [3] })
    const chooser = (await page(id)).text
    expect(chooser).toContain(`<form method="post" action="/pay/${id}/method/3?lang=en">`)
    expect(chooser).not.toContain('data-address')
    const chosen = await fetch(`http://127.0.0.1:${api.port}/pay/${id}/method/3?lang=en`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      redirect: 'manual',
    })
    expect(chosen.status).toBe(303)
    expect(chosen.headers.get('location')).toBe(`/pay/${id}?lang=en&method=3`)
    const { address } = (await api.addressOf(id, 3)).body
    expect((await page(`${id}?method=3`)).text).toContain(address)
    expect((await page(id)).text).toContain(address)
    expect((await page(`${id}?choose=true`)).text).not.toContain(address)
  })

  it('shows what a payment typically costs, from the newest stored base fee', async () => {
    const id = await seller.createInvoice({ paymentMethodIDs: [3] })
    expect((await page(id)).text).toContain('Fee about <bdi>$0.10</bdi>')
    await noteFeeLevel(database.db, 'ethereum', 2_000_000_000n, 24)
    const { text } = await page(id)
    expect(text).toMatch(/USDT on.*Fee about <bdi>\$0\.30<.*ETH on.*Fee about <bdi>\$0\.10</)
    expect(text).toContain('credited in about <bdi><bdi>25</bdi> seconds</bdi>')
  })

  it('gives a new amount at the same address by a form, once the price has expired', async () => {
    const id = await seller.createInvoice({ paymentMethodIDs: [3], expiresInMinutes: 600 })
    const { address } = (await api.addressOf(id, 3)).body
    await quoteRecords.change(
      database.db,
      { invoiceId: id },
      { quotedAt: fromNow('-2 hours'), expiresAt: fromNow('-1 hour') },
    )
    const over = (await page(id)).text
    expect(over).toContain('<h1>The price has expired</h1>')
    expect(over).not.toContain(address)
    const form = /action="([^"]+)"/.exec(over)?.[1] ?? ''
    await fetch(`http://127.0.0.1:${api.port}${form}`, { method: 'POST' })
    expect((await page(id)).text).toContain(address)
  })

  it('states why no address can be assigned', async () => {
    const small = await seller.createInvoice({ amount: '0.01' })
    expect((await page(small)).text).toContain('The amount is too small for this payment method.')
    const id = await seller.createInvoice({ paymentMethodIDs: [3] })
    await rateRecords.remove(database.db)
    const answer = await fetch(`http://127.0.0.1:${api.port}/pay/${id}/method/3?lang=de`, { method: 'POST' })
    expect(await answer.text()).toContain('gerade keinen aktuellen Preis')
    await takePrices(api.shop)
  })
})

describe('each state', () => {
  it('is shown, from the first sight of a payment to its last confirmation', async () => {
    const id = await seller.createInvoice({ amount: '10' })
    expect(await phaseOf(id)).toBe('pay')
    await pay(id, 10)
    const paid = await statusOf(id)
    expect(paid).toMatchObject({ phase: 'paid', title: 'Paid · Shop', endsInS: null })
    expect(paid.card).toContain('<bdi>1</bdi> of <bdi>2</bdi> confirmations')
    await api.blocks.mine()
    const { card } = await statusOf(id)
    expect(card).toContain('Confirmed')
    expect(card).not.toContain('<progress')
  })

  it('asks for exactly the rest after a partial payment, with a QR code for it', async () => {
    const id = await seller.createInvoice({ amount: '10' })
    const before = await statusOf(id)
    const { address } = (await api.addressOf(id)).body
    await api.blocks.mine([api.blocks.pay(address.toLowerCase(), 6_800_000n)])
    const { phase, card, announcement } = await statusOf(id)
    expect(phase).toBe('partial')
    expect(announcement).toBe('Part of the amount has arrived. Send 3.2 USDT more to complete the payment.')
    expect(card).toContain('uint256=3200000')
    const code = (text: string) => /<path d="(M[^"]+)" stroke="#000"/.exec(text)?.[1]
    expect(code(card)).not.toBe(code(before.card))
    await api.blocks.mine([api.blocks.pay(address.toLowerCase(), 3_200_000n)])
    expect(await phaseOf(id)).toBe('paid')
  })

  it('asks for the rest while a partial payment is unconfirmed, and for nothing while a sufficient one is', async () => {
    const id = await seller.createInvoice({ amount: '10' })
    const { address } = (await api.addressOf(id)).body
    const first = api.blocks.pay(address.toLowerCase(), 6_800_000n)
    await api.blocks.see([first])
    const part = await statusOf(id)
    expect(part.announcement).toBe(
      'Part of the amount has been detected. Waiting to be included in a block: 6.8 USDT. Send 3.2 USDT more to complete the payment.',
    )
    expect(part).toMatchObject({ phase: 'part-seen', endsInS: expect.any(Number) })
    expect(part.card).toContain('uint256=3200000')
    expect(part.card).toContain('<dt>Send the rest</dt>')
    const last = api.blocks.pay(address.toLowerCase(), 3_200_000n)
    await api.blocks.see([last])
    const seen = await statusOf(id)
    expect(seen.phase).toBe('seen')
    expect(seen.card).not.toContain('data-address')
    await api.blocks.mine([first])
    expect(await phaseOf(id)).toBe('seen')
    await api.blocks.mine([last])
    expect(await phaseOf(id)).toBe('paid')
  })

  it('counts every unconfirmed payment, however many newer ones there are', async () => {
    const id = await seller.createInvoice({ amount: '10' })
    const { address } = (await api.addressOf(id)).body
    await api.blocks.see([api.blocks.pay(address.toLowerCase(), 9_000_000n)])
    for (let dust = 0; dust < 6; dust++)
      await api.blocks.see([api.blocks.pay(address.toLowerCase(), 10_000n)])
    expect((await statusOf(id)).card).toContain('uint256=940000')
  })

  it('asks only for the rest while a partial payment that left its block waits for another block', async () => {
    const id = await seller.createInvoice({ amount: '10' })
    await pay(id, 6)
    await api.blocks.undo(1)
    const { phase, card } = await statusOf(id)
    expect(phase).toBe('part-seen')
    expect(card).toContain('uint256=4000000')
    await depositRecords.change(database.db, { invoiceId: id }, { unseenSince: fromNow('-1 hour') })
    expect(await statusOf(id)).toMatchObject({
      phase: 'pay',
      card: expect.stringContaining('uint256=10000000'),
    })
  })

  it('states that the invoice was overpaid', async () => {
    const id = await seller.createInvoice({ amount: '10' })
    await pay(id, 12)
    expect((await statusOf(id)).card).toContain('You sent more than requested.')
  })

  it("returns to the unconfirmed state when a payment's block is dropped, and warns against paying twice", async () => {
    const id = await seller.createInvoice({ amount: '10' })
    await pay(id, 10)
    await api.blocks.undo(1)
    const { phase, card } = await statusOf(id)
    expect(phase).toBe('dropped')
    expect(card).toContain('do not pay twice')
    await depositRecords.change(database.db, { invoiceId: id }, { unseenSince: fromNow('-1 hour') })
    expect(await phaseOf(id)).toBe('pay')
  })

  it('waits for confirmations if the merchant requires them', async () => {
    const id = await seller.createInvoice({ amount: '10' })
    await invoiceRecords.change(database.db, { id }, { paidWhen: 'confirmed' })
    await pay(id, 10)
    expect(await phaseOf(id)).toBe('confirming')
    await api.blocks.mine()
    expect(await phaseOf(id)).toBe('paid')
  })

  it('does not show an invoice as expired if its payment came in time and waits for confirmations', async () => {
    const id = await seller.createInvoice({ amount: '10' })
    await invoiceRecords.change(database.db, { id }, { paidWhen: 'confirmed' })
    await pay(id, 10)
    for (const end of [endTime, expire]) {
      await end(id)
      const { phase, card } = await statusOf(id)
      expect(phase).toBe('confirming')
      expect(card).toContain('<bdi>1</bdi> of <bdi>2</bdi> confirmations')
    }
  })

  it.each<[string, number, string]>([
    ['nothing', 0, 'expired'],
    ['too little', 4, 'short'],
  ])('states that the time is over with %s paid', async (_, units, phase) => {
    const id = await seller.createInvoice({ amount: '10' })
    if (units > 0) await pay(id, units)
    else await api.addressOf(id)
    await expire(id)
    const { card, phase: shown } = await statusOf(id)
    expect(shown).toBe(phase)
    expect(card).not.toContain('data-address')
  })

  it('states what happens to an unconfirmed partial payment when the time ends, and to the rest', async () => {
    const id = await seller.createInvoice({ amount: '10' })
    const { address } = (await api.addressOf(id)).body
    const first = api.blocks.pay(address.toLowerCase(), 4_000_000n)
    await seeInTime(id, first)
    await endTime(id)
    const over = await statusOf(id)
    expect(over).toMatchObject({ phase: 'part-over', endsInS: null })
    expect(over.announcement).toBe(
      'Only part of the amount was sent in time. Waiting to be included in a block: 4 USDT. Nothing is lost: Shop receives it. Please contact them before you send more.',
    )
    expect(over.card).not.toContain('data-address')
    // A payment that is sent now is late and does not complete the invoice.
    await api.blocks.see([api.blocks.pay(address.toLowerCase(), 6_000_000n)])
    expect(await phaseOf(id)).toBe('part-over')
    await seeInTime(id, api.blocks.pay(address.toLowerCase(), 6_000_000n))
    expect(await phaseOf(id)).toBe('seen')
    await api.blocks.mine([first])
    expect(await phaseOf(id)).toBe('seen')
  })

  it('shows a payment that was sent after the end as late, also before it is in a block', async () => {
    const id = await seller.createInvoice({ amount: '10' })
    const { address } = (await api.addressOf(id)).body
    await endTime(id)
    await api.blocks.see([api.blocks.pay(address.toLowerCase(), 10_000_000n)])
    expect(await phaseOf(id)).toBe('late')
  })

  it('states that a payment came late', async () => {
    const id = await seller.createInvoice({ amount: '10' })
    const { address } = (await api.addressOf(id)).body
    await expire(id)
    await api.blocks.mine([api.blocks.pay(address.toLowerCase(), 10_000_000n)])
    expect(await phaseOf(id)).toBe('late')
  })

  it('lets a payer pay a reusable invoice again, and pay more to a collection', async () => {
    for (const [type, units] of [
      ['reusable', 10],
      ['collect', 4],
    ] as const) {
      const id = await seller.createInvoice({ amount: '10', type })
      await pay(id, units)
      expect(await phaseOf(id)).toBe('pay')
    }
  })

  it('shows the claim form of a withdraw invoice and forbids other pages to frame it', async () => {
    const id = await seller.createInvoice({ type: 'withdraw' })
    const { text, headers } = await page(id)
    expect(text).toContain('<h1><bdi>Shop</bdi> is paying you</h1>')
    expect(text).toContain(`data-claim="/public/invoices/${id}/claim"`)
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('x-frame-options')).toBe('DENY')
    await expire(id)
    expect(await phaseOf(id)).toBe('claim-over')
  })

  it('is an error page for a browser if the invoice does not exist, and a problem document for a program', async () => {
    for (const path of [newId(), 'x']) {
      const { status, text } = await page(path, { 'accept-language': 'fr' })
      expect(status).toBe(404)
      expect(text).toContain('Facture introuvable')
    }
    expect((await api.call('GET', `/pay/${newId()}`)).body.code).toBe('not-found')
  })
})

describe('privacy', () => {
  it('shows only name, amount and description of merchant and invoice', async () => {
    const id = await seller.createInvoice({ reference: 'order-4711-secret', paymentMethodIDs: [3] })
    const texts = [(await page(id)).text, (await api.call('GET', `/pay/${id}/status`)).text].join()
    for (const secret of ['order-4711-secret', seller.merchantId, seller.email])
      expect(texts).not.toContain(secret)
    expect(Object.keys(JSON.parse((await api.call('GET', `/pay/${id}/status`)).text))).toEqual([
      'version',
      'phase',
      'title',
      'announcement',
      'card',
      'endsInS',
    ])
  })

  it('escapes every text of a merchant', async () => {
    const evil = `"><script>alert(1)</script><img src=x onerror='alert(2)'>{merchant}`
    const other = await api.openSeller()
    await api.call('PUT', `/merchants/${other.merchantId}`, { token: other.token, json: { name: evil } })
    const id = await other.createInvoice({
      description: evil,
      redirectURL: 'https://shop.example/?a="><script>alert(3)</script>',
    })
    await pay(id, 10)
    const { text } = await page(id)
    expect(text).not.toMatch(/<script>|<img|onerror='/)
    expect(text).toContain('&lt;script&gt;alert(1)')
    expect((await statusOf(id)).card).not.toMatch(/<script|<img/)
  })

  it('loads nothing from other hosts, may be framed by shops, and sends no referrer', async () => {
    const { headers } = await page(await seller.createInvoice())
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors *",
    )
    expect(headers.get('x-frame-options')).toBeNull()
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-robots-tag')).toBe('noindex')
    expect(headers.get('cache-control')).toBe('no-store')
  })
})

describe('languages', () => {
  it('are chosen by a parameter of the address, else by the browser, with their text direction', async () => {
    const id = await seller.createInvoice()
    const open = async (query: string, accepted: string) =>
      (await page(`${id}${query}`, { 'accept-language': accepted })).text
    expect(await open('', 'xx, he;q=0.3, pt-BR;q=0.8')).toContain('<html lang="pt" dir="ltr">')
    expect(await open('', 'fa-IR,en;q=0.5')).toContain('<html lang="fa" dir="rtl">')
    expect(await open('?lang=ar', 'en')).toContain('<html lang="ar" dir="rtl">')
    expect(await open('', '*')).toContain('<html lang="en" dir="ltr">')
    expect((await page(`${id}?lang=tlh`)).status).toBe(400)
  })

  it.each(languages.map(({ code }) => code))('%s shows the same address and amount', async (code) => {
    const id = await seller.createInvoice({ amount: '1234.5' })
    const { address } = (await api.addressOf(id)).body
    const { text } = await page(`${id}?lang=${code}`)
    expect(text).toContain(`data-address>${address}<`)
    expect(text).toContain('<span data-amount>1234.5</span> USDT')
    expect(text.replace(/<div id="texts".*/, '')).not.toMatch(/\{\w+\}/)
  })
})
