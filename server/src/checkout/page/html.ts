/** HTML that cannot be broken out of: whatever is put into it is escaped, unless it is HTML made here itself. */
import { escapeHtml } from '../../platform/http/pages/page.ts'

/** Text that is HTML already. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What may stand in a template; absent and false things are nothing. */
export type Inserted = Html | string | number | undefined | false | readonly Inserted[]

/** `html\`<b>${name}</b>\`` */
export function html(strings: TemplateStringsArray, ...inserted: readonly Inserted[]): Html {
  return new Html(String.raw({ raw: strings }, ...inserted.map(textOf)))
}

/**
 * A sentence with places such as `{amount}` filled in. Each value stands apart from the direction of the sentence around
 * it, so that an address or an amount is never torn in a right-to-left one.
 */
export function filled(sentence: string, values: Readonly<Record<string, Inserted>>): Html {
  const parts = sentence.split(/\{(\w+)\}/)
  return new Html(
    parts
      .map((part, place) => (place % 2 === 0 ? escapeHtml(part) : `<bdi>${textOf(values[part])}</bdi>`))
      .join(''),
  )
}

/** The same as plain text, for titles and what is read aloud. */
export function plain(sentence: string, values: Readonly<Record<string, string | number>>): string {
  return sentence.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
}

/** A value inside a plain sentence, apart from its direction (Unicode's FSI and PDI). */
export function apart(value: string): string {
  return `\u2068${value}\u2069`
}

function textOf(inserted: Inserted): string {
  if (inserted === undefined || inserted === false) return ''
  if (inserted instanceof Html) return inserted.text
  if (Array.isArray(inserted)) return inserted.map(textOf).join('')
  return escapeHtml(String(inserted))
}
