/**
 * Builds HTML that is safe from injection. Every inserted value is escaped, except HTML that this module
 * built.
 */
import { escapeHtml } from '../../platform/http/pages/page.ts'

/** Safe HTML, which is inserted without escaping. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The values that can be inserted into a template. Undefined and false insert nothing. */
export type Inserted = Html | string | number | undefined | false | readonly Inserted[]

/** Builds HTML from a tagged template and escapes inserted values, such as `name` in html`<b>${name}</b>`. */
export function html(strings: TemplateStringsArray, ...inserted: readonly Inserted[]): Html {
  return new Html(String.raw({ raw: strings }, ...inserted.map(textOf)))
}

/**
 * Fills placeholders such as `{amount}` in a sentence. Each value is isolated from the text direction around
 * it (`bdi`), so that an address or amount stays intact in a right-to-left sentence.
 */
export function filled(sentence: string, values: Readonly<Record<string, Inserted>>): Html {
  const parts = sentence.split(/\{(\w+)\}/)
  return new Html(
    parts
      .map((part, index) => (index % 2 === 0 ? escapeHtml(part) : `<bdi>${textOf(values[part])}</bdi>`))
      .join(''),
  )
}

/** Fills placeholders as `filled` does, but with plain text, for titles and screen readers. */
export function plain(sentence: string, values: Readonly<Record<string, string | number>>): string {
  return sentence.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
}

/** Isolates a value from the text direction of a plain sentence, with Unicode's FSI and PDI. */
export function apart(value: string): string {
  return `\u2068${value}\u2069`
}

function textOf(inserted: Inserted): string {
  if (inserted === undefined || inserted === false) return ''
  if (inserted instanceof Html) return inserted.text
  if (Array.isArray(inserted)) return inserted.map(textOf).join('')
  return escapeHtml(String(inserted))
}
