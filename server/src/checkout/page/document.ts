import type { Page } from '../../platform/http/route.ts'
import { type Language, languages } from '../languages/language.ts'
import { type Html, html } from './html.ts'

/** The paths of the page's built script, styles and icon, from the server's root. */
export interface CheckoutAssets {
  readonly script: string | undefined
  readonly styles: readonly string[]
  readonly icon: string | undefined
}

export interface DocumentParts {
  readonly language: Language
  readonly title: string
  /** The status of the invoice in one sentence, for link previews. */
  readonly description: string
  readonly card: Html
  readonly assets: CheckoutAssets
  /** The values that the script needs. Undefined on pages that do not change. */
  readonly live?: {
    readonly path: string
    readonly query: string
    readonly version: string
    readonly endsInS: number | undefined
    /**
     * Whether the status is expected to change. A browser without script then reloads the page every
     * `refreshS` seconds.
     */
    readonly isWaiting: boolean
  }
  readonly notice?: string | undefined
  /** Whether a shop may show the page in a frame. */
  readonly isFramable: boolean
}

const refreshS = 30

/** Renders the whole page. The page loads and runs nothing from other origins. */
export function documentOf(parts: DocumentParts): Page {
  const { language, title, description, card, assets, live, notice, isFramable } = parts
  const { texts, code, direction } = language
  const styles = assets.styles.map((href) => html`<link rel="stylesheet" href="${href}">`)
  const script = assets.script !== undefined && html`<script type="module" src="${assets.script}"></script>`
  const body = html`<!doctype html>
<html lang="${code}" dir="${direction}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="format-detection" content="telephone=no"><meta name="robots" content="noindex"><meta name="description" content="${description}"><link rel="icon" href="${assets.icon ?? 'data:,'}"><title>${title}</title>${styles}${script}${live?.isWaiting === true && html`<noscript><meta http-equiv="refresh" content="${refreshS}"></noscript>`}</head>
<body><main><div class="notice" id="notice" role="alert">${notice}</div>
<article class="card" id="card"${live && html` data-path="${live.path}" data-query="${live.query}" data-version="${live.version}" data-ends-in="${live.endsInS}"`}>${card}</article>
<p class="unseen" id="said" role="status"></p></main>
${live && html`<footer><nav class="languages" aria-label="${texts.language}">${languageLinks(code, live.path, live.query)}</nav></footer>`}
<div id="texts" hidden${scriptTexts(language)}></div></body>
</html>
`
  return { headers: headersOf(isFramable), body: body.text }
}

const spoken = [
  'close',
  'copied',
  'offline',
  'payWith',
  'walletChain',
  'walletRefused',
  'walletSent',
] as const
const claimed = ['claimElsewhere', 'claimNeedsLink', 'tryAgain'] as const

function scriptTexts({ texts }: Language): readonly Html[] {
  return [...spoken, ...claimed].map((name) => html` data-${kebab(name)}="${texts[name]}"`)
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function languageLinks(current: string, path: string, query: string): readonly Html[] {
  const rest = new URLSearchParams(query)
  return languages.map(({ code, name }) => {
    rest.set('lang', code)
    const here = code === current && html` aria-current="true"`
    return html`<a href="${path}?${rest.toString()}" lang="${code}" hreflang="${code}"${here}>${name}</a>`
  })
}

/**
 * Returns the headers of the page. If `isFramable` is true, any site may frame the page, because shops show
 * it with `coffer.js`. Clickjacking gains nothing, because the page has no session.
 */
function headersOf(isFramable: boolean): Page['headers'] {
  const ancestors = isFramable ? '*' : "'none'"
  return {
    'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors ${ancestors}`,
    'x-robots-tag': 'noindex',
    'x-frame-options': isFramable ? null : 'DENY',
  }
}
