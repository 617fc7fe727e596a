import { required } from '../../core/assert.ts'
import type { Claim } from '../../ledger/forfeit.ts'
import {
  type AccountName,
  credit,
  debit,
  type Journal,
  journal,
  type LedgerAccount,
  type Line,
} from '../../ledger/journal.ts'
import type { Reversal } from '../../ledger/reverse.ts'
import { charge, type FeeTerms } from '../../pricing/fees/fee.ts'
import type { Booked, Booking, Transaction } from './deposit.ts'

/** What a journal of a deposit is about; `quarantine` is what ended one: it is released or seized, once. */
export type DepositSubject = 'deposit' | 'below' | 'raised' | 'quarantine' | 'attributed'

/** Each is booked once for each inclusion. */
export function subjectOf(
  about: DepositSubject,
  { id, inclusion }: Pick<Transaction, 'id' | 'inclusion'>,
): string {
  return `${about}:${id}:${inclusion}`
}

/** Of the journal that takes in what belongs to nobody we know. */
export const unattributedKind = 'deposit.unattributed'

/** A journal of a deposit, with what the merchant got and paid by it; nothing where it was not credited. */
export interface DepositJournal {
  readonly journal: Journal
  readonly transactionId: string
  readonly split: { readonly feeMinor: bigint; readonly netMinor: bigint } | undefined
}

const depositKinds: Readonly<Record<Booking, string>> = {
  credit: 'deposit.credited',
  keep: 'deposit.below_minimum',
  quarantine: 'deposit.quarantined',
  unattributed: unattributedKind,
}

/**
 * Books a deposit once it has its confirmations. It is credited, kept below the method's minimum, quarantined because its
 * sender is listed or not yet screened, or unattributed because its address belongs to nobody.
 */
export function depositJournal(booked: Booked, assetDecimals: number): DepositJournal {
  const { transaction, booking } = booked
  const subject = subjectOf(booking === 'keep' ? 'below' : 'deposit', transaction)
  const custody = debit(account('custody', transaction), transaction.amountMinor)
  return bookedJournal(booked, assetDecimals, { kind: depositKinds[booking], subject, source: custody })
}

/** Releases a deposit from quarantine. It is booked as it would have been if its sender had passed the screening. */
export function releaseJournal(booked: Booked, assetDecimals: number): DepositJournal {
  const { transaction } = booked
  const source = debit(account('quarantine', transaction), transaction.amountMinor)
  const subject = subjectOf('quarantine', transaction)
  return bookedJournal(booked, assetDecimals, { kind: 'quarantine.released', subject, source })
}

/** Seizes a quarantined deposit: it moves to the merchant's `forfeited` account. */
export function seizureJournal(transaction: Transaction): Journal {
  const { amountMinor } = transaction
  const lines = [
    debit(account('quarantine', transaction), amountMinor),
    credit(account('forfeited', transaction), amountMinor),
  ]
  return journal({ kind: 'quarantine.seized', subject: subjectOf('quarantine', transaction), lines })
}

/** What is held of a deleted merchant lies on its forfeited account, from where it comes back to be taken. */
export function heldClaim({
  id,
  inclusion,
  merchantId,
  asset,
  amountMinor,
  quarantine,
}: Transaction): readonly Claim[] {
  if (merchantId === undefined || quarantine !== 'held') return []
  const subject = `recovered:quarantine:${id}:${inclusion}`
  return [{ ownerId: merchantId, asset, amountMinor, subject, from: 'quarantine' }]
}

/** From a source to where a deposit is booked. */
function bookedJournal(
  { transaction, booking }: Booked,
  assetDecimals: number,
  { kind, subject, source }: { kind: string; subject: string; source: Line },
): DepositJournal {
  const { id, amountMinor } = transaction
  if (booking === 'credit') {
    const split = splitOf(transaction, assetDecimals)
    const lines = [source, ...creditLines(transaction, split)]
    return { journal: journal({ kind, subject, lines }), transactionId: id, split }
  }
  const lines = [source, credit(account(targets[booking], transaction), amountMinor)]
  return { journal: journal({ kind, subject, lines }), transactionId: id, split: undefined }
}

const targets = { keep: 'below_minimum', quarantine: 'quarantine', unattributed: 'unattributed' } as const

/** Credits a deposit that was kept below the minimum, once the sum of its invoice's deposits reaches the minimum. */
export function raiseJournal(transaction: Transaction, assetDecimals: number): DepositJournal {
  const split = splitOf(transaction, assetDecimals)
  const lines = [
    debit(account('below_minimum', transaction), transaction.amountMinor),
    ...creditLines(transaction, split),
  ]
  return {
    journal: journal({ kind: 'deposit.raised', subject: subjectOf('raised', transaction), lines }),
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

/** Books an unattributed deposit for the merchant whom an operator names, or as the operator's own capital. */
export function attributionJournal(
  transaction: Transaction,
  { merchantId, terms }: Attribution,
  assetDecimals: number,
): Journal {
  const { amountMinor, asset } = transaction
  const subject = subjectOf('attributed', transaction)
  const taken = debit(account('unattributed', transaction), amountMinor)
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

/** Takes back everything that was booked for the current inclusion of a confirmed deposit, the last first. */
export function depositReversals(transaction: Transaction): readonly Reversal[] {
  const { netMinor, belowMinimum } = transaction
  const wasRaised = belowMinimum && netMinor !== undefined
  const raised = wasRaised ? [reversal('deposit.raised', subjectOf('raised', transaction))] : []
  return [...raised, ...bookingReversals(transaction)]
}

function bookingReversals(transaction: Transaction): readonly Reversal[] {
  const { quarantine, belowMinimum, netMinor } = transaction
  if (quarantine !== undefined) {
    const taken = reversal(depositKinds.quarantine, subjectOf('deposit', transaction))
    if (quarantine === 'held') return [taken]
    return [reversal(`quarantine.${quarantine}`, subjectOf('quarantine', transaction)), taken]
  }
  if (belowMinimum) return [reversal(depositKinds.keep, subjectOf('below', transaction))]
  const kind = netMinor === undefined ? unattributedKind : depositKinds.credit
  return [reversal(kind, subjectOf('deposit', transaction))]
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
  return [credit(available, netMinor), credit(account('fees', transaction), feeMinor)]
}

function account(name: AccountName, { merchantId, asset }: Transaction): LedgerAccount {
  return { name, ownerId: merchantId, asset }
}
