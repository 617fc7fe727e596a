/** What an operator decides, in a real Chromium before a real sandbox. */
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
import { type BrowserTab, chromiumPath, expectNoFaults, useBrowser } from '../support/browser.ts'
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
const outsider = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const cold = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
/** The dev account 6, who is on the sanctions list here. */
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

  const go = (place: string) => page.goto(`${coffer.url}/dashboard/operator/${place}`)
  const rowsOf = (name: string) => page.getByRole('table', { name }).locator('tbody tr')
  const dialog = () => page.getByRole('dialog')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const said = (text: string) => page.getByText(text, { exact: true })

  /** Types the word; without it the button does nothing. */
  async function confirm(word: string, action: string): Promise<void> {
    const act = dialog().getByRole('button', { name: action, exact: true })
    expect(await act.isDisabled()).toBe(true)
    await expectNoFaults(tab)
    await dialog().getByLabel(`Type “${word}” to confirm`).fill(word)
    await act.click()
  }
  /** The same for what gives somebody money: it asks for the password as well. */
  async function confirmProven(word: string, action: string): Promise<void> {
    await confirm(word, action)
    await confirmPassword(page, printedLogin(coffer))
  }
  const review = () => dialog().getByRole('button', { name: 'Go on to the review' }).click()
  const takeBack = (row: Locator) => row.getByRole('button', { name: 'Take back' }).click()

  it('sets a fee of one merchant, is led back to a field that is wrong, and takes it back', async () => {
    await go('fees')
    await said('The default fees hold').waitFor()
    await button('Set a fee').click()
    await dialog().getByLabel('Merchant ID').fill(merchant.merchantId)
    await dialog().getByLabel('Payment method').selectOption({ label: 'ETH on ethereum' })
    await dialog().getByLabel('Percent').fill('200')
    await review()
    await confirm('set', 'Set the fee')
    await dialog().getByLabel('Percent').and(page.locator('[aria-invalid]')).waitFor()
    await expectNoFaults(tab)
    await dialog().getByLabel('Percent').fill('2.5')
    await review()
    await dialog().getByText(merchant.merchantId).waitFor()
    await confirm('set', 'Set the fee')
    await rowsOf('Fees that were set').getByText('2.5 %').waitFor()
    const rate = await merchant.call(
      'GET',
      `/merchants/${merchant.merchantId}/fees?type=onetime&paymentMethodID=3`,
    )
    expect(rate.body.percent).toBe('2.5')
    await expectNoFaults(tab)

    await takeBack(rowsOf('Fees that were set').first())
    await confirm('take back', 'Take it back')
    await said('The default fees hold').waitFor()
  })

  it('sets a limit, finds those of one merchant, and takes it back', async () => {
    await go('limits')
    await button('Set a limit').click()
    await dialog().getByLabel('Withdraw from').fill('15')
    await review()
    await confirm('set', 'Set the limits')
    await rowsOf('Limits that were set').getByText('15').waitFor()
    await page.getByLabel('Of one merchant alone').fill(merchant.merchantId)
    await button('Filter').click()
    await page.getByText('Nothing was set for this merchant alone').waitFor()
    await page.getByLabel('Of one merchant alone').fill('')
    await button('Filter').click()
    await takeBack(rowsOf('Limits that were set').first())
    await confirm('take back', 'Take them back')
    await said('The default limits hold').waitFor()
    await expectNoFaults(tab)
  })

  it('takes out no more than is its own, and what is sent reaches the cold address', async () => {
    await go('take-outs')
    await said('Nothing was taken out yet').waitFor()
    await button('Take money out').click()
    await dialog().getByLabel('In', { exact: true }).selectOption({ label: 'ETH on ethereum' })
    await dialog().getByLabel('From').selectOption('capital')
    await dialog().getByLabel('Amount').fill('100000')
    await review()
    await confirm('take out', 'Take it out')
    await dialog().getByText('can be taken out of capital now').waitFor()
    await button('Close').click()
    await button('Take money out').click()
    await dialog().getByLabel('In', { exact: true }).selectOption({ label: 'ETH on ethereum' })
    await dialog().getByLabel('From').selectOption('capital')
    await dialog().getByLabel('Amount').fill('0.5')
    await review()
    await confirm('take out', 'Take it out')
    await rowsOf('Take-outs').getByText('completed').waitFor({ timeout: 60_000 })
    await expectNoFaults(tab)
  })

  it('takes out once what was sent again after its answer was lost', async () => {
    // A lost answer is told as a fault, which the tab of the other tests must not have.
    const { page: lossy } = await browser.open({ viewport: { width: 1_280, height: 900 } })
    lossy.setDefaultTimeout(20_000)
    await signIn(lossy, coffer.url, printedLogin(coffer))
    const keys: (string | undefined)[] = []
    let isLosing = true
    await lossy.route('**/operator/take-outs', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      keys.push(route.request().headers()['idempotency-key'])
      if (!isLosing) return route.continue()
      if (keys.length === 1) await route.fetch()
      await route.abort()
    })
    await lossy.goto(`${coffer.url}/dashboard/operator/take-outs`)
    const rows = lossy.getByRole('table', { name: 'Take-outs' }).locator('tbody tr')
    await lossy.getByRole('button', { name: 'Take money out' }).click()
    const asked = lossy.getByRole('dialog')
    await asked.getByLabel('In', { exact: true }).selectOption({ label: 'ETH on ethereum' })
    await asked.getByLabel('From').selectOption('capital')
    await asked.getByLabel('Amount').fill('0.125')
    await asked.getByRole('button', { name: 'Go on to the review' }).click()
    await asked.getByLabel('Type “take out” to confirm').fill('take out')
    await asked.getByRole('button', { name: 'Take it out', exact: true }).click()
    await asked.getByText('The server cannot be reached').waitFor()
    isLosing = false
    await asked.getByRole('button', { name: 'Take it out', exact: true }).click()
    await asked.waitFor({ state: 'detached' })
    await rows.getByText('0.125').first().waitFor()
    expect(await rows.filter({ hasText: '0.125' }).count()).toBe(1)
    expect(keys.length).toBeGreaterThan(1)
    expect(new Set(keys).size).toBe(1)
    await lossy.close()
  })

  it('brings a deleted merchant back', async () => {
    const bearer = { authorization: `Bearer ${merchant.token}` }
    const made = await call(`${coffer.url}/merchants`, 'POST', bearer, { name: 'Gone shop' })
    await call(`${coffer.url}/merchants/${made.body.id}`, 'DELETE', bearer)
    await go('merchants')
    await rowsOf('Deleted merchants').getByRole('button', { name: 'Restore' }).click()
    await confirm('restore', 'Restore it')
    await said('No merchant to bring back').waitFor()
    const { status } = await call(`${coffer.url}/merchants/${made.body.id}`, 'GET', bearer)
    expect(status).toBe(200)
    await expectNoFaults(tab)
  })

  it('gives money that is nobody’s to a merchant', async () => {
    const bearer = { authorization: `Bearer ${merchant.token}` }
    const { body } = await call(`${coffer.url}/operator/treasury`, 'GET', bearer)
    const lane = body.assets.find(({ symbol }: { symbol: string }) => symbol === 'ETH').lanes[0]
    await payFrom(coffer.nodeUrl, 4, { address: lane.address, amount: '0.2' })
    await expect
      .poll(
        async () => (await call(`${coffer.url}/operator/unattributed`, 'GET', bearer)).body.data[0]?.state,
        {
          timeout: 20_000,
        },
      )
      .toBe('confirmed')
    await go('unattributed')
    await rowsOf('Unattributed money').getByRole('button', { name: 'Assign' }).click()
    await dialog().getByLabel('Merchant ID').fill(merchant.merchantId)
    await confirmProven('assign', 'Assign it')
    await said('All money has an owner').waitFor()
    await expectNoFaults(tab)
  })

  it('approves one withdrawal above the limit and rejects another', async () => {
    const order = { address: outsider, amount: '0.04', paymentMethodID: 3 }
    for (const amount of ['0.04', '0.05'])
      expect(
        (await merchant.call('POST', `/merchants/${merchant.merchantId}/withdrawals`, { ...order, amount }))
          .status,
      ).toBe(201)
    await go('approvals')
    const waiting = (amount: string) => rowsOf('Withdrawals to approve').filter({ hasText: amount })
    await waiting('0.04').getByRole('button', { name: 'Approve' }).click()
    await confirmProven('approve', 'Approve it')
    await said('It is approved.').waitFor()
    await waiting('0.05').getByRole('button', { name: 'Reject' }).click()
    await dialog().getByLabel('Reason').fill('not today')
    await confirm('reject', 'Reject it')
    await said('It is rejected.').waitFor()
    await said('Nothing waits for you').waitFor({ timeout: 60_000 })
    await expectNoFaults(tab)
  })

  it('reads why money does not leave, and lets it by the commands that the page tells', async () => {
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
    await insertHalt(db, 'tampering', `the signer refused payout ${refused.id}`)
    await go('treasury')
    await page.getByRole('link', { name: 'What it means, and what to do' }).click()
    await page.getByRole('heading', { name: 'Something was to be signed that nobody approved' }).waitFor()
    await said('waits for you').waitFor()
    await expectNoFaults(tab)
    /** As somebody would who pastes it into a shell and fills the reason in. */
    const run = async (what: string) => {
      const command = page
        .getByRole('button', { name: `Copy ${what}` })
        .locator('xpath=preceding-sibling::code')
      const [program, ...words] = ((await command.textContent()) ?? '').replace('"..."', 'checked').split(' ')
      expect(program).toBe('coffer')
      expect(await runCoffer(words, settings)).toMatchObject({ code: 0 })
    }
    await run('the command that gives it up')
    await said('waits for you').waitFor({ state: 'detached' })
    await run('the command that resumes')
    await page.getByText('The books were proven').waitFor()
    await page.getByRole('heading', { name: 'Something was to be signed' }).waitFor({ state: 'detached' })
    await expectNoFaults(tab)
  })

  it('releases one payment of a listed sender and seizes another', async () => {
    for (const place of [1, 2]) {
      const id = await merchant.createInvoice({ amount: `${30 + place}` })
      await payFrom(coffer.nodeUrl, listed.account, await merchant.addressOf(id))
    }
    await go('quarantine')
    const held = rowsOf('Payments in quarantine')
    await held.nth(1).getByText('listed').filter({ visible: true }).waitFor()
    await expectNoFaults(tab)
    await held.first().getByRole('button', { name: 'Release' }).click()
    await dialog().getByLabel('Reason').fill('another of that name')
    await confirmProven('release', 'Release it')
    await said('It is credited.').waitFor()
    await held.nth(1).waitFor({ state: 'detached' })
    await held.getByRole('button', { name: 'Seize' }).first().click()
    await confirm('seize', 'Seize it')
    await said('It is forfeited.').waitFor()
    await expectNoFaults(tab)
  })

  it('bears what a merchant owes', async () => {
    await go('debts')
    await said('Nobody owes anything').waitFor()
    await owe({ db }, merchant.merchantId, 'ethereum/ETH', 5n * 10n ** 17n)
    const debt = rowsOf('What merchants owe').filter({ hasText: '0.5' })
    await debt.getByRole('button', { name: 'Write off' }).click()
    await dialog().getByText(merchant.merchantId).waitFor()
    await dialog().getByText('0.5', { exact: false }).first().waitFor()
    await confirmProven('write off', 'Write it off')
    await said('Nobody owes anything').waitFor()
    await expectNoFaults(tab)
  })

  it('bears nothing where a debt has grown since it was shown', async () => {
    await owe({ db }, merchant.merchantId, 'ethereum/ETH', 10n ** 17n)
    await go('debts')
    await rowsOf('What merchants owe').getByRole('button', { name: 'Write off' }).click()
    await owe({ db }, merchant.merchantId, 'ethereum/ETH', 10n ** 17n)
    await confirmProven('write off', 'Write it off')
    await dialog().getByText('owes 0.2 ETH by now').waitFor()
    await button('Keep it').click()
    const listed = await runCoffer(['treasury', 'debts'], settings)
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('  0.2 ETH on ethereum  ') })
    await rowsOf('What merchants owe')
      .filter({ hasText: '0.2' })
      .getByRole('button', { name: 'Write off' })
      .click()
    await confirmProven('write off', 'Write it off')
    await said('Nobody owes anything').waitFor()
  })
})
