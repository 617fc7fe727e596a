/** Pages held to what all of them promise and, with SCREENSHOTS set to a folder, drawn for a phone and a desk. */
import { join } from 'node:path'
import { type BrowserTab, expectNoFaults } from './browser.ts'
import { repositoryRoot } from './coffer-process.ts'

const folder = process.env['SCREENSHOTS']

/** Where pictures are to be kept; undefined where none are drawn. */
export const shots = folder === undefined ? undefined : join(repositoryRoot, folder)

/** Looks at a page as it stands, light and dark. */
export async function judge(tab: BrowserTab, name: string, isDrawn = true): Promise<void> {
  const { page } = tab
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectNoFaults(tab)
    for (const width of shots !== undefined && isDrawn ? [390, 1440] : []) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 1000 })
      await page.screenshot({ path: `${shots}/${name}-${colorScheme}-${width}.png`, fullPage: true })
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
}
