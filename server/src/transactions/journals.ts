import { required } from '../core/assert.ts'
import { charge, type FeeTerms } from '../fees/fee.ts'
import { credit, debit, type Journal, journal, type LedgerAccount } from '../ledger/journal.ts'
import type { Reversal } from '../ledger/reverse.ts'
import type { Booked, Transaction } from './transaction.ts'

/** Of the journal that takes in what belongs to nobody we know. */
export const unattributedKind = 'deposit.unattributed'

/** A journal of a deposit, with what the merchant got and paid by it; nothing where it was not credited. */
export interface DepositJournal {
  readonly journal: Journal
  readonly transactionId: string
  readonly split: { readonly feeMinor: bigint; readonly netMinor: bigint } | undefined
}

/** design 6: "deposit confirmed", "deposit below the method's minimum", "deposit of a deleted merchant, an unassigned address". */
export function depositJournal({ transaction, booking }: Booked, assetDecimals: number): DepositJournal {
  const { amountMinor, id } = transaction
  const custody = debit(platform('custody', transaction), amountMinor)
  const subject = depositSubject(transaction)
  if (booking === 'credit') {
    const split = splitOf(transaction, assetDecimals)
    const lines = [custody, ...creditLines(transaction, split)]
    return { journal: journal({ kind: 'deposit.credited', subject, lines }), transactionId: id, split }
  }
  const kept = booking === 'keep'
  const target = platform(kept ? 'below_minimum' : 'unattributed', transaction)
  const kind = kept ? 'deposit.below_minimum' : unattributedKind
  const keptSubject = kept ? belowSubject(transaction) : subject
  const lines = [custody, credit(target, amountMinor)]
  return { journal: journal({ kind, subject: keptSubject, lines }), transactionId: id, split: undefined }
}

/** design 6: what was kept below the minimum goes to `available` once the invoice's sum reaches it. */
export function raiseJournal(transaction: Transaction, assetDecimals: number): DepositJournal {
  const split = splitOf(transaction, assetDecimals)
  const lines = [
    debit(platform('below_minimum', transaction), transaction.amountMinor),
    ...creditLines(transaction, split),
  ]
  return {
    journal: journal({ kind: 'deposit.raised', subject: raisedSubject(transaction), lines }),
    transactionId: transaction.id,
    split,
  }
}

/** Whose unattributed money is, by an operator's word. */
export interface Attribution {
  readonly transactionId: string
  /** Undefined for the operator's own money. */
  readonly merchantId: string | undefined
  /** What the merchant pays for it. */
  readonly terms: FeeTerms
}

/** design 6: "operator assigns it", "operator funds a wallet"; what came in was booked as unattributed before. */
export function attributionJournal(
  transaction: Transaction,
  { merchantId, terms }: Attribution,
  assetDecimals: number,
): Journal {
  const { amountMinor, asset } = transaction
  const subject = attributedSubject(transaction)
  const taken = debit(platform('unattributed', transaction), amountMinor)
  if (merchantId === undefined) {
    const lines = [taken, credit({ name: 'capital', asset }, amountMinor)]
    return journal({ kind: 'attributed.capital', subject, lines })
  }
  const split = charge(amountMinor, terms, assetDecimals)
  const lines = [
    taken,
    credit({ name: 'available', ownerId: merchantId, asset }, split.netMinor),
    credit({ name: 'fees', ownerId: merchantId, asset }, split.feeMinor),
  ]
  return journal({ kind: 'attributed.merchant', subject, lines })
}

/** Takes back whose money it was said to be. */
export function attributionReversal({ kind, subject }: { kind: string; subject: string }): Reversal {
  return reversal(kind, subject)
}

/** Takes back everything that was booked for the current inclusion of a confirmed deposit. */
export function depositReversals(transaction: Transaction): readonly Reversal[] {
  if (!transaction.belowMinimum) {
    const kind = transaction.netMinor === undefined ? unattributedKind : 'deposit.credited'
    return [reversal(kind, depositSubject(transaction))]
  }
  const below = reversal('deposit.below_minimum', belowSubject(transaction))
  const wasRaised = transaction.netMinor !== undefined
  return wasRaised ? [reversal('deposit.raised', raisedSubject(transaction)), below] : [below]
}

function reversal(kind: string, subject: string): Reversal {
  return { subject, kind: `${kind}.reversed`, newSubject: `reversed:${subject}` }
}

function splitOf(transaction: Transaction, assetDecimals: number) {
  const terms = {
    percentBasisPoints: transaction.feePercentBasisPoints,
    flatMinor: transaction.feeFlatMinor,
  }
  return charge(transaction.amountMinor, terms, assetDecimals)
}

function creditLines(
  transaction: Transaction,
  { feeMinor, netMinor }: { feeMinor: bigint; netMinor: bigint },
) {
  const ownerId = required(transaction.merchantId, 'the merchant of a credited deposit')
  const available: LedgerAccount = { name: 'available', ownerId, asset: transaction.asset }
  return [credit(available, netMinor), credit(platform('fees', transaction), feeMinor)]
}

function platform(
  name: 'custody' | 'fees' | 'below_minimum' | 'unattributed',
  { merchantId, asset }: Transaction,
): LedgerAccount {
  return { name, ownerId: merchantId, asset }
}

const depositSubject = ({ id, inclusion }: Transaction) => `deposit:${id}:${inclusion}`
const belowSubject = ({ id, inclusion }: Transaction) => `below:${id}:${inclusion}`
export const attributedSubject = ({ id, inclusion }: Pick<Transaction, 'id' | 'inclusion'>) =>
  `attributed:${id}:${inclusion}`
const raisedSubject = ({ id, inclusion }: Transaction) => `raised:${id}:${inclusion}`
