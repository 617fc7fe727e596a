/**
 * Tests each state of the checkout in each language at the width of a phone. Each page is complete, in one
 * language only, and in the right direction.
 */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { en } from '../../src/checkout/languages/en.ts'
import { type Language, languages } from '../../src/checkout/languages/language.ts'
import { silentLog } from '../../src/core/log.ts'
import { attachEmbedded } from '../../src/platform/db/embedded/attach-embedded.ts'
import { type Db, openDb } from '../../src/platform/db/pool.ts'
import { chromiumPath, useBrowser } from '../support/browser.ts'
import { type MerchantClient, openMerchant, printedLogin } from '../support/coffer-client.ts'
import { ownSettings, type RunningCoffer, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { dropBlocks, mineBlock, minedIn, sendTether, setBlockTime } from '../support/payer.ts'
import { expectValid } from '../support/valid-page.ts'

const folders = useDataDirs()
const browser = useBrowser()

const blockTimeS = 1

describe.skipIf(chromiumPath === undefined)('the languages of the checkout, in Chromium', () => {
  let coffer: RunningCoffer
  let merchant: MerchantClient
  let db: Db
  /** The path of a page in each phase. */
  let paths: ReadonlyMap<string, string>

  beforeAll(async () => {
    const dataDir = await folders.fresh()
    coffer = await startCoffer(await ownSettings(dataDir, { SANDBOX_BLOCK_TIME_S: String(blockTimeS) }))
    merchant = await openMerchant(coffer.url, printedLogin(coffer))
    db = openDb({ url: (await attachEmbedded(dataDir)).app, connections: 1, log: silentLog })
    paths = await openEach()
  }, 150_000)
  afterAll(() => db?.close())

  const invoice = (over: object = {}) =>
    merchant.createInvoice({
      amount: '10',
      paymentMethodID: 1,
      redirectURL: 'https://shop.example/',
      ...over,
    })
  const pathOf = (id: string) => `/pay/${id}`

  const addressOf = async (id: string): Promise<string> =>
    (await merchant.call('GET', `/public/invoices/${id}/method/1/address`)).body.address

  async function send(id: string, amountMinor: bigint, to?: string): Promise<string> {
    const hash = await sendTether(coffer, to ?? (await addressOf(id)), amountMinor)
    await minedIn(coffer, hash)
    return hash
  }

  async function endTime(id: string): Promise<void> {
    await db.query(sql`
      update deposit set in_time_at = now() - interval '90 minutes' where invoice_id = ${id} and state = 'pending'`)
    await db.query(sql`
      update invoice set created_at = now() - interval '2 hours', expires_at = now() - interval '1 hour' where id = ${id}`)
  }

  const becomes = (path: string, phase: RegExp) =>
    vi.waitUntil(async () => phase.test(await phaseAt(path)), { interval: 100, timeout: 20_000 })
  const phaseAt = async (path: string) =>
    ((await (await fetch(`${coffer.url}${path.split('#')[0]}/status`)).json()) as { phase: string }).phase

  async function openEach(): Promise<ReadonlyMap<string, string>> {
    const made = new Map<string, string>()
    const make = async (phase: string, over: object = {}) => {
      const id = await invoice(over)
      made.set(phase, pathOf(id))
      return id
    }
    await make('choose', { paymentMethodIDs: [3] })
    await make('pay', { type: 'collect', description: 'A blue hat' })
    const renewed = await make('renew', { paymentMethodIDs: [3], expiresInMinutes: 600 })
    await addressOf(renewed)
    await db.query(sql`
      update quote set quoted_at = now() - interval '2 hours', expires_at = now() where invoice_id = ${renewed}`)
    await endTime(await make('expired'))
    await send(await make('paid'), 12_000_000n)
    await send(await make('partial'), 6_800_000n)
    const late = await make('late')
    const to = await addressOf(late)
    await endTime(late)
    await send(late, 10_000_000n, to)
    const short = await make('short')
    // The time ends before a second block confirms the payment, whose time of arrival then stays as it is.
    await setBlockTime(coffer, 0)
    await sendTether(coffer, await addressOf(short), 6_800_000n)
    await mineBlock(coffer)
    await becomes(pathOf(short), /partial/)
    await endTime(short)
    await setBlockTime(coffer, blockTimeS)
    const input = { amount: '5', type: 'withdraw', paymentMethodID: 1 }
    const claim = (await merchant.call('POST', `/merchants/${merchant.merchantId}/invoices`, input)).body
    made.set('claim-open', String(claim.claimURL).slice(coffer.url.length))
    for (const [phase, path] of made) await becomes(path, new RegExp(`^${phase}$`))
    await dropLast(make)
    return made
  }

  /**
   * Makes the pages that need a dropped block. This runs last, because other payments in the dropped blocks
   * would be lost too.
   */
  async function dropLast(make: (phase: string) => Promise<string>): Promise<void> {
    const whole = await make('dropped')
    const parts = [await make('part-seen'), await make('part-over')] as const
    const { height } = await minedIn(coffer, await send(whole, 10_000_000n))
    for (const part of parts) await send(part, 6_800_000n)
    await becomes(pathOf(whole), /paid/)
    for (const part of parts) await becomes(pathOf(part), /partial/)
    await dropBlocks(coffer, height)
    await becomes(pathOf(whole), /dropped/)
    for (const part of parts) await becomes(pathOf(part), /part-seen/)
    await endTime(parts[1])
    await becomes(pathOf(parts[1]), /part-over/)
  }

  it.each(languages.map((language) => [language.code, language] as const))(
    '%s fits the width, has every text, and mixes neither languages nor directions',
    async (code, language) => {
      const tab = await browser.open({ viewport: { width: 390, height: 844 } })
      const { page } = tab
      for (const [phase, path] of paths) {
        const [pathname, fragment = ''] = path.split('#')
        await page.goto(`${coffer.url}${pathname}?lang=${code}#${fragment}`)
        expect(await page.locator('html').getAttribute('lang')).toBe(code)
        const where = `${phase} in ${code}`
        for (const width of [390, 320]) {
          await page.setViewportSize({ width, height: 844 })
          expect(await page.evaluate(tooWide), `${where} at ${width} px`).toEqual([])
        }
        expect(foreignWords(await page.locator('body').innerText(), language), where).toEqual([])
        expect(await page.evaluate(mixedTexts), where).toEqual([])
        if (phase === 'pay' || phase === 'choose')
          await expectValid(tab, `checkout-${phase}-${code}`, code === 'ar' && phase === 'pay')
      }
    },
  )
})

/** A script that finds elements wider than the window, and elements with cut text. Only hashes may be cut. */
const tooWide = `[...document.querySelectorAll('main *, footer *')].filter((one) => {
  const { left, right, width } = one.getBoundingClientRect()
  if (width === 0 || one.closest('.unseen, .hash') !== null) return false
  const isCut = getComputedStyle(one).overflowX !== 'visible' && one.scrollWidth > one.clientWidth
  return left < 0 || right > innerWidth || isCut
}).map((one) => one.outerHTML.slice(0, 80))`

/**
 * A script that finds texts with both right-to-left letters and digits. Bidirectional layout could reorder
 * the parts of such a number.
 */
const mixedTexts = `(() => {
  const found = []
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    if (/[\\u0590-\\u06ff]/.test(node.data) && /[0-9]/.test(node.data)) found.push(node.data)
  return found
})()`

/** Returns the English sentences on a page in another language. */
function foreignWords(shown: string, { texts }: Language): readonly string[] {
  const own = Object.values(texts).join(' ')
  return Object.values(en)
    .flatMap((sentence) => sentence.split(/\{\w+\}/))
    .map((part) => part.trim())
    .filter((part) => part.length > 5 && shown.includes(part) && !own.includes(part))
}
