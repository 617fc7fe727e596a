/**
 * Takes pictures of every page of the dashboard, in the light and the dark theme, at the widths of a desktop
 * and of a phone.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it, onTestFinished, vi } from 'vitest'
import { chromiumPath, schemes, useBrowser, widths } from '../support/browser.ts'
import { printedLogin } from '../support/coffer-client.ts'
import { ownSettings, type RunningCoffer, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { type MerchantServer, startMerchantServer, status } from '../support/merchant-server.ts'
import { pictureFile } from '../support/picture-file.ts'
import { signIn } from '../support/sign-in.ts'
import { smallPng } from '../support/small-png.ts'
import { dashboardPages } from './dashboard-pages.ts'
import {
  approvalAboveUsd,
  leaveToDecide,
  listed,
  openStage,
  rule,
  type Stage,
  sell,
  takeBackSpent,
} from './play-shop.ts'

const folders = useDataDirs()
const browser = useBrowser()
const cold = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

/** The names of the pages to take, separated by commas; all pages by default. */
const wanted = process.env['PICTURES']?.split(',')

describe.skipIf(chromiumPath === undefined)('pictures of the dashboard', () => {
  let coffer: RunningCoffer
  let stage: Stage
  let sold: Awaited<ReturnType<typeof sell>>
  const receivers: MerchantServer[] = []
  const receive = async (code: number) => {
    const receiver = await startMerchantServer(status(code))
    receivers.push(receiver)
    return receiver.url
  }
  afterAll(() => Promise.all(receivers.map((receiver) => receiver.close())))

  beforeAll(async () => {
    const dataDir = await folders.fresh()
    const list = join(dataDir, 'listed.txt')
    writeFileSync(list, `${listed.address}\n`, { mode: 0o644 })
    const rules = { COLD_ADDRESS_ETHEREUM: cold, SANCTIONS_FILE: list, APPROVAL_ABOVE_USD: approvalAboveUsd }
    coffer = await startCoffer(await ownSettings(dataDir, rules))
    stage = await openStage(coffer)
    sold = await sell(stage, await receive(200))
    await rule(stage)
    await leaveToDecide(stage, await receive(500))
    await takeBackSpent(stage)
  }, 240_000)

  for (const width of widths)
    for (const colorScheme of schemes)
      it(`are taken at ${width} px in ${colorScheme}`, async () => {
        const { page, context } = await browser.open({ viewport: { width, height: 900 }, colorScheme })
        onTestFinished(() => context.close())
        const take = async (name: string, path: string) => {
          if (wanted?.includes(name) === false) return
          await page.goto(`${coffer.url}/dashboard${path}`)
          await page.locator('h1').first().waitFor()
          // No request is pending, and no animation runs.
          await vi.waitUntil(async () => (await page.locator('[class*=animate-]').count()) === 0, {
            timeout: 15_000,
          })
          await page.waitForTimeout(150)
          writeFileSync(
            pictureFile(`dashboard/${name}-${width}-${colorScheme}.png`),
            smallPng(await page.screenshot()),
          )
        }
        await take('sign-in', '/sign-in')
        await take('sign-up', '/sign-up')
        await signIn(page, coffer.url, printedLogin(coffer))
        await page.getByRole('heading', { name: 'Northwind Coffee' }).waitFor()
        for (const [name, path] of Object.entries(
          dashboardPages(stage.merchant.merchantId, sold.invoiceId, sold.txHash),
        ))
          await take(name, path)
      })
})
