/**
 * Words that were coined here although the field has its own word. Identifiers, files, tables, columns,
 * routes, wire properties and settings use the field's word. Prose is judged by people.
 */
export interface CoinedWord {
  /**
   * The coined word in lower case. Two consecutive words have a space between them. Plurals are found too.
   */
  readonly word: string
  /** The field's word. */
  readonly use: string
  /** Names in which the word means something else. */
  readonly keeps?: readonly string[]
}

export const coinedWords: readonly CoinedWord[] = [
  { word: 'arrival', use: 'payment, deposit, or waiter for what waits for an event' },
  { word: 'bite', use: 'batch' },
  { word: 'breach', use: 'violation' },
  { word: 'desk', use: 'session, or context' },
  { word: 'displaced', use: 'conflicted' },
  { word: 'doubt', use: 'recheck' },
  { word: 'filler', use: 'nonce-gap transaction' },
  { word: 'fold', use: 'aggregate' },
  { word: 'guess', use: 'login attempt' },
  { word: 'judge', use: 'authorize, or check' },
  { word: 'judging', use: 'authorization' },
  { word: 'lane', use: 'hot wallet' },
  { word: 'lineage', use: 'ancestors' },
  { word: 'maker', use: 'previous transaction' },
  { word: 'one word', use: 'hasSingleNode' },
  { word: 'outsider', use: 'faucet, or external payer' },
  { word: 'rekey', use: 'reencrypt' },
  { word: 'ripe', use: 'confirmable' },
  { word: 'seat', use: 'limiter' },
  { word: 'setback', use: 'retry' },
  { word: 'spelling', use: 'canonical form, or encoding' },
  { word: 'standing', use: 'status, or continuous where it never ends' },
  { word: 'stray', use: 'misdirected deposit' },
  {
    word: 'suspense',
    use: 'receivable, or negative balance',
    // React's component.
    keeps: ['Suspense'],
  },
  { word: 'take out', use: 'treasury withdrawal' },
  { word: 'told', use: 'reported, emitted, delivered or known, by what it is' },
  { word: 'untold', use: 'missing, or without an event' },
  { word: 'voice', use: 'quorum' },
  { word: 'wish', use: 'params, input or request' },
]
