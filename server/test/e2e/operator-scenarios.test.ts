/** Tests the decisions of an operator: in a real Chromium, with a real sandbox. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withBooksKeyIfThere } from '../../src/app/keys/open-books-key.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { insertHalt } from '../../src/outgoing/engine/controls/halt-store.ts'
import { insertRefusals } from '../../src/outgoing/engine/retries/refusal-store.ts'
import { attachEmbedded } from '../../src/platform/db/embedded/attach-embedded.ts'
import { type Db, openDb } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { owe } from '../support/books.ts'
import { type BrowserTab, chromiumPath, expectNoErrors, useBrowser } from '../support/browser.ts'
import { call, type MerchantClient, openMerchant, payFrom, printedLogin } from '../support/coffer-client.ts'
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
const externalAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const cold = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
/** Development account 6, which is on the sanctions list of this test. */
const listed = { account: 6, address: '0x976EA74026E726554dB657fA54763abd0C3a0aa9' }

describe.skipIf(chromiumPath === undefined)('an operator, in Chromium', () => {
  let settings: Settings
  let coffer: RunningCoffer
  let merchant: MerchantClient
  let db: Db
  let tab: BrowserTab
  let page: Page

  beforeAll(async () => {
    const dataDir = await folders.fresh()
    const list = join(dataDir, 'listed.txt')
    writeFileSync(list, `${listed.address}\n`, { mode: 0o644 })
    const rules = { COLD_ADDRESS_ETHEREUM: cold, SANCTIONS_FILE: list, APPROVAL_ABOVE_USD: '20' }
    settings = await ownSettings(dataDir, rules)
    coffer = await startCoffer(settings)
    merchant = await openMerchant(coffer.url, printedLogin(coffer))
    const bare = openDb({ url: (await attachEmbedded(dataDir)).app, connections: 1, log: silentLog })
    db = await withBooksKeyIfThere({ mode: 'sandbox', dataDir, booksKeyFile: undefined }, bare)
    tab = await browser.open({ viewport: { width: 1_280, height: 900 } })
    page = tab.page
    page.setDefaultTimeout(20_000)
    await signIn(page, coffer.url, printedLogin(coffer))
  })
  afterAll(() => db?.close())

  const go = (path: string) => page.goto(`${coffer.url}/dashboard/operator/${path}`)
  const rowsOf = (name: string) => page.getByRole('table', { name }).locator('tbody tr')
  const dialog = () => page.getByRole('dialog')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const said = (text: string) => page.getByText(text, { exact: true })

  /** Types the word into the dialog. Without it the button is disabled. */
  async function confirm(word: string, action: string): Promise<void> {
    const act = dialog().getByRole('button', { name: action, exact: true })
    expect(await act.isDisabled()).toBe(true)
    await expectNoErrors(tab)
    await dialog().getByLabel(`Type “${word}” to confirm`).fill(word)
    await act.click()
  }
  /** Confirms an action that gives somebody money. It asks for the password as well. */
  async function confirmProven(word: string, action: string): Promise<void> {
    await confirm(word, action)
    await confirmPassword(page, printedLogin(coffer))
  }
  const review = () => dialog().getByRole('button', { name: 'Continue' }).click()
  const takeBack = (row: Locator) => row.getByRole('button', { name: 'Remove' }).click()

  it('sets a fee of one merchant, returns the focus to an invalid field, and removes the fee', async () => {
    await go('fees')
    await said('Default fees apply').waitFor()
    await button('Set fee').click()
    await dialog().getByLabel('Merchant ID').fill(merchant.merchantId)
    await dialog().getByLabel('Payment method').selectOption({ label: 'ETH on Ethereum' })
    await dialog().getByLabel('Percent').fill('200')
    await review()
    await confirm('set', 'Set fee')
    await dialog().getByLabel('Percent').and(page.locator('[aria-invalid]')).waitFor()
    await expectNoErrors(tab)
    await dialog().getByLabel('Percent').fill('2.5')
    await review()
    await dialog().getByText(merchant.merchantId).waitFor()
    await confirm('set', 'Set fee')
    await rowsOf('Custom fees').getByText('2.5 %').waitFor()
    const rate = await merchant.call(
      'GET',
      `/merchants/${merchant.merchantId}/fees?type=onetime&paymentMethodID=3`,
    )
    expect(rate.body.percent).toBe('2.5')
    await expectNoErrors(tab)

    await takeBack(rowsOf('Custom fees').first())
    await confirm('remove', 'Remove fee')
    await said('Default fees apply').waitFor()
  })

  it('sets a limit, finds the limits of one merchant, and removes it', async () => {
    await go('limits')
    await button('Set limits').click()
    await dialog().getByLabel('Minimum withdrawal').fill('15')
    await review()
    await confirm('set', 'Set limits')
    await rowsOf('Custom limits').getByText('15').waitFor()
    await page.getByLabel('Filter by merchant ID').fill(merchant.merchantId)
    await button('Filter').click()
    await page.getByText('No override for this merchant').waitFor()
    await page.getByLabel('Filter by merchant ID').fill('')
    await button('Filter').click()
    await takeBack(rowsOf('Custom limits').first())
    await confirm('remove', 'Remove limits')
    await said('Default limits apply').waitFor()
    await expectNoErrors(tab)
  })

  it("withdraws no more than the operator's own money, which reaches the cold address", async () => {
    await go('treasury-withdrawals')
    await said('No treasury withdrawals yet').waitFor()
    await button('Move to cold wallet').click()
    await dialog().getByLabel('Asset', { exact: true }).selectOption({ label: 'ETH on Ethereum' })
    await dialog().getByLabel('Source').selectOption('capital')
    await dialog().getByLabel('Amount').fill('100000')
    await review()
    await confirm('move', 'Move to cold wallet')
    await dialog().getByText('can be withdrawn from capital now').waitFor()
    await button('Close').click()
    await button('Move to cold wallet').click()
    await dialog().getByLabel('Asset', { exact: true }).selectOption({ label: 'ETH on Ethereum' })
    await dialog().getByLabel('Source').selectOption('capital')
    await dialog().getByLabel('Amount').fill('0.5')
    await review()
    await confirm('move', 'Move to cold wallet')
    await rowsOf('Treasury withdrawals').getByText('completed').waitFor({ timeout: 60_000 })
    await expectNoErrors(tab)
  })

  it('makes one treasury withdrawal if a request is sent again after its answer was lost', async () => {
    // This test has its own tab. A lost answer is shown as an error, and the tab that the other tests share
    // must stay free of errors.
    const { page: lossy } = await browser.open({ viewport: { width: 1_280, height: 900 } })
    lossy.setDefaultTimeout(20_000)
    await signIn(lossy, coffer.url, printedLogin(coffer))
    const keys: (string | undefined)[] = []
    let isLosing = true
    await lossy.route('**/operator/treasury-withdrawals', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      keys.push(route.request().headers()['idempotency-key'])
      if (!isLosing) return route.continue()
      if (keys.length === 1) await route.fetch()
      await route.abort()
    })
    await lossy.goto(`${coffer.url}/dashboard/operator/treasury-withdrawals`)
    const rows = lossy.getByRole('table', { name: 'Treasury withdrawals' }).locator('tbody tr')
    await lossy.getByRole('button', { name: 'Move to cold wallet' }).click()
    const asked = lossy.getByRole('dialog')
    await asked.getByLabel('Asset', { exact: true }).selectOption({ label: 'ETH on Ethereum' })
    await asked.getByLabel('Source').selectOption('capital')
    await asked.getByLabel('Amount').fill('0.125')
    await asked.getByRole('button', { name: 'Continue' }).click()
    await asked.getByLabel('Type “move” to confirm').fill('move')
    await asked.getByRole('button', { name: 'Move to cold wallet', exact: true }).click()
    await asked.getByText('The server cannot be reached').waitFor()
    isLosing = false
    await asked.getByRole('button', { name: 'Move to cold wallet', exact: true }).click()
    await asked.waitFor({ state: 'detached' })
    await rows.getByText('0.125').first().waitFor()
    expect(await rows.filter({ hasText: '0.125' }).count()).toBe(1)
    expect(keys.length).toBeGreaterThan(1)
    expect(new Set(keys).size).toBe(1)
    await lossy.close()
  })

  it('restores a deleted merchant', async () => {
    const bearer = { authorization: `Bearer ${merchant.token}` }
    const made = await call(`${coffer.url}/merchants`, 'POST', bearer, { name: 'Gone shop' })
    await call(`${coffer.url}/merchants/${made.body.id}`, 'DELETE', bearer)
    await go('merchants')
    await rowsOf('Deleted merchants').getByRole('button', { name: 'Restore' }).click()
    await confirm('restore', 'Restore merchant')
    await said('No deleted merchants').waitFor()
    const { status } = await call(`${coffer.url}/merchants/${made.body.id}`, 'GET', bearer)
    expect(status).toBe(200)
    await expectNoErrors(tab)
  })

  it('attributes unattributed money to a merchant', async () => {
    const bearer = { authorization: `Bearer ${merchant.token}` }
    const { body } = await call(`${coffer.url}/operator/treasury`, 'GET', bearer)
    const hotWallet = body.assets.find(({ symbol }: { symbol: string }) => symbol === 'ETH').hotWallets[0]
    await payFrom(coffer.nodeUrl, 4, { address: hotWallet.address, amount: '0.2' })
    await expect
      .poll(
        async () => (await call(`${coffer.url}/operator/unattributed`, 'GET', bearer)).body.data[0]?.state,
        {
          timeout: 20_000,
        },
      )
      .toBe('confirmed')
    await go('unattributed')
    await rowsOf('Unattributed deposits').getByRole('button', { name: 'Assign' }).click()
    await dialog().getByLabel('Merchant ID').fill(merchant.merchantId)
    await confirmProven('assign', 'Assign deposit')
    await said('No unattributed deposits').waitFor()
    await expectNoErrors(tab)
  })

  it('approves one withdrawal above the threshold and rejects another', async () => {
    const order = { address: externalAddress, amount: '0.04', paymentMethodID: 3 }
    for (const amount of ['0.04', '0.05'])
      expect(
        (await merchant.call('POST', `/merchants/${merchant.merchantId}/withdrawals`, { ...order, amount }))
          .status,
      ).toBe(201)
    await go('approvals')
    const waiting = (amount: string) => rowsOf('Withdrawals to approve').filter({ hasText: amount })
    await waiting('0.04').getByRole('button', { name: 'Approve' }).click()
    await confirmProven('approve', 'Approve withdrawal')
    await said('The withdrawal is approved.').waitFor()
    await waiting('0.05').getByRole('button', { name: 'Reject' }).click()
    await dialog().getByLabel('Reason').fill('not today')
    await confirm('reject', 'Reject withdrawal')
    await said('The withdrawal is rejected.').waitFor()
    await said('No withdrawals are waiting').waitFor({ timeout: 60_000 })
    await expectNoErrors(tab)
  })

  it('shows why no money leaves, and resumes payouts by the commands that the page shows', async () => {
    const refused = {
      id: newId(),
      network: 'ethereum',
      intent: { kind: 'deploy' },
      spends: undefined,
    } as const
    const refusal = {
      proposal: refused,
      code: 'not-allowed',
      detail: 'no policy names it',
      retryInS: undefined,
    } as const
    await inTransaction(db, (tx) => insertRefusals(tx, [refusal]))
    await insertHalt(db, 'tampering', `the signer refused transaction ${refused.id}`)
    await go('treasury')
    await page.getByRole('link', { name: 'View causes and next steps' }).click()
    await page.getByRole('heading', { name: 'Tampering suspected' }).waitFor()
    await said('needs a decision').waitFor()
    await expectNoErrors(tab)
    /** Runs a copied command, like a user who pastes it into a shell and fills in the reason. */
    const run = async (what: string) => {
      const command = page
        .getByRole('button', { name: `Copy ${what}` })
        .locator('xpath=preceding-sibling::code')
      const [program, ...words] = ((await command.textContent()) ?? '').replace('"..."', 'checked').split(' ')
      expect(program).toBe('coffer')
      expect(await runCoffer(words, settings)).toMatchObject({ code: 0 })
    }
    await run('drop command')
    await said('needs a decision').waitFor({ state: 'detached' })
    await run('resume command')
    await page.getByText('Books reconciled').waitFor()
    await page.getByRole('heading', { name: 'Tampering suspected' }).waitFor({ state: 'detached' })
    await expectNoErrors(tab)
  })

  it('releases one payment of a listed sender and seizes another', async () => {
    for (const index of [1, 2]) {
      const id = await merchant.createInvoice({ amount: `${30 + index}` })
      await payFrom(coffer.nodeUrl, listed.account, await merchant.addressOf(id))
    }
    await go('quarantine')
    const held = rowsOf('Payments in quarantine')
    await held.nth(1).getByText('listed').filter({ visible: true }).waitFor()
    await expectNoErrors(tab)
    await held.first().getByRole('button', { name: 'Release' }).click()
    await dialog().getByLabel('Reason').fill('another of that name')
    await confirmProven('release', 'Release payment')
    await said('The payment is credited.').waitFor()
    await held.nth(1).waitFor({ state: 'detached' })
    await held.getByRole('button', { name: 'Seize' }).first().click()
    await confirm('seize', 'Seize payment')
    await said('The payment is forfeited.').waitFor()
    await expectNoErrors(tab)
  })

  it('covers what a merchant owes', async () => {
    await go('debts')
    await said('No negative balances').waitFor()
    await owe({ db }, merchant.merchantId, 'ethereum/ETH', 5n * 10n ** 17n)
    const debt = rowsOf('Negative balances').filter({ hasText: '0.5' })
    await debt.getByRole('button', { name: 'Write off' }).click()
    await dialog().getByText(merchant.merchantId).waitFor()
    await dialog().getByText('0.5', { exact: false }).first().waitFor()
    await confirmProven('write off', 'Write off')
    await said('No negative balances').waitFor()
    await expectNoErrors(tab)
  })

  it('covers nothing if a debt has grown since it was shown', async () => {
    await owe({ db }, merchant.merchantId, 'ethereum/ETH', 10n ** 17n)
    await go('debts')
    await rowsOf('Negative balances').getByRole('button', { name: 'Write off' }).click()
    await owe({ db }, merchant.merchantId, 'ethereum/ETH', 10n ** 17n)
    await confirmProven('write off', 'Write off')
    await dialog().getByText('now owes 0.2 ETH').waitFor()
    await button('Cancel').click()
    const listed = await runCoffer(['treasury', 'debts'], settings)
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('  0.2 ETH on ethereum  ') })
    await rowsOf('Negative balances')
      .filter({ hasText: '0.2' })
      .getByRole('button', { name: 'Write off' })
      .click()
    await confirmProven('write off', 'Write off')
    await said('No negative balances').waitFor()
  })
})
