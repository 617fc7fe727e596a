/**
 * Checks that a page is valid. With SCREENSHOTS=1 it also takes pictures at the widths of a phone and of a
 * desktop.
 */
import { writeFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { type BrowserTab, expectNoErrors } from './browser.ts'
import { pictureFile } from './picture-file.ts'
import { smallPng } from './small-png.ts'

const takesPictures = process.env['SCREENSHOTS'] !== undefined

/** Writes a picture of the page under that name, if pictures are wanted. */
export async function draw(page: Page, name: string, isWhole: boolean): Promise<void> {
  if (!takesPictures) return
  writeFileSync(pictureFile(`${name}.png`), smallPng(await page.screenshot({ fullPage: isWhole })))
}

/** Checks a page in its current state, in the light and the dark theme. */
export async function expectValid(tab: BrowserTab, name: string, isDrawn = true): Promise<void> {
  const { page } = tab
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectNoErrors(tab)
    for (const width of takesPictures && isDrawn ? [390, 1440] : []) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 1000 })
      await draw(page, `${name}-${colorScheme}-${width}`, true)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
}
