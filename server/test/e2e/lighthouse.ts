/** What Lighthouse says of the checkout; it is fetched for the occasion (`npm run lighthouse`). */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { chromiumPath } from '../support/browser.ts'
import { openMerchant, printedLogin } from '../support/coffer-client.ts'
import { ownSettings, startCoffer, useDataDirs } from '../support/coffer-process.ts'

const lighthouse = 'lighthouse@12.8.2'
const folders = useDataDirs()

interface Report {
  readonly categories: { readonly [name: string]: { readonly score: number } }
  readonly audits: {
    readonly [name: string]: { readonly displayValue?: string; readonly numericValue?: number }
  }
}

describe.skipIf(chromiumPath === undefined)('Lighthouse, on the checkout', () => {
  let url: string
  let reports: string

  beforeAll(async () => {
    const coffer = await startCoffer(await ownSettings(await folders.fresh()))
    const merchant = await openMerchant(coffer.url, printedLogin(coffer))
    const id = await merchant.createInvoice({ paymentMethodID: 1, description: 'A blue hat' })
    url = `${coffer.url}/pay/${id}`
    reports = await folders.fresh()
  })

  it.each(['mobile', 'desktop'])('gives 95 of 100 or more in each category, %s', async (device) => {
    const path = join(reports, `${device}.json`)
    const options = [
      '--quiet',
      '--output=json',
      `--output-path=${path}`,
      '--chrome-flags=--headless=new --no-sandbox',
    ]
    // A page of one customer belongs into no search engine; Lighthouse would have it there.
    const skipped = '--skip-audits=is-crawlable'
    const preset = device === 'desktop' ? ['--preset=desktop'] : []
    const env = { ...process.env, CHROME_PATH: required(chromiumPath, 'Chromium') }
    await promisify(execFile)('npx', ['-y', lighthouse, url, ...options, skipped, ...preset], { env })
    const { categories, audits }: Report = JSON.parse(await readFile(path, 'utf8'))
    const scores = Object.entries(categories).map(
      ([name, { score }]) => [name, Math.round(score * 100)] as const,
    )
    console.log(device, Object.fromEntries(scores), audits['first-contentful-paint']?.displayValue)
    for (const [name, score] of scores) expect(score, name).toBeGreaterThanOrEqual(95)
  })
})
