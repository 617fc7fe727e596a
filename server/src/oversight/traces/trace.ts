/** What is known of a transaction on chain when a merchant asks for it, and what became of it. */

/** What a node says of the transaction. `silent`: it did not answer in time. */
export type NodeFact =
  | { readonly type: 'silent' }
  | { readonly type: 'unknown' }
  | { readonly type: 'pending' }
  | { readonly type: 'failed'; readonly height: number }
  | {
      readonly type: 'mined'
      readonly height: number
      readonly minedAt: Date
      /** Transfers above zero to anyone. */
      readonly moved: number
      /** Those to addresses of the asking merchant; other merchants' are nobody's business. */
      readonly received: readonly Received[]
      /** How much Coffer itself sent to addresses of the asking merchant, such as coin for the fee of a transfer on. */
      readonly ownMoves: number
    }

export interface Received {
  readonly recipient: string
  /** In whole units, with the symbol; undefined where the asset is no payment method. */
  readonly amount: string | undefined
  readonly contract: string | undefined
}

/** A payment in our books that this transaction made to the asking merchant. */
export interface TracedPayment {
  readonly transactionId: string
  readonly invoiceId: string | undefined
  /** In whole units, with the symbol. */
  readonly amount: string
  readonly state: 'pending' | 'confirmed' | 'failed'
  readonly createdAt: Date
  /** Undefined while no canonical block holds it. */
  readonly blockHeight: number | undefined
  readonly includedAt: Date | undefined
  /** In a mempool that is watched. */
  readonly isWaiting: boolean
  /** Was once in a block. */
  readonly wasIncluded: boolean
  /** Hash of a transaction that spends the same money. */
  readonly replacedBy: string | undefined
  readonly confirmations: number
  readonly confirmationsRequired: number
  readonly confirmedAt: Date | undefined
  /** What was credited and kept, with the symbol; undefined until credited. */
  readonly net: string | undefined
  readonly fee: string | undefined
  readonly isBelowMinimum: boolean
  /** Its sender did not pass screening, and it was not released since. */
  readonly isQuarantined: boolean
  readonly minimum: string
  readonly isLate: boolean
  readonly isOffered: boolean
  readonly isInvoiceDeleted: boolean
}

export interface TraceFacts {
  readonly network: string
  readonly node: NodeFact
  /** The blocks we have booked; undefined before the first. */
  readonly booked: { readonly firstHeight: number; readonly height: number } | undefined
  readonly payments: readonly TracedPayment[]
}

export const stepNames = [
  ...(['node', 'block', 'scanned', 'recipient'] as const),
  ...(['recorded', 'confirmations', 'credited', 'invoice'] as const),
] as const
export type StepName = (typeof stepNames)[number]

export interface Step {
  readonly step: StepName
  readonly ok: boolean
  readonly detail: string
  readonly at: Date | undefined
}

export const verdictCodes = [
  'node-silent',
  'unknown-transaction',
  'in-mempool',
  'failed-on-chain',
  'nothing-moved',
  'before-first-block',
  'not-scanned-yet',
  'not-to-this-merchant',
  'own-move',
  'unlisted-asset',
  'not-recorded',
  'dropped',
  'unseen',
  'replaced',
  'waiting-for-confirmations',
  'quarantined',
  'below-minimum',
  'other-asset',
  'late',
  'credited',
] as const
export type VerdictCode = (typeof verdictCodes)[number]

export interface Verdict {
  readonly code: VerdictCode
  readonly detail: string
}

export interface Trace {
  readonly steps: readonly Step[]
  readonly verdict: Verdict
}

export function confirmationsOf({ confirmations, confirmationsRequired }: TracedPayment): string {
  return `${confirmations} of ${confirmationsRequired} confirmations`
}

/** How far our books are behind a block. */
export function lagOf(height: number, booked: TraceFacts['booked']): string {
  return booked === undefined ? 'not following the chain yet, and so' : `${height - booked.height} block(s)`
}
