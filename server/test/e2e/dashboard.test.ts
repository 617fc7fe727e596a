/** The dashboard as a merchant uses it: a real browser, a real sandbox, a real chain. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type BrowserTab,
  chromiumPath,
  expectNoFaults,
  expectNoFaultsInAnyLook,
  useBrowser,
} from '../support/browser.ts'
import { call, openMerchant, payFrom, printedLogin } from '../support/coffer-client.ts'
import { ownSettings, type RunningCoffer, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { startMerchantServer, status } from '../support/merchant-server.ts'
import { confirmPassword, signIn } from '../support/sign-in.ts'
import { placesOf } from './places.ts'

const folders = useDataDirs()
const browser = useBrowser()
const password = 'a quiet river under the old bridge'
const outsider = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

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

  it('brings a stranger to a first merchant', async () => {
    await page.goto(`${coffer.url}/dashboard`)
    await page.getByRole('link', { name: 'Sign up' }).click()
    await expectNoFaults(tab)
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Make the account' }).click()
    await page.getByRole('link', { name: 'New merchant' }).click()
    await page.getByLabel('Name').fill('Ada’s shop')
    await page.getByRole('button', { name: 'Create the merchant' }).click()
    await page.getByRole('heading', { name: 'Ada’s shop' }).waitFor()
    await expectNoFaults(tab)
  })

  it('leads from the first step to a paid invoice in four clicks and one field', async () => {
    await page.getByRole('link', { name: 'Create an invoice and get paid' }).click()
    await page.getByLabel('Amount').fill('25')
    await page.getByRole('button', { name: 'Create the invoice' }).click()
    await page.getByRole('button', { name: 'Pay with test money' }).waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    // What is made is not paid: the step is not done, and leads to what is left of it.
    await page.getByRole('link', { name: /^to do Get your invoice paid/ }).click()
    await page.getByRole('button', { name: 'Pay with test money' }).click()
    await page.getByRole('main').getByText('paid', { exact: true }).first().waitFor()
    await expectNoFaults(tab)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('link', { name: /^done .*paid/ }).waitFor()
    await page.getByRole('link', { name: /^to do Set a webhook/ }).waitFor()
    await expectNoFaults(tab)
  })

  it('shows a new API key once', async () => {
    await page.getByRole('link', { name: 'API key', exact: true }).click()
    await page.getByRole('button', { name: 'Generate a key' }).click()
    await confirmPassword(page, { password })
    await page.getByText('It is shown this once').waitFor()
    await expectNoFaults(tab)
    await page.reload()
    await page.getByText('Last used').waitFor()
    expect(await page.getByText('It is shown this once').count()).toBe(0)
  })

  it('shows a Bearer token under API access, which opens the account’s merchants', async () => {
    const merchantPage = page.url()
    await page.getByRole('link', { name: 'API access', exact: true }).first().click()
    await page.getByLabel('Name').fill('Bookkeeping')
    await page.locator('form button[type=submit]').click()
    await confirmPassword(page, { password })
    await page.getByText('It is shown this once').waitFor()
    const shown = (await page.locator('main').innerText()).match(/[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/)?.[0]
    const answer = await fetch(`${coffer.url}/merchants`, { headers: { authorization: `Bearer ${shown}` } })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject([{ name: 'Ada’s shop' }])
    await expectNoFaults(tab)
    await page.goto(merchantPage)
  })

  it('sets a webhook whose test arrives and is listed', async () => {
    const receiver = await startMerchantServer(status(200))
    onTestFinished(() => receiver.close())
    await page.getByRole('link', { name: 'Webhook', exact: true }).click()
    await page.getByLabel('URL').fill(`${receiver.url}/coffer`)
    await page.getByRole('button', { name: 'Make a secret' }).click()
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue()
    await page.getByRole('button', { name: 'Save the webhook' }).click()
    // Whoever saved before copying has not lost it.
    await page.getByText(secret, { exact: true }).waitFor()
    expect(await page.getByLabel('Secret', { exact: true }).inputValue()).toBe('')
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByRole('table', { name: 'Deliveries' }).getByText('delivered').waitFor()
    await expectNoFaults(tab)
  })

  it('turns an invoice paid without a reload, and its money into a withdrawal that completes', async () => {
    await page.getByRole('link', { name: 'Invoices' }).click()
    // A dialog brings a style element of its own, which the policy admits by the page's nonce alone.
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('dialog', { name: 'Filter invoices' }).waitFor()
    await expectNoFaults(tab)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('link', { name: 'New invoice' }).first().click()
    await page.getByLabel('Amount').fill('25')
    await page.getByLabel('Payment method').selectOption({ label: 'ETH on ethereum' })
    await page.getByLabel('Description').fill('<img src=x onerror=alert(1)>')
    await expectNoFaults(tab)
    await page.getByRole('button', { name: 'Create the invoice' }).click()
    await page.getByText('Nothing has come yet').waitFor()
    const invoiceID = new URL(page.url()).pathname.split('/').at(-1)
    const told = await fetch(`${coffer.url}/public/invoices/${invoiceID}/method/3/address`)
    await payFrom(coffer.nodeUrl, 4, (await told.json()) as { address: string; amount: string })
    await page.getByText('paid', { exact: true }).first().waitFor()
    await page.getByText('confirmed', { exact: true }).first().waitFor()
    await expectNoFaults(tab)

    await page.getByRole('link', { name: 'Transactions' }).click()
    await page.getByRole('table', { name: 'Transactions' }).getByText('ETH').waitFor()
    await expectNoFaults(tab)
    await page.getByRole('link', { name: 'Withdrawals' }).click()
    await page.getByRole('link', { name: 'Withdraw', exact: true }).click()
    await page.getByLabel('From').selectOption({ label: 'ETH on ethereum' })
    await page.getByRole('button', { name: 'Take all' }).click()
    await page.getByLabel('To the address').fill(outsider)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Recipient receives').waitFor()
    await expectNoFaults(tab)
    await page.getByRole('button', { name: 'Send' }).click()
    await confirmPassword(page, { password })
    await page.getByRole('table', { name: 'Withdrawals' }).getByText('completed').waitFor({ timeout: 60_000 })
    await expectNoFaults(tab)
  })

  describe('has nothing that axe would have changed, light or dark, in a hand or on a desk,', () => {
    let opened: BrowserTab
    let places: readonly (readonly [string, string])[]
    beforeAll(async () => {
      const merchant = await openMerchant(coffer.url, printedLogin(coffer))
      const invoiceId = await merchant.createInvoice()
      places = Object.entries(placesOf(merchant.merchantId, invoiceId, `0x${'1'.repeat(64)}`))
      opened = await browser.open()
    })
    afterAll(() => opened?.context.close())

    async function look(name: string, path: string): Promise<void> {
      await opened.page.goto(`${coffer.url}/dashboard${path}`)
      await opened.page.locator('h1').first().waitFor()
      await vi.waitUntil(async () => (await opened.page.locator('[class*=animate-]').count()) === 0, {
        timeout: 15_000,
      })
      await expectNoFaultsInAnyLook(opened, name)
    }

    it('where one comes in', async () => {
      await look('sign-in', '/sign-in')
      await look('sign-up', '/sign-up')
      await signIn(opened.page, coffer.url, printedLogin(coffer))
    })

    it('on the pages of a merchant', async () => {
      for (const [name, path] of places.filter(([, one]) => one.startsWith('/m/'))) await look(name, path)
    })

    it('on the pages of an account and of an operator', async () => {
      for (const [name, path] of places.filter(([, one]) => !one.startsWith('/m/'))) await look(name, path)
    })
  })

  it('shows a viewer nothing that would change anything', async () => {
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
    const { page: seen, context, faults } = await browser.open()
    onTestFinished(() => context.close())
    await signIn(seen, coffer.url, login)
    const places = Object.entries(placesOf(owner.merchantId, invoiceId, `0x${'1'.repeat(64)}`))
    for (const [name, path] of places.filter(([, one]) => one.startsWith('/m/') && !one.endsWith('/new'))) {
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
      expect(faults).toEqual([])
    }
  })
})

const changing =
  /^(New\b|Withdraw$|Generate|Replace|Revoke|Save|Send|Remove$|Add|Archive|Delete|Accept|Close|Restrict|Lift|Make)/
