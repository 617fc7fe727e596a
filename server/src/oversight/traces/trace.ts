/**
 * The types of a trace. When a merchant asks about a transaction, the trace shows step by step what Coffer
 * knows of it, with a verdict.
 */

/** What a node knows of the transaction. `silent` means that the node did not answer in time. */
export type NodeFact =
  | { readonly type: 'silent' }
  | { readonly type: 'unknown' }
  | { readonly type: 'pending' }
  | { readonly type: 'failed'; readonly height: number }
  | {
      readonly type: 'mined'
      readonly height: number
      readonly minedAt: Date
      /** The number of transfers in the transaction that moved an amount above zero, to any address. */
      readonly moved: number
      /**
       * The transfers to addresses of the asking merchant. Transfers to other merchants are not disclosed.
       */
      readonly received: readonly Received[]
      /**
       * The number of transfers that Coffer itself sent to addresses of the asking merchant, such as native
       * coin with which the address pays the fee of a later sweep.
       */
      readonly internalTransfers: number
    }

export interface Received {
  readonly recipient: string
  /** The amount in whole units, with the symbol; undefined if the asset is no payment method. */
  readonly amount: string | undefined
  readonly contract: string | undefined
}

/** A payment in the books that this transaction made to the asking merchant. */
export interface TracedPayment {
  readonly depositId: string
  readonly invoiceId: string | undefined
  /** The amount in whole units, with the symbol. */
  readonly amount: string
  readonly state: 'pending' | 'confirmed' | 'failed'
  readonly createdAt: Date
  /** Undefined while no canonical block contains the payment. */
  readonly blockHeight: number | undefined
  readonly includedAt: Date | undefined
  /** Whether the payment is in no block, but is in the mempool according to the watcher. */
  readonly isWaiting: boolean
  /** Whether the payment has ever been in a block. */
  readonly wasIncluded: boolean
  /** The hash of another transaction that spends the same outputs; undefined if none is known. */
  readonly replacedBy: string | undefined
  readonly confirmations: number
  readonly confirmationsRequired: number
  readonly confirmedAt: Date | undefined
  /**
   * The credited amount with its symbol. `fee` is the amount that Coffer kept. Both are undefined until the
   * payment is credited.
   */
  readonly net: string | undefined
  readonly fee: string | undefined
  readonly isBelowMinimum: boolean
  /** Whether screening stopped the payment and nobody has released it since. */
  readonly isQuarantined: boolean
  readonly minimum: string
  readonly isLate: boolean
  readonly isOffered: boolean
  /** Whether the payment came on a network that its invoice does not offer. */
  readonly isWrongNetwork: boolean
  /** Whether an operator or the merchant decided who gets a payment that was booked as unattributed. */
  readonly isAttributed: boolean
  /** The title of the network on which the payment came. */
  readonly networkTitle: string
  readonly isInvoiceDeleted: boolean
}

export interface TraceFacts {
  readonly network: string
  readonly node: NodeFact
  /** The range of booked blocks; undefined before the first block is booked. */
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
  'internal-transfer',
  'unlisted-asset',
  'not-recorded',
  'dropped',
  'unseen',
  'replaced',
  'waiting-for-confirmations',
  'quarantined',
  'below-minimum',
  'other-asset',
  'wrong-network',
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

/** Returns a text that says how many blocks the books are behind a block. */
export function lagOf(height: number, booked: TraceFacts['booked']): string {
  return booked === undefined ? 'not following the chain yet, and so' : `${height - booked.height} block(s)`
}
