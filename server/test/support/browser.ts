/**
 * A real Chromium for the tests of one file. Every page must be free of script errors and of violations of
 * its content security policy.
 */
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

/**
 * The path of the installed Chromium. If it is undefined, the tests that need it are skipped and listed by
 * name.
 */
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
  /**
   * What the page reported so far: script errors, violations of its policy, and failed loads of its own
   * resources.
   */
  readonly errors: readonly string[]
}

export interface TestBrowser {
  /** Opens a tab in a context of its own, without cookies and storage. */
  open(options?: BrowserContextOptions): Promise<BrowserTab>
}

/** Starts the browser before the first test of a file and ends it after the last. */
export function useBrowser(): TestBrowser {
  let browser: Browser | undefined
  beforeAll(async () => {
    if (chromiumPath === undefined) return
    // Chromium's sandbox needs rights that a container does not give. The pages are our own.
    browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
  })
  afterAll(() => browser?.close())
  return {
    open: async (options) => {
      const context = await required(browser, 'browser').newContext(options)
      const errors: string[] = []
      const page = await context.newPage()
      page.on('pageerror', (error) => errors.push(`error: ${error.message}`))
      page.on('dialog', (dialog) => {
        errors.push(`dialog: ${dialog.message()}`)
        void dialog.dismiss()
      })
      page.on('console', (message) => {
        if (message.type() !== 'error' || isAnsweredError(message.text())) return
        errors.push(`console: ${message.text()}`)
      })
      await context.addInitScript(reportViolations)
      return { page, context, errors }
    },
  }
}

/** Makes a page and every frame in it report what its policy refused (CSP Level 3, section 5.1). */
const reportViolations = `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
  console.error('policy: ' + effectiveDirective + ' refused ' + blockedURI))`

/**
 * Decides whether a console line only reports an answer of 4xx. Chromium writes one even where the page
 * expects and shows the error.
 */
function isAnsweredError(text: string): boolean {
  return /^Failed to load resource: the server responded with a status of 4\d\d/.test(text)
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Returns what axe finds wrong with the page in its current state, one line for each finding. */
async function axeErrors(page: Page): Promise<readonly string[]> {
  // The script is added through the DevTools protocol, which bypasses the page's policy. The policy must not
  // be loosened for a test.
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

/** Expects no finding of axe, no script error and no violation of the page's policy so far. */
export async function expectNoErrors({ page, errors }: BrowserTab): Promise<void> {
  expect(await axeErrors(page)).toEqual([])
  expect(errors).toEqual([])
}

export const schemes = ['dark', 'light'] as const
/** The widths of a phone and of a desktop, in pixels. */
export const widths = [390, 1_440] as const

/**
 * Expects no errors in the light and the dark theme, at the widths of a phone and of a desktop, and no
 * horizontal overflow.
 */
export async function expectNoErrorsInAnyTheme(tab: BrowserTab, name: string): Promise<void> {
  const { page } = tab
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme })
      // During a transition between colours, the contrast is different from that of either theme.
      await vi.waitUntil(() => page.evaluate<boolean>('document.getAnimations().length === 0'), {
        timeout: 15_000,
      })
      await expectNoErrors(tab).catch((error: unknown) => {
        throw new Error(`on the page ${name}, ${width} px and ${colorScheme}: ${String(error)}`)
      })
    }
    const scrollWidth = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect(scrollWidth, `the page ${name} fits ${width} px`).toBeLessThanOrEqual(width)
  }
}
