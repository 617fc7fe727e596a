/** Runs Lighthouse on the checkout. `npm run lighthouse` fetches it for this run. */
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
  readonly categories: {
    readonly [name: string]: {
      readonly score: number
      readonly auditRefs: readonly { readonly id: string; readonly weight: number }[]
    }
  }
  readonly audits: {
    /** The score from 0 to 1. It is null where the audit does not apply. */
    readonly [name: string]: { readonly displayValue?: string; readonly score: number | null }
  }
}

/**
 * The audit that requires a page to be indexed by search engines. The checkout is for one payer only
 * (docs/decisions/0050).
 */
const unwanted = 'is-crawlable'

/**
 * Returns the score of a category from 0 to 100 without one audit, with Lighthouse's weights for the others.
 */
function scoreWithout(report: Report, category: string, audit: string): number {
  const weighed = required(report.categories[category], category).auditRefs.flatMap(({ id, weight }) => {
    const score = report.audits[id]?.score ?? null
    return id === audit || score === null ? [] : { weight, points: weight * score }
  })
  const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
  return Math.round(
    (100 * sumOf(weighed.map(({ points }) => points))) / sumOf(weighed.map(({ weight }) => weight)),
  )
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

  it.each(['mobile', 'desktop'])('scores 95 of 100 or more in each category, %s', async (device) => {
    const report = await audit(device)
    const scores = new Map(
      Object.entries(report.categories).map(([name, { score }]) => [name, Math.round(score * 100)]),
    )
    const scored = new Map(scores).set(`seo without ${unwanted}`, scoreWithout(report, 'seo', unwanted))
    const paint = report.audits['first-contentful-paint']?.displayValue
    console.log(device, Object.fromEntries(scored), 'first paint', paint)
    scored.delete('seo')
    for (const [name, score] of scored) expect(score, name).toBeGreaterThanOrEqual(95)
    expect([...scores.keys()]).toEqual(['performance', 'accessibility', 'best-practices', 'seo'])
  })

  async function audit(device: string): Promise<Report> {
    const path = join(reports, `${device}.json`)
    const options = [
      '--quiet',
      '--output=json',
      `--output-path=${path}`,
      '--chrome-flags=--headless=new --no-sandbox',
    ]
    const preset = device === 'desktop' ? ['--preset=desktop'] : []
    const env = { ...process.env, CHROME_PATH: required(chromiumPath, 'Chromium') }
    await promisify(execFile)('npx', ['-y', lighthouse, url, ...options, ...preset], { env })
    return JSON.parse(await readFile(path, 'utf8'))
  }
})
