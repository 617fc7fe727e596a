/** Sentences of the page's language that only a script needs; the server put them there. */
type Sentence =
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
  return text.replaceAll(/\{(\w+)\}/g, (_, place: string) => values[place] ?? '')
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
