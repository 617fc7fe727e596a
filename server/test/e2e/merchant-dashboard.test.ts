/**
 * Tests where the dashboard's links lead, and which state the pages keep: in a real Chromium, with a real
 * sandbox.
 */
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type BrowserTab,
  chromiumPath,
  expectNoErrors,
  expectNoErrorsInAnyTheme,
  useBrowser,
} from '../support/browser.ts'
import { call, type MerchantClient, openMerchant, payFrom, printedLogin } from '../support/coffer-client.ts'
import { ownSettings, type RunningCoffer, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { confirmPassword, signIn } from '../support/sign-in.ts'

const folders = useDataDirs()
const browser = useBrowser()
const patience = { timeout: 20_000, interval: 50 }

describe.skipIf(chromiumPath === undefined)('navigation in the dashboard, in Chromium', () => {
  let coffer: RunningCoffer
  let merchant: MerchantClient
  let tab: BrowserTab
  let page: Page

  beforeAll(async () => {
    coffer = await startCoffer(await ownSettings(await folders.fresh()))
    merchant = await openMerchant(coffer.url, printedLogin(coffer))
    tab = await browser.open({ viewport: { width: 1_280, height: 900 } })
    page = tab.page
    page.setDefaultTimeout(20_000)
    await signIn(page, coffer.url, printedLogin(coffer))
  })

  const go = (path: string) => page.goto(`${coffer.url}/dashboard/m/${merchant.merchantId}${path}`)
  const rows = () => page.getByRole('table', { name: 'Invoices' }).locator('tbody tr')
  const isFocused = (field: Locator) => field.and(page.locator(':focus')).waitFor()
  const shows = (count: number) => vi.waitUntil(async () => (await rows().count()) === count, patience)

  it('returns to the invoice list as it was left, with the search text in its field', async () => {
    await merchant.createInvoice({ amount: '12', description: 'beans', reference: 'B-1' })
    await merchant.createInvoice({ amount: '64', description: 'a mill' })
    await go('/invoices')
    await shows(2)
    await page.getByLabel('Search descriptions').fill('beans')
    await page.keyboard.press('Enter')
    await shows(1)
    await rows().getByText('B-1').waitFor()
    await expectNoErrors(tab)
    await rows().getByRole('link').click()
    await page.getByRole('heading', { name: 'Invoice for $12.00' }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Invoices' }).click()
    await shows(1)
    expect(await page.getByLabel('Search descriptions').inputValue()).toBe('beans')
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await shows(2)
    expect(await page.getByLabel('Search descriptions').inputValue()).toBe('')
  })

  it("sorts the list by a column's head, and reverses the order", async () => {
    await go('/invoices')
    await shows(2)
    const first = () => rows().first().getByRole('link').innerText()
    await page.getByRole('button', { name: 'Amount' }).click()
    await vi.waitUntil(async () => (await first()) === '$64.00', patience)
    await page.getByRole('button', { name: 'Amount' }).click()
    await vi.waitUntil(async () => (await first()) === '$12.00', patience)
    await page
      .getByRole('columnheader', { name: 'Amount' })
      .and(page.locator('[aria-sort=ascending]'))
      .waitFor()
    await expectNoErrors(tab)
  })

  it('keeps the input of a form while the server cannot return the merchant', async () => {
    await merchant.setWebhook('http://127.0.0.1:9/hook', 'a secret of at least thirty-two characters')
    await go('/webhook')
    await page.getByLabel('Secret').fill('half a secret')
    const path = `${coffer.url}/merchants/${merchant.merchantId}`
    // A temporary error. Chromium would report a status above 499 in the console.
    await page.route(path, (route) => route.fulfill({ status: 409, json: { code: 'internal', status: 409 } }))
    const failed = page.waitForResponse(path)
    await page.getByRole('button', { name: 'Send test event' }).click()
    expect((await failed).status()).toBe(409)
    await page.getByRole('table', { name: 'Deliveries' }).getByText('webhook.test').waitFor()
    expect(await page.getByLabel('Secret').inputValue()).toBe('half a secret')
    await page.unroute(path)
  })

  it('shows an error of a withdrawal beside its field, and keeps the other fields', async () => {
    const id = await merchant.createInvoice({ amount: '100' })
    await payFrom(coffer.nodeUrl, 4, await merchant.addressOf(id))
    await vi.waitUntil(
      async () => (await merchant.transactions()).some(({ state }) => state === 'confirmed'),
      patience,
    )
    await go('/withdrawals/new')
    const invalid = (label: string) => page.getByLabel(label).and(page.locator('[aria-invalid=true]'))
    // The page offers the amount that was paid in.
    await page.getByText('Use maximum').waitFor()
    await page.getByLabel('Amount').fill('much')
    await page.getByLabel('Recipient address').fill('0x1234')
    const goOn = () => page.getByRole('button', { name: 'Continue' }).click()
    await goOn()
    await invalid('Amount').waitFor()
    await invalid('Recipient address').waitFor()
    await expectNoErrors(tab)
    await page.getByLabel('Amount').fill('0.01')
    await goOn()
    await invalid('Recipient address').waitFor()
    expect(await page.getByLabel('Amount').inputValue()).toBe('0.01')
    await isFocused(page.getByLabel('Recipient address'))
    await expectNoErrors(tab)
    await page.getByLabel('Recipient address').fill('0x70997970C51812dc3A010C7d01b50e0d17dc79C8')
    await page.getByLabel('Amount').fill('9999')
    await goOn()
    await invalid('Amount').waitFor()
    expect(await page.getByRole('heading', { name: 'Review withdrawal' }).count()).toBe(0)
  })

  it('asks for the password before money is sent, and sends nothing without it', async () => {
    const { password } = printedLogin(coffer)
    await page.getByLabel('Amount').fill('0.01')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Review withdrawal' }).waitFor()
    await page.getByRole('button', { name: 'Send' }).click()
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await dialog.getByLabel('Password').fill('not that one')
    await expectNoErrors(tab)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await dialog.getByLabel('Password').and(page.locator('[aria-invalid=true]')).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('This action needs your password').waitFor()
    await expectNoErrors(tab)
    const sent = () => merchant.call('GET', `/merchants/${merchant.merchantId}/withdrawals`)
    expect((await sent()).body.total).toBe(0)
    await page.getByRole('button', { name: 'Send' }).click()
    await confirmPassword(page, { password })
    await page.getByRole('table', { name: 'Withdrawals' }).getByText('0.01').waitFor()
    expect((await sent()).body.total).toBe(1)
  })

  it('shows who may claim a payout, and later by what it was paid', async () => {
    const input = { amount: '5', type: 'withdraw', paymentMethodID: 3, description: 'Refund of order 7' }
    const { body } = await merchant.call('POST', `/merchants/${merchant.merchantId}/invoices`, input)
    await go(`/invoices/${body.id}`)
    await page.getByRole('heading', { name: 'Payout link for $5.00' }).waitFor()
    expect(await page.getByText(/Received|No payments yet/).count()).toBe(0)
    await page.getByRole('button', { name: 'Show claim link' }).click()
    await confirmPassword(page, printedLogin(coffer))
    await page.getByText(body.claimURL, { exact: true }).waitFor()
    await expectNoErrors(tab)
    const token = new URL(body.claimURL).hash.replace('#claim=', '')
    const claim = { token, address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }
    await call(`${coffer.url}/public/invoices/${body.id}/claim`, 'POST', {}, claim)
    await page.reload()
    await page.getByText('This withdrawal pays the claim.').waitFor()
    await expectNoErrorsInAnyTheme(tab, 'payout')
    await page.setViewportSize({ width: 1_280, height: 900 })
  })

  it('moves the focus to the first invalid field, and names the error in it', async () => {
    await go('/invoices/new')
    await page.getByLabel('Amount').fill('-3')
    await page.getByRole('button', { name: 'Create invoice' }).click()
    await isFocused(page.getByLabel('Amount').and(page.locator('[aria-invalid=true]')))
    await go('/ip-restriction')
    await page.getByLabel('Addresses').fill('203.0.113.7\nnonsense')
    await page.getByRole('button', { name: 'Restrict to these addresses' }).click()
    await page.getByText('nonsense must be an IPv4').waitFor()
    await isFocused(page.getByLabel('Addresses'))
    await expectNoErrors(tab)
  })

  it("compares today's figures with the days before, and keeps the chosen days", async () => {
    await go('/overview')
    await page.getByText('none in the previous 30 days').first().waitFor()
    await page.getByLabel('Days shown').selectOption('7')
    await page.getByText('none in the previous 7 days').first().waitFor()
    await expectNoErrors(tab)
    await page.getByRole('link', { name: 'Pending', exact: true }).click()
    await shows(2)
    await page.goBack()
    await page.getByText('none in the previous 7 days').first().waitFor()
  })

  it("goes to another merchant's home page after one is deleted", async () => {
    const bearer = { authorization: `Bearer ${merchant.token}` }
    const { body } = await call(`${coffer.url}/merchants`, 'POST', bearer, { name: 'Kiosk' })
    await page.goto(`${coffer.url}/dashboard/m/${body.id}/settings`)
    await page.getByRole('button', { name: 'Delete merchant' }).click()
    const word = page.getByLabel('Type “Kiosk” to confirm')
    await isFocused(word)
    await word.fill('Kiosk')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete merchant' }).click()
    await page.getByRole('heading', { name: 'My shop' }).waitFor()
    await expectNoErrors(tab)
  })

  it('takes a user who has to sign in first to the requested page', async () => {
    const id = await merchant.createInvoice({ amount: '33' })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await go(`/invoices/${id}`)
    const { email, password } = printedLogin(coffer)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Invoice for $33.00' }).waitFor()
    await expectNoErrors(tab)
  })
})
