/** Tests the dashboard as a merchant uses it: a real browser, a real sandbox, a real chain. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import {
  type BrowserTab,
  chromiumPath,
  expectNoErrors,
  expectNoErrorsInAnyTheme,
  useBrowser,
} from '../support/browser.ts'
import { call, openMerchant, payFrom, printedLogin } from '../support/coffer-client.ts'
import { ownSettings, type RunningCoffer, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { startMerchantServer, status } from '../support/merchant-server.ts'
import { confirmPassword, signIn } from '../support/sign-in.ts'
import { dashboardPages } from './dashboard-pages.ts'

const folders = useDataDirs()
const browser = useBrowser()
const password = 'a quiet river under the old bridge'
const externalAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

describe.skipIf(chromiumPath === undefined)('the dashboard, in Chromium', () => {
  let coffer: RunningCoffer
  let tab: BrowserTab
  let page: Page

  beforeAll(async () => {
    coffer = await startCoffer(await ownSettings(await folders.fresh()))
    tab = await browser.open({ viewport: { width: 1_280, height: 900 } })
    page = tab.page
    page.setDefaultTimeout(20_000)
  })

  it('takes a new user to a first merchant', async () => {
    await page.goto(`${coffer.url}/dashboard`)
    await page.getByRole('link', { name: 'Sign up' }).click()
    await expectNoErrors(tab)
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('link', { name: 'Create merchant' }).click()
    await page.getByLabel('Name').fill('Ada’s shop')
    await page.getByRole('button', { name: 'Create merchant' }).click()
    await page.getByRole('heading', { name: 'Ada’s shop' }).waitFor()
    await expectNoErrors(tab)
  })

  it('takes a user from the first step to a paid invoice in four clicks and one field', async () => {
    await page.getByRole('link', { name: 'Create an invoice and get paid' }).click()
    await page.getByLabel('Amount').fill('25')
    await page.getByRole('button', { name: 'Create invoice' }).click()
    await page.getByRole('button', { name: 'Pay with test money' }).waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    // An invoice that is created but not paid leaves the step open. The link of the step leads to the
    // remaining part.
    await page.getByRole('link', { name: /^to do Get your invoice paid/ }).click()
    await page.getByRole('button', { name: 'Pay with test money' }).click()
    await page.getByRole('main').getByText('paid', { exact: true }).first().waitFor()
    await expectNoErrors(tab)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('link', { name: /^done .*paid/ }).waitFor()
    await page.getByRole('link', { name: /^to do Set up a webhook/ }).waitFor()
    await expectNoErrors(tab)
  })

  it('shows a new API key once', async () => {
    await page.getByRole('link', { name: 'API key', exact: true }).click()
    await page.getByRole('button', { name: 'Generate key' }).click()
    await confirmPassword(page, { password })
    await page.getByText('it is shown only once').waitFor()
    await expectNoErrors(tab)
    await page.reload()
    await page.getByText('Last used').waitFor()
    expect(await page.getByText('it is shown only once').count()).toBe(0)
  })

  it('shows a Bearer token under API access, which gives access to the account’s merchants', async () => {
    const merchantPage = page.url()
    await page.getByRole('link', { name: 'API access', exact: true }).first().click()
    await page.getByLabel('Name').fill('Bookkeeping')
    await page.locator('form button[type=submit]').click()
    await confirmPassword(page, { password })
    await page.getByText('it is shown only once').waitFor()
    const shown = (await page.locator('main').innerText()).match(/[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/)?.[0]
    const answer = await fetch(`${coffer.url}/merchants`, { headers: { authorization: `Bearer ${shown}` } })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject([{ name: 'Ada’s shop' }])
    await expectNoErrors(tab)
    await page.goto(merchantPage)
  })

  it('sets a webhook, whose test event arrives and is listed', async () => {
    const receiver = await startMerchantServer(status(200))
    onTestFinished(() => receiver.close())
    await page.getByRole('link', { name: 'Webhook', exact: true }).click()
    await page.getByLabel('URL').fill(`${receiver.url}/coffer`)
    await page.getByRole('button', { name: 'Generate secret' }).click()
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue()
    await page.getByRole('button', { name: 'Save webhook' }).click()
    // The secret is still shown to a merchant who saved before copying it.
    await page.getByText(secret, { exact: true }).waitFor()
    expect(await page.getByLabel('Secret', { exact: true }).inputValue()).toBe('')
    await page.getByRole('button', { name: 'Send test event' }).click()
    // The invoice that was paid before may emit the event of its confirmation meanwhile.
    const rows = page.getByRole('table', { name: 'Deliveries' }).getByRole('row')
    await rows.filter({ hasText: 'webhook.test' }).getByText('delivered').waitFor()
    await expectNoErrors(tab)
  })

  it('shows an invoice as paid without a reload, and withdraws its money', async () => {
    await page.getByRole('link', { name: 'Invoices' }).click()
    // A dialog adds a style element of its own, which the policy admits only by the page's nonce.
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('dialog', { name: 'Filter invoices' }).waitFor()
    await expectNoErrors(tab)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('link', { name: 'Create invoice' }).first().click()
    await page.getByLabel('Amount').fill('25')
    await page.getByLabel('Payment method').selectOption({ label: 'ETH on Ethereum' })
    await page.getByLabel('Description').fill('<img src=x onerror=alert(1)>')
    await expectNoErrors(tab)
    await page.getByRole('button', { name: 'Create invoice' }).click()
    await page.getByText('No payments yet').waitFor()
    const invoiceID = new URL(page.url()).pathname.split('/').at(-1)
    const replied = await fetch(`${coffer.url}/public/invoices/${invoiceID}/method/3/address`)
    await payFrom(coffer.nodeUrl, 4, (await replied.json()) as { address: string; amount: string })
    await page.getByText('paid', { exact: true }).first().waitFor()
    await page.getByText('confirmed', { exact: true }).first().waitFor()
    await expectNoErrors(tab)

    await page.getByRole('link', { name: 'Transactions', exact: true }).click()
    await page.getByRole('table', { name: 'Transactions' }).getByRole('link', { name: '0.01ETH' }).waitFor()
    await expectNoErrors(tab)
    await page.getByRole('link', { name: 'Withdrawals' }).click()
    await page.getByRole('link', { name: 'Withdraw', exact: true }).click()
    await page.getByLabel('Asset').selectOption({ label: 'ETH on Ethereum' })
    await page.getByRole('button', { name: 'Use maximum' }).click()
    await page.getByLabel('Recipient address').fill(externalAddress)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Recipient receives').waitFor()
    await expectNoErrors(tab)
    await page.getByRole('button', { name: 'Send' }).click()
    await confirmPassword(page, { password })
    await page.getByRole('table', { name: 'Withdrawals' }).getByText('completed').waitFor({ timeout: 60_000 })
    await expectNoErrors(tab)
  })

  describe('has no accessibility violation by axe, light or dark, at the widths of a phone and of a desktop,', () => {
    let opened: BrowserTab
    let paths: ReturnType<typeof dashboardPages>
    beforeAll(async () => {
      const merchant = await openMerchant(coffer.url, printedLogin(coffer))
      const invoiceId = await merchant.createInvoice()
      paths = dashboardPages(merchant.merchantId, invoiceId, `0x${'1'.repeat(64)}`)
      opened = await browser.open()
    })
    afterAll(() => opened?.context.close())

    async function checkPage(name: string, path: string): Promise<void> {
      await opened.page.goto(`${coffer.url}/dashboard${path}`)
      await opened.page.locator('h1').first().waitFor()
      await vi.waitUntil(async () => (await opened.page.locator('[class*=animate-]').count()) === 0, {
        timeout: 15_000,
      })
      await expectNoErrorsInAnyTheme(opened, name)
    }

    it('on the pages before a login', async () => {
      await checkPage('sign-in', '/sign-in')
      await checkPage('sign-up', '/sign-up')
      await signIn(opened.page, coffer.url, printedLogin(coffer))
    })

    it.each(Object.keys(dashboardPages('', '', '')))('on the page %s', async (name) => {
      await checkPage(name, required(paths[name], 'the path of a page'))
    })
  })

  it('shows a viewer no control that would change anything', async () => {
    const owner = await openMerchant(coffer.url, printedLogin(coffer))
    const invoiceId = await owner.createInvoice()
    await owner.setWebhook('http://127.0.0.1:9/hook', 'a secret of at least thirty-two characters')
    const login = { email: 'eve@example.com', password: 'seven small lanterns in the orchard' }
    await call(`${coffer.url}/auth/register`, 'POST', {}, login)
    const members = `${coffer.url}/merchants/${owner.merchantId}/members`
    await call(
      members,
      'POST',
      { authorization: `Bearer ${owner.token}` },
      { email: login.email, role: 'viewer' },
    )
    const { page: seen, context, errors } = await browser.open()
    onTestFinished(() => context.close())
    await signIn(seen, coffer.url, login)
    const steps = Object.entries(dashboardPages(owner.merchantId, invoiceId, `0x${'1'.repeat(64)}`))
    for (const [name, path] of steps.filter(([, one]) => one.startsWith('/m/') && !one.endsWith('/new'))) {
      await seen.goto(`${coffer.url}/dashboard${path}`)
      await seen.locator('h1').first().waitFor()
      await vi.waitUntil(async () => (await seen.locator('[class*=animate-]').count()) === 0, {
        timeout: 15_000,
      })
      const offered = seen.getByRole('main').getByRole('button').or(seen.getByRole('main').getByRole('link'))
      const names = await offered.allInnerTexts()
      expect(
        names.filter((text) => changing.test(text)),
        `what ${name} offers`,
      ).toEqual([])
      expect(errors).toEqual([])
    }
  })
})

const changing =
  /^(New\b|Create\b|Withdraw$|Generate|Replace|Revoke|Save|Send|Remove|Add|Archive|Delete|Accept|Close|Restrict|Cancel)/
