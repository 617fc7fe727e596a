/** The dashboard as a merchant uses it: a real browser, a real sandbox, a real chain. */
import { beforeAll, describe, expect, it } from 'vitest'
import { axeFaults, chromiumPath, useBrowser } from '../support/browser.ts'
import { ownSettings, type RunningCoffer, startCoffer, useDataDirs } from '../support/coffer-process.ts'

const folders = useDataDirs()
const browser = useBrowser()

describe.skipIf(chromiumPath === undefined)('the dashboard, in Chromium', () => {
  let coffer: RunningCoffer

  beforeAll(async () => {
    coffer = await startCoffer(await ownSettings(await folders.fresh()))
  })

  it('opens under its policy and has nothing that axe would have changed', async () => {
    const { page, faults } = await browser.open()
    await page.goto(`${coffer.url}/dashboard`)
    await page.waitForSelector('#root > *')
    expect(await axeFaults(page)).toEqual([])
    expect(faults).toEqual([])
  })
})
