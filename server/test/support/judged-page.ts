/** Pages held to what all of them promise and, with SCREENSHOTS set to a folder, drawn for a phone and a desk. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { type BrowserTab, expectNoFaults } from './browser.ts'
import { repositoryRoot } from './coffer-process.ts'
import { smallPng } from './small-png.ts'

const folder = process.env['SCREENSHOTS']
const shots = folder === undefined ? undefined : join(repositoryRoot, folder)

/** Keeps a picture of the page under that name, where pictures are kept. */
export async function draw(page: Page, name: string, isWhole: boolean): Promise<void> {
  if (shots === undefined) return
  writeFileSync(join(shots, `${name}.png`), smallPng(await page.screenshot({ fullPage: isWhole })))
}

/** Looks at a page as it stands, light and dark. */
export async function judge(tab: BrowserTab, name: string, isDrawn = true): Promise<void> {
  const { page } = tab
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectNoFaults(tab)
    for (const width of shots !== undefined && isDrawn ? [390, 1440] : []) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 1000 })
      await draw(page, `${name}-${colorScheme}-${width}`, true)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
}
