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
import type { Booked, Booking, Deposit } from './deposit.ts'

/**
 * The first part of the subject of a deposit's journal. Subjects are unique, so nothing is booked twice.
 * `quarantine` is used for a release and for a seizure, because only one of the two can happen.
 */
export type DepositSubject = 'deposit' | 'below' | 'raised' | 'quarantine' | 'attributed'

/**
 * Returns the subject of a journal. Subjects are unique, so each kind is booked at most once for each
 * inclusion of the deposit.
 */
export function subjectOf(
  about: DepositSubject,
  { id, inclusion }: Pick<Deposit, 'id' | 'inclusion'>,
): string {
  return `${about}:${id}:${inclusion}`
}

/** The kind of the journals that book deposits without a known owner. */
export const unattributedKind = 'deposit.unattributed'

/**
 * A journal of a deposit. `split` contains the credited amount and the fee; it is undefined if the journal
 * does not credit the deposit.
 */
export interface DepositJournal {
  readonly journal: Journal
  readonly depositId: string
  readonly split: { readonly feeMinor: bigint; readonly netMinor: bigint } | undefined
}

const depositKinds: Readonly<Record<Booking, string>> = {
  credit: 'deposit.credited',
  keep: 'deposit.below_minimum',
  quarantine: 'deposit.quarantined',
  unattributed: unattributedKind,
}

/**
 * Returns the journal of a deposit that has enough confirmations. The amount is credited, kept apart below
 * the minimum, put into quarantine, or booked as unattributed. `booked.booking` says which.
 */
export function depositJournal(booked: Booked, assetDecimals: number): DepositJournal {
  const { deposit, booking } = booked
  const subject = subjectOf(booking === 'keep' ? 'below' : 'deposit', deposit)
  const custody = debit(account('custody', deposit), deposit.amountMinor)
  return bookedJournal(booked, assetDecimals, { kind: depositKinds[booking], subject, source: custody })
}

/**
 * Returns the journal that releases a deposit from quarantine. The deposit is booked as if its payers had
 * passed screening.
 */
export function releaseJournal(booked: Booked, assetDecimals: number): DepositJournal {
  const { deposit } = booked
  const source = debit(account('quarantine', deposit), deposit.amountMinor)
  const subject = subjectOf('quarantine', deposit)
  return bookedJournal(booked, assetDecimals, { kind: 'quarantine.released', subject, source })
}

/**
 * Returns the journal that seizes a quarantined deposit. It moves the amount to the merchant's `forfeited`
 * account.
 */
export function seizureJournal(deposit: Deposit): Journal {
  const { amountMinor } = deposit
  const lines = [
    debit(account('quarantine', deposit), amountMinor),
    credit(account('forfeited', deposit), amountMinor),
  ]
  return journal({ kind: 'quarantine.seized', subject: subjectOf('quarantine', deposit), lines })
}

/**
 * Returns the amount of a held deposit, which is about to be taken from quarantine. If the merchant is
 * deleted, this amount is on the merchant's `forfeited` account. The caller then moves it back to quarantine
 * with `recoverForClaims`, so that the deposit can be released, seized or reversed. Returns nothing if the
 * deposit is not held or has no merchant.
 */
export function heldClaim({
  id,
  inclusion,
  merchantId,
  asset,
  amountMinor,
  quarantine,
}: Deposit): readonly Claim[] {
  if (merchantId === undefined || quarantine !== 'held') return []
  const subject = `recovered:quarantine:${id}:${inclusion}`
  return [{ ownerId: merchantId, asset, amountMinor, subject, from: 'quarantine' }]
}

/** Returns a journal that moves the amount from the account of `source` to the account for the booking. */
function bookedJournal(
  { deposit, booking }: Booked,
  assetDecimals: number,
  { kind, subject, source }: { kind: string; subject: string; source: Line },
): DepositJournal {
  const { id, amountMinor } = deposit
  if (booking === 'credit') {
    const split = splitOf(deposit, assetDecimals)
    const lines = [source, ...creditLines(deposit, split)]
    return { journal: journal({ kind, subject, lines }), depositId: id, split }
  }
  const lines = [source, credit(account(targets[booking], deposit), amountMinor)]
  return { journal: journal({ kind, subject, lines }), depositId: id, split: undefined }
}

const targets = { keep: 'below_minimum', quarantine: 'quarantine', unattributed: 'unattributed' } as const

/**
 * Returns the journal that credits a deposit which was kept apart below the minimum. It is used when the
 * deposits of the invoice add up to the minimum.
 */
export function raiseJournal(deposit: Deposit, assetDecimals: number): DepositJournal {
  const split = splitOf(deposit, assetDecimals)
  const lines = [
    debit(account('below_minimum', deposit), deposit.amountMinor),
    ...creditLines(deposit, split),
  ]
  return {
    journal: journal({ kind: 'deposit.raised', subject: subjectOf('raised', deposit), lines }),
    depositId: deposit.id,
    split,
  }
}

/** An operator's decision on who owns an unattributed deposit. */
export interface Attribution {
  readonly depositId: string
  /** Undefined if the money is the operator's own. */
  readonly merchantId: string | undefined
  /** The fee terms that apply to the merchant. */
  readonly terms: FeeTerms
}

/**
 * Returns the journal that books an unattributed deposit for the merchant that the operator named, or as the
 * operator's own capital.
 */
export function attributionJournal(
  deposit: Deposit,
  { merchantId, terms }: Attribution,
  assetDecimals: number,
): Journal {
  const { amountMinor, asset } = deposit
  const subject = subjectOf('attributed', deposit)
  const taken = debit(account('unattributed', deposit), amountMinor)
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

export function attributionReversal({ kind, subject }: { kind: string; subject: string }): Reversal {
  return reversal(kind, subject)
}

/**
 * Returns the reversals of all journals of a confirmed deposit for its current inclusion, except
 * attributions. The latest journal comes first.
 */
export function depositReversals(deposit: Deposit): readonly Reversal[] {
  const { netMinor, belowMinimum } = deposit
  const wasRaised = belowMinimum && netMinor !== undefined
  const raised = wasRaised ? [reversal('deposit.raised', subjectOf('raised', deposit))] : []
  return [...raised, ...bookingReversals(deposit)]
}

function bookingReversals(deposit: Deposit): readonly Reversal[] {
  const { quarantine, belowMinimum, netMinor } = deposit
  if (quarantine !== undefined) {
    const taken = reversal(depositKinds.quarantine, subjectOf('deposit', deposit))
    if (quarantine === 'held') return [taken]
    return [reversal(`quarantine.${quarantine}`, subjectOf('quarantine', deposit)), taken]
  }
  if (belowMinimum) return [reversal(depositKinds.keep, subjectOf('below', deposit))]
  const kind = netMinor === undefined ? unattributedKind : depositKinds.credit
  return [reversal(kind, subjectOf('deposit', deposit))]
}

function reversal(kind: string, subject: string): Reversal {
  return { subject, kind: `${kind}.reversed`, newSubject: `reversed:${subject}` }
}

/** Returns the fee and the net amount of a deposit, by the terms that were agreed when it was first seen. */
export function splitOf(deposit: Deposit, assetDecimals: number) {
  const terms = {
    percentBasisPoints: deposit.feePercentBasisPoints,
    flatMinor: deposit.feeFlatMinor,
  }
  return charge(deposit.amountMinor, terms, assetDecimals)
}

function creditLines(deposit: Deposit, { feeMinor, netMinor }: { feeMinor: bigint; netMinor: bigint }) {
  const ownerId = required(deposit.merchantId, 'the merchant of a credited deposit')
  const available: LedgerAccount = { name: 'available', ownerId, asset: deposit.asset }
  return [credit(available, netMinor), credit(account('fees', deposit), feeMinor)]
}

function account(name: AccountName, { merchantId, asset }: Deposit): LedgerAccount {
  return { name, ownerId: merchantId, asset }
}
