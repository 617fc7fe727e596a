/** Tests how an operator adds and disables networks and tokens on the page: in a real Chromium, with real sandboxes. */
import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { deployTestTokens } from '../../src/sandbox/test-tokens.ts'
import { orderPublicKey } from '../../src/signing/order-signature.ts'
import { type Anvil, startTestAnvil } from '../support/anvil.ts'
import {
  type BrowserTab,
  chromiumPath,
  expectNoErrors,
  expectNoErrorsInAnyTheme,
  useBrowser,
} from '../support/browser.ts'
import { type MerchantClient, openMerchant, printedLogin } from '../support/coffer-client.ts'
import {
  ownSettings,
  type RunningCoffer,
  runCoffer,
  type Settings,
  startCoffer,
  useDataDirs,
} from '../support/coffer-process.ts'
import { confirmPassword, signIn } from '../support/sign-in.ts'

const folders = useDataDirs()
const browser = useBrowser()
const wait = { timeout: 60_000, interval: 100 }
const scrollId = 53_435_231_337

/** An operator at the page "Networks and tokens" of a running sandbox. */
class Operator {
  readonly coffer: RunningCoffer
  readonly merchant: MerchantClient
  readonly tab: BrowserTab

  constructor(coffer: RunningCoffer, merchant: MerchantClient, tab: BrowserTab) {
    this.coffer = coffer
    this.merchant = merchant
    this.tab = tab
  }

  get page(): Page {
    return this.tab.page
  }

  get dialog() {
    return this.page.getByRole('dialog').first()
  }

  press(name: string): Promise<void> {
    return this.dialog.getByRole('button', { name, exact: true }).click()
  }

  rows(table: string) {
    return this.page.getByRole('table', { name: table }).locator('tbody tr')
  }

  prove(): Promise<void> {
    return confirmPassword(this.page, printedLogin(this.coffer))
  }

  fill(fields: Readonly<Record<string, string>>): Promise<void> {
    return Object.entries(fields).reduce(
      (before, [label, value]) =>
        before.then(() => this.dialog.getByLabel(label, { exact: true }).fill(value)),
      Promise.resolve(),
    )
  }

  /** Returns the ids of the payment methods that merchants are offered. */
  async offered(): Promise<readonly number[]> {
    const { body } = await this.merchant.call('GET', '/payment-methods')
    return (body as { paymentMethodID: number }[]).map(({ paymentMethodID }) => paymentMethodID)
  }
}

async function openOperator(over: Settings): Promise<Operator> {
  const coffer = await startCoffer(await ownSettings(await folders.fresh(), over))
  const merchant = await openMerchant(coffer.url, printedLogin(coffer))
  const tab = await browser.open({ viewport: { width: 1_280, height: 900 } })
  tab.page.setDefaultTimeout(20_000)
  await signIn(tab.page, coffer.url, printedLogin(coffer))
  await tab.page.goto(`${coffer.url}/dashboard/operator/networks`)
  return new Operator(coffer, merchant, tab)
}

describe.skipIf(chromiumPath === undefined)('an operator of a sandbox, in Chromium', () => {
  let operator: Operator
  let contract: string
  beforeAll(async () => {
    operator = await openOperator({})
    contract = (await deployTestTokens(operator.coffer.nodeUrl, AbortSignal.timeout(30_000))).USDC
  })

  it('is shown what is wrong with a token, adds one that fits with one click, and sees it offered', async () => {
    const { page, tab } = operator
    await page.getByRole('button', { name: 'Add token' }).click()
    await operator.fill({ Contract: contract, Decimals: '18', Symbol: 'USDC' })
    await operator.press('Check')
    await operator.dialog.getByText('Is already used on ethereum').waitFor()
    await expectNoErrors(tab)
    await operator.fill({ Symbol: 'XUSD' })
    await operator.press('Check')
    await operator.dialog.getByText('It cannot be added').waitFor()
    await operator.dialog.getByText('the contract says 6, and you entered 18').waitFor()
    await expectNoErrorsInAnyTheme(tab, 'what forbids a token')
    await operator.press('Back')
    await operator.fill({ Decimals: '6' })
    await operator.press('Check')
    await operator.dialog.getByText('delivers what it says').waitFor()
    await operator.dialog.getByText('Entry 1, which is signed').waitFor()
    await expectNoErrorsInAnyTheme(tab, 'what a token is')
    await operator.press('Add token')
    await operator.prove()
    await operator.dialog.getByText('OPERATOR_ENTRY_MIN=1').waitFor()
    await expectNoErrorsInAnyTheme(tab, 'a token was added')
    await operator.dialog.getByText('Close', { exact: true }).last().click()
    await operator.rows('Your tokens').getByText('XUSD').waitFor()
    await vi.waitFor(async () => expect(await operator.offered()).toContain(1000), wait)
    await expectNoErrorsInAnyTheme(tab, 'own tokens')
  })

  it('disables the token after a typed word, so that it is not offered, and enables it again', async () => {
    const row = operator.rows('Your tokens').first()
    await row.getByRole('button', { name: 'Disable' }).click()
    await operator.dialog.getByText('merchants can withdraw their balances').waitFor()
    await operator.dialog.getByLabel('Type “disable” to confirm').fill('disable')
    await expectNoErrorsInAnyTheme(operator.tab, 'disable a token')
    await operator.press('Disable')
    await operator.prove()
    await row.getByRole('button', { name: 'Enable' }).waitFor()
    await vi.waitFor(async () => expect(await operator.offered()).not.toContain(1000), wait)
    await row.getByRole('button', { name: 'Enable' }).click()
    await operator.dialog.getByLabel('Type “enable” to confirm').fill('enable')
    await operator.press('Enable')
    await operator.prove()
    await vi.waitFor(async () => expect(await operator.offered()).toContain(1000), wait)
    const listed = await runCoffer(['tokens', 'list'], operator.coffer.settings)
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('XUSD')])
    await expectNoErrors(operator.tab)
  })
})

describe.skipIf(chromiumPath === undefined)('an operator who keeps the key, in Chromium', () => {
  const seed = randomBytes(32)
  let scroll: Anvil
  let operator: Operator
  beforeAll(async () => {
    scroll = await startTestAnvil({ chainId: scrollId, blockTimeS: 0.5 })
    operator = await openOperator({ OPERATOR_PUBLIC_KEYS: orderPublicKey(seed).toString('hex') })
  })
  afterAll(() => scroll?.stop())

  const keyFile = (text: string) => ({
    name: 'operator.key',
    mimeType: 'text/plain',
    buffer: Buffer.from(text),
  })

  it('adds a network by a signature that the browser makes, and no other key is accepted', async () => {
    const { page, tab } = operator
    const sent: string[] = []
    page.on('request', (request) => void sent.push(`${request.url()} ${request.postData() ?? ''}`))
    await page.getByRole('button', { name: 'Add network' }).click()
    await operator.fill({
      Name: 'scroll',
      Title: 'Base',
      'Chain ID': `${scrollId}`,
      Coin: 'ETH',
      'Node URLs': scroll.url,
      Explorer: 'https://scrollscan.com',
    })
    await operator.press('Check')
    await operator.prove()
    await operator.dialog.getByText('Is the title of another network').waitFor()
    await expectNoErrorsInAnyTheme(tab, 'a network with a wrong field')
    await operator.fill({ Title: 'Scroll' })
    await operator.dialog.getByText('More fields, with defaults').click()
    await operator.fill({ Confirmations: '5,many,9' })
    await operator.press('Check')
    await operator.dialog.getByText('Item 2 must be').waitFor()
    await operator.fill({ Confirmations: '5,7,9' })
    await operator.press('Check')
    await operator.prove()
    await operator.dialog.getByText('Entry 1, which is signed').waitFor()
    await operator.dialog.getByText('Sign on another machine instead').click()
    await operator.dialog.getByText(/coffer networks add scroll --rpc/).waitFor()
    await expectNoErrorsInAnyTheme(tab, 'what a network is')
    const files = operator.dialog.getByLabel('Key file')
    await files.setInputFiles(keyFile('not a key'))
    await operator.press('Sign and add network')
    await operator.dialog.getByText('This is no key file').waitFor()
    await files.setInputFiles(keyFile(randomBytes(32).toString('hex')))
    await operator.press('Sign and add network')
    await operator.prove()
    await operator.dialog
      .getByText('Was not made over this text with a key in OPERATOR_PUBLIC_KEYS')
      .waitFor()
    // Nothing was signed before the password was entered.
    expect(sent.filter((text) => text.includes('"signature"')).length).toBe(1)
    await files.setInputFiles(keyFile(`${seed.toString('hex')}\n`))
    await operator.press('Sign and add network')
    await operator.prove()
    await operator.dialog.getByText('OPERATOR_ENTRY_MIN=1').waitFor()
    await operator.dialog.getByText('Close', { exact: true }).last().click()
    await operator.rows('Networks').filter({ hasText: 'yours' }).waitFor()
    await vi.waitFor(async () => expect(await operator.offered()).toContain(1000), wait)
    expect(sent.some((text) => text.includes('own-entries'))).toBe(true)
    expect(sent.join('\n')).not.toContain(seed.toString('hex'))
    await page.getByText('coffer networks nodes NAME').waitFor()
    await expectNoErrorsInAnyTheme(tab, 'an own network')
  })
})
