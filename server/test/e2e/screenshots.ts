/** Pictures of every page of the dashboard, for docs/screenshots: light and dark, on a desk and in a hand. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it, onTestFinished, vi } from 'vitest'
import { chromiumPath, schemes, useBrowser, widths } from '../support/browser.ts'
import { call, type MerchantClient, openMerchant, payFrom, printedLogin } from '../support/coffer-client.ts'
import {
  ownSettings,
  type RunningCoffer,
  repositoryRoot,
  startCoffer,
  useDataDirs,
} from '../support/coffer-process.ts'
import { type MerchantServer, startMerchantServer, status } from '../support/merchant-server.ts'
import { signIn } from '../support/sign-in.ts'
import { smallPng } from '../support/small-png.ts'
import { placesOf } from './places.ts'

const folder = join(repositoryRoot, 'docs/screenshots/dashboard')
const folders = useDataDirs()
const browser = useBrowser()
const outsider = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

const cold = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

/** Names of pages, with commas between them: only these are taken anew. */
const wanted = process.env['PICTURES']?.split(',')

describe.skipIf(chromiumPath === undefined)('pictures of the dashboard', () => {
  let coffer: RunningCoffer
  let merchant: MerchantClient
  let invoiceId: string
  let txHash: string
  let receiver: MerchantServer | undefined
  afterAll(() => receiver?.close())

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true })
    coffer = await startCoffer(await ownSettings(await folders.fresh(), { COLD_ADDRESS_ETHEREUM: cold }))
    merchant = await openMerchant(coffer.url, printedLogin(coffer))
    const rename = { authorization: `Bearer ${merchant.token}` }
    await call(`${coffer.url}/merchants/${merchant.merchantId}`, 'PUT', rename, { name: 'Northwind Coffee' })
    await fillShop()
    await rule()
  })

  async function fillShop(): Promise<void> {
    receiver = await startMerchantServer(status(200))
    await merchant.setWebhook(receiver.url, 'a secret of at least thirty-two characters')
    const orders = ['Espresso beans, 1 kg', 'Gift card', 'Grinder', 'Subscription, June', 'Filter papers']
    const invoices: string[] = []
    for (const [place, description] of orders.entries())
      invoices.push(
        await merchant.createInvoice({
          amount: `${19 + place * 13}.50`,
          description,
          reference: `NW-${1041 + place}`,
        }),
      )
    for (const [place, id] of invoices.slice(0, 3).entries()) {
      txHash = await payFrom(coffer.nodeUrl, 3 + place, await merchant.addressOf(id))
      await merchant.becomes(id, 'paid')
      invoiceId = id
    }
    await merchant.call('POST', `/merchants/${merchant.merchantId}/withdrawals`, {
      address: outsider,
      amount: '0.01',
      paymentMethodID: 3,
    })
    await vi.waitUntil(
      async () => (await merchant.transactions()).filter(({ state }) => state === 'confirmed').length >= 3,
      { timeout: 30_000, interval: 200 },
    )
    await vi.waitUntil(
      async () => {
        const { body } = await merchant.call('GET', `/merchants/${merchant.merchantId}/withdrawals`)
        return body.data[0]?.state === 'completed'
      },
      { timeout: 60_000, interval: 200 },
    )
  }

  /** What an operator has decided so far. */
  async function rule(): Promise<void> {
    const bearer = { authorization: `Bearer ${merchant.token}` }
    const send = async (method: string, path: string, json?: unknown) => {
      const { status: code, body } = await call(`${coffer.url}${path}`, method, bearer, json)
      if (code >= 300) throw new Error(`${method} ${path}: ${code} ${JSON.stringify(body)}`)
      return body
    }
    const own = { merchantID: merchant.merchantId }
    await send('PUT', '/operator/fees', { type: 'onetime', percent: '1.2', flat: '0.20', currency: 'USD' })
    await send('PUT', '/operator/fees', { ...own, type: 'onetime', percent: '0.8', paymentMethodID: 1 })
    await send('PUT', '/operator/fees', {
      type: 'withdrawal',
      percent: '0',
      flat: '0.0005',
      paymentMethodID: 3,
    })
    await send('PUT', '/operator/limits', { minCollect: '2', minWithdraw: '10' })
    await send('PUT', '/operator/limits', { ...own, minWithdraw: '0.005', paymentMethodID: 3 })
    for (const amount of ['0.75', '1.5'])
      await send('POST', '/operator/take-outs', { paymentMethodID: 3, source: 'capital', amount })
    const { id } = await send('POST', '/merchants', { name: 'Closed kiosk' })
    await send('DELETE', `/merchants/${id}`)
    await vi.waitUntil(
      async () =>
        (await send('GET', '/operator/take-outs')).data.every(
          ({ state }: { state: string }) => state === 'completed',
        ),
      { timeout: 60_000, interval: 200 },
    )
  }

  for (const width of widths)
    for (const colorScheme of schemes)
      it(`are taken at ${width} px in ${colorScheme}`, async () => {
        const { page, context } = await browser.open({ viewport: { width, height: 900 }, colorScheme })
        onTestFinished(() => context.close())
        const take = async (name: string, path: string) => {
          if (wanted?.includes(name) === false) return
          await page.goto(`${coffer.url}/dashboard${path}`)
          await page.locator('h1').first().waitFor()
          // Nothing is on its way any more, and nothing moves.
          await vi.waitUntil(async () => (await page.locator('[class*=animate-]').count()) === 0, {
            timeout: 15_000,
          })
          await page.waitForTimeout(150)
          writeFileSync(
            join(folder, `${name}-${width}-${colorScheme}.png`),
            smallPng(await page.screenshot()),
          )
        }
        await take('sign-in', '/sign-in')
        await take('sign-up', '/sign-up')
        await signIn(page, coffer.url, printedLogin(coffer))
        await page.getByRole('heading', { name: 'Northwind Coffee' }).waitFor()
        for (const [name, path] of Object.entries(placesOf(merchant.merchantId, invoiceId, txHash)))
          await take(name, path)
      })
})
