/**
 * Tests attacks on a person who opens a page, by anybody or by a merchant: foreign resources, and texts that
 * contain markup.
 */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { chromiumPath, expectNoErrors, useBrowser } from '../support/browser.ts'
import { call, type MerchantClient, openMerchant, payFrom, printedLogin } from '../support/coffer-client.ts'
import { ownSettings, type RunningCoffer, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { signIn } from '../support/sign-in.ts'

const folders = useDataDirs()
const browser = useBrowser()

const evil = `"><script>alert(1)</script><img src=x onerror="alert(2)"><svg/onload=alert(3)>{{7*7}}=1+1`

describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let coffer: RunningCoffer
  let merchant: MerchantClient
  let claimURL: string
  let invoiceId: string

  beforeAll(async () => {
    coffer = await startCoffer(await ownSettings(await folders.fresh()))
    merchant = await openMerchant(coffer.url, printedLogin(coffer))
    const own = `/merchants/${merchant.merchantId}`
    const bearer = { authorization: `Bearer ${merchant.token}` }
    await call(`${coffer.url}${own}`, 'PUT', bearer, { name: evil.slice(0, 100) })
    const made = await merchant.call('POST', `${own}/invoices`, {
      amount: '5',
      type: 'withdraw',
      paymentMethodID: 1,
      description: evil,
      reference: evil,
    })
    claimURL = required(made.body.claimURL as string | undefined, JSON.stringify(made.body))
    invoiceId = await merchant.createInvoice({ description: evil, reference: `2${evil}` })
    await payFrom(coffer.nodeUrl, 3, await merchant.addressOf(invoiceId))
    await merchant.becomes(invoiceId, 'paid')
  })

  const pages: Readonly<Record<string, () => string>> = {
    checkout: () => `${coffer.url}/pay/${invoiceId}`,
    claim: () => claimURL,
    dashboard: () => `${coffer.url}/dashboard/sign-in`,
  }

  it.each(Object.keys(pages))(
    'the policy of the %s refuses foreign and inline resources, and reports them',
    async (name) => {
      const { page, context, errors } = await browser.open()
      await page.goto(required(pages[name], name)())
      await page.locator('h1').first().waitFor()
      expect(errors).toEqual([])
      await plantParts(page)
      const refused = () => errors.filter((error) => error.startsWith('console: policy: ')).map(directiveOf)
      await expect
        .poll(() => [...new Set(refused())].sort(), { timeout: 5_000 })
        .toEqual([
          'connect-src',
          'frame-src',
          'img-src',
          'script-src-attr',
          'script-src-elem',
          'style-src-attr',
        ])
      expect(await page.evaluate(() => 'isTaken' in globalThis)).toBe(false)
      await context.close()
    },
  )

  it('texts of a merchant run no script, and break no page', async () => {
    const tab = await browser.open()
    const { page } = tab
    for (const url of [pages['checkout'], pages['claim']]) {
      await page.goto(required(url, 'a page')())
      await page.locator('h1').first().waitFor()
      expect(await page.locator('.merchant').innerText()).toContain('<script>alert(1)</script>')
      expect(await page.locator('.description').innerText()).toBe(evil)
      await expectUnharmed(page)
      await expectNoErrors(tab)
    }
    await signIn(page, coffer.url, printedLogin(coffer))
    const home = `${coffer.url}/dashboard/m/${merchant.merchantId}`
    for (const path of [
      'overview',
      'invoices',
      `invoices/${invoiceId}`,
      'transactions',
      'settings',
      'events',
      'audit',
    ]) {
      await page.goto(`${home}/${path}`)
      await page.locator('h1').first().waitFor()
      await expect.poll(() => page.locator('[class*=animate-]').count(), { timeout: 15_000 }).toBe(0)
      await expectUnharmed(page)
      await expectNoErrors(tab)
    }
    await page.goto(`${home}/invoices/${invoiceId}`)
    await page.getByText(evil).first().waitFor()
  })
})

/** Tries what an injection in a page would allow. Each attempt violates a different directive. */
async function plantParts(page: Page): Promise<void> {
  await page.evaluate(`{
    const add = (tag, properties) => document.body.append(Object.assign(document.createElement(tag), properties))
    add('script', { textContent: 'isTaken = true' })
    add('script', { src: 'https://evil.example/a.js' })
    add('img', { src: 'https://evil.example/a.png' })
    add('iframe', { src: 'https://evil.example/' })
    add('div', { innerHTML: '<b onclick="isTaken = true" style="color:red">x</b>' })
    document.body.lastChild.firstChild.click()
    fetch('https://evil.example/').catch(() => {})
    navigator.sendBeacon('https://evil.example/')
    undefined
  }`)
}

function directiveOf(error: string): string {
  return /^console: policy: (\S+)/.exec(error)?.[1] ?? error
}

/** Expects no element that only the injected text could have created. */
async function expectUnharmed(page: Page): Promise<void> {
  expect(await page.locator('img[src="x"], svg[onload], script:not([src])').count()).toBe(0)
}
