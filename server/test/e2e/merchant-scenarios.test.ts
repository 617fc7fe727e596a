/**
 * Tests the daily work of a merchant: in a real Chromium, with a real sandbox whose chain the test controls.
 */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import { codeAt, stepAt } from '../../src/merchants/accounts/second-factor/totp.ts'
import { attachEmbedded } from '../../src/platform/db/embedded/attach-embedded.ts'
import { type Db, openDb } from '../../src/platform/db/pool.ts'
import { callNode } from '../../src/sandbox/node-call.ts'
import { type BrowserTab, chromiumPath, expectNoErrors, useBrowser } from '../support/browser.ts'
import { call, type MerchantClient, openMerchant, printedLogin } from '../support/coffer-client.ts'
import { ownSettings, type RunningCoffer, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { startMerchantServer, status } from '../support/merchant-server.ts'
import { signIn } from '../support/sign-in.ts'

const folders = useDataDirs()
const browser = useBrowser()
const patience = { timeout: 20_000, interval: 50 }

describe.skipIf(chromiumPath === undefined)('the daily work of a merchant, in Chromium', () => {
  let coffer: RunningCoffer
  let merchant: MerchantClient
  let db: Db
  let tab: BrowserTab
  let page: Page

  beforeAll(async () => {
    const dataDir = await folders.fresh()
    coffer = await startCoffer(await ownSettings(dataDir, { SANDBOX_BLOCK_TIME_S: '0.5' }))
    merchant = await openMerchant(coffer.url, printedLogin(coffer))
    db = openDb({ url: (await attachEmbedded(dataDir)).app, connections: 1, log: silentLog })
    tab = await browser.open({ viewport: { width: 1_280, height: 900 } })
    page = tab.page
    page.setDefaultTimeout(20_000)
    await signIn(page, coffer.url, printedLogin(coffer))
  })
  afterAll(() => db?.close())

  const go = (path: string) => page.goto(`${coffer.url}/dashboard${path}`)
  const home = () => `/m/${merchant.merchantId}`
  const badge = (text: string) => page.getByRole('main').getByText(text, { exact: true }).first()

  it('saves a view of the list in this browser, and exports the listed invoices', async () => {
    await merchant.createInvoice({ amount: '12', description: 'a small one' })
    await merchant.createInvoice({ amount: '64', description: '=HYPERLINK("https://evil.example")' })
    await go(`${home()}/invoices`)
    const rows = page.getByRole('table', { name: 'Invoices' }).locator('tbody tr')
    const shows = (count: number) => vi.waitUntil(async () => (await rows.count()) === count, patience)
    await shows(2)
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByLabel('Minimum amount (USD)').fill('50')
    await page.getByRole('button', { name: 'Apply filters' }).click()
    await shows(1)
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByLabel('Name').fill('Large ones')
    await expectNoErrors(tab)
    await page.getByRole('button', { name: 'Save', exact: true }).click()

    await page.getByRole('button', { name: 'All', exact: true }).click()
    await shows(2)
    await page.reload()
    await page.getByRole('button', { name: 'Large ones', exact: true }).click()
    await shows(1)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/\.csv$/)
    const [head, ...lines] = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(head).toMatch(/^\uFEFF?"?id/)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(`"'=HYPERLINK(""https://evil.example"")"`)

    await page.getByRole('button', { name: 'Delete view Large ones' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Save view' }).waitFor()
    expect(await page.getByRole('button', { name: 'Large ones', exact: true }).count()).toBe(0)
    await expectNoErrors(tab)
  })

  it('sends a failed delivery again', async () => {
    const receiver = await startMerchantServer(status(500))
    onTestFinished(() => receiver.close())
    await merchant.setWebhook(receiver.url, 'a secret of at least thirty-two characters')
    await go(`${home()}/webhook`)
    await page.getByRole('button', { name: 'Send test event' }).click()
    const deliveries = page.getByRole('table', { name: 'Deliveries' })
    await deliveries.getByText('500').waitFor()
    receiver.answer(status(200))
    await deliveries.getByRole('button', { name: 'webhook.test' }).click()
    await page.getByText('Attempt 1: 500').waitFor()
    await expectNoErrors(tab)
    await page.getByRole('button', { name: 'Send again' }).click()
    await deliveries.getByText('delivered').first().waitFor()
    expect(receiver.calls.length).toBeGreaterThanOrEqual(2)
    await expectNoErrors(tab)
  })

  it("shows that the merchant's server asked for a pause, and until when", async () => {
    const receiver = await startMerchantServer(status(429, { 'retry-after': '3600' }))
    onTestFinished(() => receiver.close())
    await merchant.setWebhook(receiver.url, 'a secret of at least thirty-two characters')
    await go(`${home()}/webhook`)
    await page.getByRole('button', { name: 'Send test event' }).click()
    // Events of an earlier test may be delivered meanwhile.
    await page.getByRole('table', { name: 'Deliveries' }).getByText('429').first().waitFor()
    await page.reload()
    await page.getByText('Your server asked for no deliveries until').waitFor()
    await expectNoErrors(tab)
    // When the webhook is set again, all waiting events are delivered at once, including events of other tests. The server
    // accepts them now, because another 429 would begin another pause.
    receiver.answer(status(200))
    await merchant.setWebhook(receiver.url, 'a secret of at least thirty-two characters')
    await page.reload()
    await page.getByRole('heading', { name: 'Endpoint' }).waitFor()
    expect(await page.getByText('asked for no deliveries').count()).toBe(0)
  })

  /** Pays on the page that plays the customer. */
  async function payOnPage(invoiceId: string, how: 'exact' | 'short' | 'over'): Promise<void> {
    await go('/operator/sandbox')
    await page.getByLabel('Invoice', { exact: true }).selectOption(invoiceId)
    await page.getByLabel('Amount').selectOption(how)
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    await page.getByText(/^0x[0-9a-f]{64}$/).waitFor()
    await expectNoErrors(tab)
    await go(`${home()}/invoices/${invoiceId}`)
  }

  it('leads from a payment to its invoice, also if only other invoices are unpaid', async () => {
    const id = await merchant.createInvoice({ amount: '10' })
    await merchant.createInvoice({ amount: '11' })
    await go('/operator/sandbox')
    await page.getByLabel('Invoice', { exact: true }).selectOption(id)
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    const chosen = page.locator(`option[value="${id}"]`)
    await chosen.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'View invoice' }).click()
    await page.waitForURL(`**/invoices/${id}`)
  })

  it('shows an error beside the field for an unknown invoice, on the page that plays the customer', async () => {
    await go('/operator/sandbox')
    await page.getByLabel('Invoice', { exact: true }).selectOption({ label: 'other invoice, by ID' })
    await page.getByLabel('Invoice ID').fill('nonsense')
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    await page.getByLabel('Invoice ID').and(page.locator('[aria-invalid]')).waitFor()
    await expectNoErrors(tab)
  })

  it('shows an exact payment from its price to its credit', async () => {
    const id = await merchant.createInvoice({ amount: '10' })
    await payOnPage(id, 'exact')
    for (const step of ['Created', 'Quote locked', 'Included in block', 'Confirmed and credited'])
      await badge(step).waitFor()
    await badge('paid').waitFor()
    await expectNoErrors(tab)
  })

  it('shows an underpayment, and accepts it as paid', async () => {
    const id = await merchant.createInvoice({ amount: '10' })
    await payOnPage(id, 'short')
    await badge('underpaid').waitFor()
    await page.getByText('$6.00').first().waitFor()
    await expectNoErrors(tab)
    await page.getByRole('button', { name: 'Accept as paid' }).click()
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Accept as paid' })
    expect(await confirm.isDisabled()).toBe(true)
    await page.getByLabel('Type “accept” to confirm').fill('accept')
    await confirm.click()
    await badge('Accepted as paid').waitFor()
    await badge('paid').waitFor()
    await expectNoErrors(tab)
  })

  it('shows an overpayment', async () => {
    const id = await merchant.createInvoice({ amount: '10' })
    await payOnPage(id, 'over')
    await badge('overpaid').waitFor()
    await badge('paid').waitFor()
    await expectNoErrors(tab)
  })

  it('shows a late payment', async () => {
    const id = await merchant.createInvoice({ amount: '10' })
    await merchant.addressOf(id)
    await db.query(sql`
      update invoice set created_at = now() - interval '2 hours', expires_at = now() - interval '1 minute'
      where id = ${id}`)
    await merchant.becomes(id, 'expired')
    await go(`${home()}/invoices/${id}`)
    await badge('expired').waitFor()
    await badge('Expired').waitFor()
    await expectNoErrors(tab)
    await payOnPage(id, 'exact')
    await badge('paid late').waitFor()
    expect(await page.getByRole('main').getByText('underpaid', { exact: true }).count()).toBe(0)
    await badge('Confirmed and credited').waitFor()
    await page.getByRole('button', { name: 'Accept as paid' }).waitFor()
    await expectNoErrors(tab)
  })

  it('shows without a reload that a payment is pending again when its block is taken back', async () => {
    await go('/operator/sandbox')
    // Earlier payments are in blocks so deep that the test cannot take them back.
    await page.getByLabel('Blocks').first().fill('20')
    await page.getByRole('button', { name: 'Mine' }).click()
    await page.getByText('The blocks are mined.', { exact: true }).waitFor()
    const id = await merchant.createInvoice({ amount: '10' })
    const before = Number(await callNode(coffer.nodeUrl, 'eth_blockNumber', []))
    await payOnPage(id, 'exact')
    await badge('paid').waitFor()
    const chain = await tab.context.newPage()
    await chain.goto(`${coffer.url}/dashboard/operator/sandbox`)
    const now = Number(await callNode(coffer.nodeUrl, 'eth_blockNumber', []))
    await chain
      .getByLabel('Blocks')
      .last()
      .fill(String(now - before + 5))
    await chain.getByRole('button', { name: 'Remove blocks' }).click()
    await chain.getByLabel('Type “reorg” to confirm').fill('reorg')
    await chain.getByRole('dialog').getByRole('button', { name: 'Remove blocks' }).click()
    await chain.getByText('The blocks are removed.', { exact: true }).waitFor()
    await chain.close()
    await page.getByRole('main').getByText('paid', { exact: true }).first().waitFor({ state: 'detached' })
    await badge('pending').waitFor()
    await expectNoErrors(tab)
  })

  it('signs in with a second factor, and with a recovery code if the phone is lost', async () => {
    const login = { email: 'ada@example.com', password: 'seven small lanterns in the orchard' }
    await call(`${coffer.url}/auth/register`, 'POST', {}, login)
    const own = await browser.open({ viewport: { width: 1_280, height: 900 } })
    onTestFinished(() => own.context.close())
    const seen = own.page
    seen.setDefaultTimeout(20_000)
    await signIn(seen, coffer.url, login)
    await seen.getByRole('link', { name: 'Security' }).click()
    await seen.getByLabel('Your password').fill('not that one')
    await seen.getByRole('button', { name: 'Set up' }).click()
    await seen.getByLabel('Your password').and(seen.locator('[aria-invalid]')).waitFor()
    await seen.getByLabel('Your password').fill(login.password)
    await seen.getByRole('button', { name: 'Set up' }).click()
    const secret = fromBase32(await seen.locator('code[title]').innerText())
    const step = stepAt(Date.now() / 1_000)
    await seen.getByLabel('Six-digit code from the app').fill(codeAt(secret, step))
    await expectNoErrors(own)
    await seen.getByRole('button', { name: 'Enable' }).click()
    await seen.getByText('Save these codes now').waitFor()
    const [recovery = ''] = await seen.locator('ul.font-mono li').allInnerTexts()
    await expectNoErrors(own)
    const saving = seen.waitForEvent('download')
    await seen.getByRole('link', { name: 'Download' }).click()
    expect(readFileSync(await (await saving).path(), 'utf8')).toContain(`\n${recovery}\n`)
    await seen.emulateMedia({ media: 'print' })
    expect(await seen.getByText(recovery).isVisible()).toBe(true)
    expect(await seen.getByRole('heading', { name: 'Security' }).isVisible()).toBe(false)
    await seen.emulateMedia({ media: 'screen' })
    await seen.getByRole('button', { name: 'I have saved them' }).click()
    await seen.getByText('10 recovery codes are left').waitFor()

    /** Signs out, and signs in again up to the form for the code. */
    const comeBack = async () => {
      await seen.getByRole('button', { name: 'Sign out' }).click()
      await seen.getByLabel('Email').fill(login.email)
      await seen.getByLabel('Password').fill(login.password)
      await seen.getByRole('button', { name: 'Sign in' }).click()
      await seen.getByRole('heading', { name: 'Two-factor authentication' }).waitFor()
    }
    const give = async (code: string) => {
      await seen.getByLabel('Code').fill(code)
      await seen.getByRole('button', { name: 'Continue' }).click()
    }
    await comeBack()
    await expectNoErrors(own)
    // The code that turned the second factor on is used up.
    await give(codeAt(secret, step))
    await seen.getByRole('alert').waitFor()
    await give(codeAt(secret, step + 1))
    await seen.getByRole('button', { name: 'Sign out' }).waitFor()
    await comeBack()
    await give(recovery)
    await seen.getByRole('link', { name: 'Security' }).click()
    await seen.getByText('9 recovery codes are left').waitFor()
    await expectNoErrors(own)
  })
})

/** Decodes base32 (RFC 4648, section 6). */
function fromBase32(text: string): Uint8Array {
  const bits = [...text.replaceAll(/[\s=]/g, '')]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}
