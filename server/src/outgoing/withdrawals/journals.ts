/** The journals of a withdrawal: its hold, the cost of a failure on chain, and the release of the hold. */
import { credit, debit, type Journal, journal, type LedgerAccount } from '../../ledger/journal.ts'
import { netMinor, type Outcome, type Withdrawal } from './withdrawal.ts'

type Held = Pick<Withdrawal, 'id' | 'merchantId' | 'asset' | 'amountMinor' | 'feeMinor'> &
  Partial<Pick<Withdrawal, 'isRetaken'>>

/**
 * Returns the journal that moves the amount of a requested withdrawal from `available` to `held`. A second
 * hold of a withdrawal has another subject, because a subject is booked only once.
 */
export function holdJournal(withdrawal: Held): Journal {
  const { amountMinor, isRetaken } = withdrawal
  return journal({
    kind: isRetaken ? 'withdrawal.retaken' : 'withdrawal.requested',
    subject: holdSubject(withdrawal),
    lines: [
      debit(account('available', withdrawal), amountMinor),
      credit(account('held', withdrawal), amountMinor),
    ],
  })
}

/** Returns the subject of the journal that holds a withdrawal's money. */
export function holdSubject({ id, isRetaken }: Pick<Held, 'id' | 'isRetaken'>): string {
  return `withdrawal:${id}:${isRetaken ? 'retaken' : 'requested'}`
}

/** Returns the subject of the journal that releases a hold. */
function releaseSubject({ id, isRetaken }: Pick<Held, 'id' | 'isRetaken'>): string {
  return `withdrawal:${id}:${isRetaken ? 'released-again' : 'released'}`
}

/** Returns the subject of the journal that takes the cost of a failure on chain from a hold. */
function chargeSubject({ id, isRetaken }: Pick<Held, 'id' | 'isRetaken'>): string {
  return `withdrawal:${id}:${isRetaken ? 'failure-charged-again' : 'failure-charged'}`
}

/** Returns the subjects of the journals that end a hold. If one of them was posted, the hold has ended. */
export function endSubjects(hold: Pick<Held, 'id' | 'isRetaken'>): readonly string[] {
  return [releaseSubject(hold), chargeSubject(hold)]
}

/**
 * Returns the journal that takes the cost of a failure on chain from the hold. The cost is credited as a fee
 * to the operator, who paid the network. The journal is posted once for each hold.
 * @param chargedMinor at most the whole hold
 */
function failureJournal(withdrawal: Held, chargedMinor: bigint): Journal {
  return journal({
    kind: failureKind,
    subject: chargeSubject(withdrawal),
    lines: [
      debit(account('held', withdrawal), chargedMinor),
      credit(account('fees', withdrawal), chargedMinor),
    ],
  })
}

const failureKind = 'withdrawal.failure_charged'

/**
 * Returns the journals that end a hold. The cost of a failure is taken first. If the cost takes the whole
 * hold, nothing is left to release.
 */
export function endJournals(withdrawal: Held, outcome: Outcome, chargedMinor: bigint): readonly Journal[] {
  if (chargedMinor === 0n) return [releaseJournal(withdrawal, outcome)]
  const charged = failureJournal(withdrawal, chargedMinor)
  const amountMinor = withdrawal.amountMinor - chargedMinor
  return amountMinor === 0n ? [charged] : [charged, releaseJournal({ ...withdrawal, amountMinor }, outcome)]
}

/**
 * Returns the journal that releases the hold of a withdrawal that completed, failed or was cancelled. The
 * three outcomes share one subject for each hold, so that a hold is released only once.
 */
export function releaseJournal(withdrawal: Held, outcome: Outcome): Journal {
  const { amountMinor, feeMinor } = withdrawal
  const released =
    outcome === 'completed'
      ? [
          credit(account('custody', withdrawal), netMinor(withdrawal)),
          credit(account('fees', withdrawal), feeMinor),
        ]
      : [credit(account('available', withdrawal), amountMinor)]
  return journal({
    kind: `withdrawal.${outcome}`,
    subject: releaseSubject(withdrawal),
    lines: [debit(account('held', withdrawal), amountMinor), ...released],
  })
}

function account(
  name: 'available' | 'held' | 'custody' | 'fees',
  { merchantId, asset }: Held,
): LedgerAccount {
  return { name, ownerId: merchantId, asset }
}
