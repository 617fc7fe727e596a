import { credit, debit, type Journal, journal, type LedgerAccount } from '../../ledger/journal.ts'
import { netMinor, type Outcome, type Withdrawal } from './withdrawal.ts'

type Held = Pick<Withdrawal, 'id' | 'merchantId' | 'asset' | 'amountMinor' | 'feeMinor'> &
  Partial<Pick<Withdrawal, 'isRetaken'>>

/**
 * Moves the amount of a requested withdrawal from `available` to `held`. A withdrawal that is retaken is held a second time,
 * so its journal has another subject: a subject is booked once.
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

/** The subject of the journal that held a withdrawal's money. */
function holdSubject({ id, isRetaken }: Pick<Held, 'id' | 'isRetaken'>): string {
  return `withdrawal:${id}:${isRetaken ? 'retaken' : 'requested'}`
}

/**
 * What a failure on chain cost is taken from the hold and earned by the operator, who paid the network; once for each hold.
 * @param chargedMinor at most the whole hold
 */
function failureJournal(withdrawal: Held, chargedMinor: bigint): Journal {
  const { id, isRetaken } = withdrawal
  return journal({
    kind: failureKind,
    subject: `withdrawal:${id}:${isRetaken ? 'failure-charged-again' : 'failure-charged'}`,
    lines: [
      debit(account('held', withdrawal), chargedMinor),
      credit(account('fees', withdrawal), chargedMinor),
    ],
  })
}

const failureKind = 'withdrawal.failure_charged'

/**
 * What releases a hold as its withdrawal ended, after what a failure took of it; nothing where that is all.
 */
export function endJournals(withdrawal: Held, outcome: Outcome, chargedMinor: bigint): readonly Journal[] {
  if (chargedMinor === 0n) return [releaseJournal(withdrawal, outcome)]
  const charged = failureJournal(withdrawal, chargedMinor)
  const amountMinor = withdrawal.amountMinor - chargedMinor
  return amountMinor === 0n ? [charged] : [charged, releaseJournal({ ...withdrawal, amountMinor }, outcome)]
}

/**
 * Releases the hold of a withdrawal that completed, failed or was cancelled. All three have the same subject for each hold,
 * so that a hold is released only once.
 */
export function releaseJournal(withdrawal: Held, outcome: Outcome): Journal {
  const { id, amountMinor, feeMinor, isRetaken } = withdrawal
  const released =
    outcome === 'completed'
      ? [
          credit(account('custody', withdrawal), netMinor(withdrawal)),
          credit(account('fees', withdrawal), feeMinor),
        ]
      : [credit(account('available', withdrawal), amountMinor)]
  return journal({
    kind: `withdrawal.${outcome}`,
    subject: isRetaken ? `withdrawal:${id}:released-again` : `withdrawal:${id}:released`,
    lines: [debit(account('held', withdrawal), amountMinor), ...released],
  })
}

function account(
  name: 'available' | 'held' | 'custody' | 'fees',
  { merchantId, asset }: Held,
): LedgerAccount {
  return { name, ownerId: merchantId, asset }
}
