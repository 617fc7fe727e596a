/** Sentences of the page's language that only a script needs; the server put them there. */
type Sentence =
  | 'close'
  | 'copied'
  | 'offline'
  | 'payWith'
  | 'walletChain'
  | 'walletRefused'
  | 'walletSent'
  | 'claimNeedsLink'
  | 'tryAgain'

export function sentence(name: Sentence, values: Readonly<Record<string, string>> = {}): string {
  const text = document.getElementById('texts')?.dataset[name] ?? ''
  return text.replaceAll(/\{(\w+)\}/g, (_, place: string) => apart(values[place] ?? ''))
}

/** In a sentence from right to left a name in Latin letters keeps its own direction (Unicode's FSI and PDI). */
function apart(value: string): string {
  return document.dir === 'rtl' ? `\u2068${value}\u2069` : value
}

/** Has a screen reader say it; the same again only where it was asked for, not with each confirmation. */
export function say(text: string): void {
  const said = document.getElementById('said')
  if (said !== null && said.textContent !== text) said.textContent = text
}

const notice = document.getElementById('notice')
let shown: Sentence | undefined

/** Says something above the card, aloud too. */
export function tell(name: Sentence, values: Readonly<Record<string, string>> = {}): void {
  shown = name
  if (notice !== null) notice.textContent = sentence(name, values)
}

/** Takes that sentence away, if it is the one that is shown. */
export function tellNothing(name: Sentence): void {
  if (shown === name && notice !== null) notice.textContent = ''
}
