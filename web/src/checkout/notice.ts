/** The sentences that only the script shows. The server puts them into the page, in the page's language. */
type Sentence =
  | 'close'
  | 'copied'
  | 'offline'
  | 'payWith'
  | 'walletChain'
  | 'walletRefused'
  | 'walletSent'
  | 'claimElsewhere'
  | 'claimNeedsLink'
  | 'tryAgain'

export function sentence(name: Sentence, values: Readonly<Record<string, string>> = {}): string {
  const text = document.getElementById('texts')?.dataset[name] ?? ''
  return text.replaceAll(/\{(\w+)\}/g, (_, placeholder: string) => apart(values[placeholder] ?? ''))
}

/**
 * Isolates a value in right-to-left text with the Unicode characters FSI and PDI, so that Latin names keep
 * their direction.
 */
function apart(value: string): string {
  return document.dir === 'rtl' ? `\u2068${value}\u2069` : value
}

/** Announces a text to screen readers. A text that is already announced is not repeated. */
export function say(text: string): void {
  const said = document.getElementById('said')
  if (said !== null && said.textContent !== text) said.textContent = text
}

const notice = document.getElementById('notice')
let shown: Sentence | undefined

/** Shows a sentence above the card, in an element that screen readers announce. */
export function announce(name: Sentence, values: Readonly<Record<string, string>> = {}): void {
  shown = name
  if (notice !== null) notice.textContent = sentence(name, values)
}

/** Removes a sentence if this sentence is shown now. */
export function clearNotice(name: Sentence): void {
  if (shown === name && notice !== null) notice.textContent = ''
}
