/** A real Chromium for the tests of one file, held to what every page promises: no fault told, no policy broken. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'

/** Debian's and others' Chromium; undefined where there is none, and the tests that need it are skipped by name. */
export const chromiumPath = ['chromium', 'chromium-browser', 'google-chrome'].flatMap(onPath)[0]

function onPath(program: string): string[] {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .filter((path) => existsSync(path))
}

export interface BrowserTab {
  readonly page: Page
  readonly context: BrowserContext
  /** What the page complained of so far: errors of scripts, refusals of its policy, failed loads of its own parts. */
  readonly faults: readonly string[]
}

export interface TestBrowser {
  /** A tab of a person of its own: no cookie, no storage. */
  open(options?: BrowserContextOptions): Promise<BrowserTab>
}

/** Starts the browser before the first test of a file and ends it after the last. */
export function useBrowser(): TestBrowser {
  let browser: Browser | undefined
  beforeAll(async () => {
    if (chromiumPath === undefined) return
    // Its sandbox needs rights that a container does not give; the pages are our own.
    browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
  })
  afterAll(() => browser?.close())
  return {
    open: async (options) => {
      const context = await required(browser, 'browser').newContext(options)
      const faults: string[] = []
      const page = await context.newPage()
      page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
      page.on('dialog', (dialog) => {
        faults.push(`dialog: ${dialog.message()}`)
        void dialog.dismiss()
      })
      page.on('console', (message) => {
        if (message.type() !== 'error' || isAnsweredRefusal(message.text())) return
        faults.push(`console: ${message.text()}`)
      })
      await context.addInitScript(tellViolations)
      return { page, context, faults }
    },
  }
}

/** Has a page, and every frame in it, report what its policy refused (CSP Level 3, section 5.1). */
const tellViolations = `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
  console.error('policy: ' + effectiveDirective + ' refused ' + blockedURI))`

/** Chromium writes a line for each answer above 399, also where the page expects and shows it. */
function isAnsweredRefusal(text: string): boolean {
  return /^Failed to load resource: the server responded with a status of 4\d\d/.test(text)
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds wrong with the page as it stands, a line each; empty where there is nothing. */
async function axeFaults(page: Page): Promise<readonly string[]> {
  // As the browser's own tools do it, past the policy of the page: that must not be loosened for a test.
  const session = await page.context().newCDPSession(page)
  const { result: isThere } = await session.send('Runtime.evaluate', {
    expression: `typeof axe === 'object'`,
  })
  if (isThere.value !== true) await session.send('Runtime.evaluate', { expression: axeSource })
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => JSON.stringify(
      violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
        id + ' at ' + target.join(' ') + ': ' + failureSummary.replaceAll('\\n', ' ')))))`,
    awaitPromise: true,
    returnByValue: true,
  })
  await session.detach()
  return JSON.parse(String(result.value))
}

/** Nothing that axe would have changed, no fault told and nothing refused by the page's policy so far. */
export async function expectNoFaults({ page, faults }: BrowserTab): Promise<void> {
  expect(await axeFaults(page)).toEqual([])
  expect(faults).toEqual([])
}

export const schemes = ['dark', 'light'] as const
/** In a hand and on a desk. */
export const widths = [390, 1_440] as const

/** Holds a page to all that, in the light and in the dark, in a hand and on a desk; and it fits in both. */
export async function expectNoFaultsInAnyLook(tab: BrowserTab, name: string): Promise<void> {
  const { page } = tab
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme })
      // What fades from one colour to another has a contrast of its own meanwhile.
      await vi.waitUntil(() => page.evaluate<boolean>('document.getAnimations().length === 0'), {
        timeout: 15_000,
      })
      await expectNoFaults(tab).catch((error: unknown) => {
        throw new Error(`on the page ${name}, ${width} px and ${colorScheme}: ${String(error)}`)
      })
    }
    const scrollWidth = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect(scrollWidth, `the page ${name} fits ${width} px`).toBeLessThanOrEqual(width)
  }
}
