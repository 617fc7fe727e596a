/**
 * Tests `coffer.js`, which shows the checkout in a modal above a shop's page, in a real browser on a page of
 * another origin.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { chromiumPath, useBrowser } from '../support/browser.ts'
import { type MerchantClient, openMerchant, printedLogin } from '../support/coffer-client.ts'
import { ownSettings, type RunningCoffer, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { sendTether } from '../support/payer.ts'
import { draw } from '../support/valid-page.ts'

const folders = useDataDirs()
const browser = useBrowser()
const example = new URL('../../../docs/examples/checkout-modal.html', import.meta.url)

describe.skipIf(chromiumPath === undefined)('the modal of coffer.js, in Chromium', () => {
  let coffer: RunningCoffer
  let merchant: MerchantClient
  let shop: Server
  let shopUrl: string
  /** The checkout's URL in the shop's page, and the policy of that page. */
  const shown = { url: '', policy: '' }

  beforeAll(async () => {
    coffer = await startCoffer(await ownSettings(await folders.fresh(), { SANDBOX_BLOCK_TIME_S: '0.5' }))
    merchant = await openMerchant(coffer.url, printedLogin(coffer))
    const html = readFileSync(example, 'utf8').replaceAll(
      'http://127.0.0.1:3000/coffer.js',
      `${coffer.url}/coffer.js`,
    )
    shop = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      if (shown.policy !== '') response.setHeader('content-security-policy', shown.policy)
      response.end(html.replace('http://127.0.0.1:3000/pay/INVOICE-ID', shown.url))
    }).listen(0, '127.0.0.1')
    await once(shop, 'listening')
    shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/`
  })
  afterAll(() => shop?.close())

  /**
   * Opens a shop whose page links to the checkout at `url`. `policy` is the page's content security policy.
   */
  async function openShop(url: string, policy = '') {
    Object.assign(shown, { url, policy })
    const tab = await browser.open({ viewport: { width: 1440, height: 1000 } })
    await tab.page.goto(shopUrl)
    return tab
  }

  const checkoutOf = async (over: object = {}, query = '') =>
    `${coffer.url}/pay/${await merchant.createInvoice({ amount: '10', paymentMethodID: 1, ...over })}${query}`
  const painted = async (frame: Frame) => {
    await frame.waitForLoadState('load')
    await frame.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  }
  const pay = (page: Page) => page.getByRole('link', { name: 'Pay' }).click()

  it('opens above the shop’s page, which is notified once the invoice is paid', async () => {
    const { page, errors } = await openShop(await checkoutOf())
    await pay(page)
    const to = required(
      await page.frameLocator('iframe').locator('[data-address]').textContent(),
      'an address',
    )
    await painted(required(page.frames().at(-1), 'the checkout’s frame'))
    await draw(page, 'checkout-modal-light-1440', false)
    await sendTether(coffer, to, 10_000_000n)
    await page.getByText('Thank you! Your order is on its way.').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    expect(errors).toEqual([])
  })

  it('keeps the focus inside, closes on Escape, and then returns the focus and scrolling to the page', async () => {
    const { page } = await openShop(await checkoutOf({}, '?lang=de'))
    await page.evaluate(`document.body.style.height = '5000px'; scrollTo(0, 40)`)
    await page.getByRole('link', { name: 'Pay' }).focus()
    await page.keyboard.press('Enter')
    const close = page.getByRole('button', { name: 'Schließen' })
    await close.waitFor()
    expect(await page.getByRole('dialog', { name: 'Zahlung an My shop' }).count()).toBe(1)
    expect(await page.evaluate(`getComputedStyle(document.documentElement).overflowY`)).toBe('hidden')
    for (let index = 0; index < 30; index++) {
      await page.keyboard.press('Tab')
      expect(await page.evaluate(`document.activeElement.tagName`)).toMatch(/^(IFRAME|BUTTON|BODY|DIALOG)$/)
    }
    await page.frameLocator('iframe').locator('summary').focus()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    expect(await page.evaluate(`document.activeElement.id`)).toBe('pay')
    expect(await page.evaluate(`[document.documentElement.style.overflow, scrollY]`)).toEqual(['', 40])
  })

  it('shows one checkout at a time, and tells the opener how it was closed', async () => {
    const { page } = await openShop(await checkoutOf())
    const first = await checkoutOf()
    const second = await checkoutOf()
    await page.evaluate(
      `left = []; Coffer.open('${first}', { onClose: (phase) => left.push(phase) }); undefined`,
    )
    await page.frameLocator('iframe').locator('.framed [data-address]').waitFor()
    await page.evaluate(`Coffer.open('${second}', { onClose: (phase) => left.push(phase) }); undefined`)
    await page.locator(`iframe[src="${second}"]`).waitFor()
    await expect.poll(() => page.locator('dialog').count()).toBe(1)
    await page.frameLocator('iframe').locator('.framed [data-address]').waitFor()
    expect(await page.evaluate(`getComputedStyle(document.documentElement).overflowY`)).toBe('hidden')
    await page.getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => page.evaluate('left')).toEqual(['pay', 'pay'])
    expect(await page.evaluate(`document.documentElement.style.overflow`)).toBe('')
  })

  it('accepts messages only from the checkout that it opened', async () => {
    const { page } = await openShop(await checkoutOf())
    await pay(page)
    await page.frameLocator('iframe').locator('.framed [data-address]').waitFor()
    await page.evaluate(`new Promise((resolve) => {
      addEventListener('message', ({ data }) => data === 'last' && resolve())
      postMessage({ source: 'coffer', invoiceID: 'x', phase: 'paid' }, '*')
      postMessage({ source: 'coffer', wish: 'close' }, '*')
      postMessage('last', '*')
    })`)
    expect(await page.locator('dialog').count()).toBe(1)
    expect(await page.locator('#state').innerText()).toBe('')
  })

  it.each<[string, () => Promise<string>, string]>([
    [
      'the shop’s policy lets it frame nothing',
      () => checkoutOf(),
      `default-src 'self'; script-src * 'unsafe-inline'`,
    ],
    [
      'the page lets nobody frame it',
      async () => {
        const input = { amount: '5', type: 'withdraw', paymentMethodID: 1 }
        return (await merchant.call('POST', `/merchants/${merchant.merchantId}/invoices`, input)).body
          .claimURL
      },
      '',
    ],
  ])('navigates to the checkout like the link if %s', async (_, urlOf, policy) => {
    const url = await urlOf()
    const { page } = await openShop(url, policy)
    await pay(page)
    await page.waitForURL(url)
    await page.locator('#card').waitFor()
  })
})
