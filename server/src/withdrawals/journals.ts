import { credit, debit, type Journal, journal, type LedgerAccount } from '../ledger/journal.ts'
import { netMinor, type Outcome, type Withdrawal } from './withdrawal.ts'

type Held = Pick<Withdrawal, 'id' | 'merchantId' | 'asset' | 'amountMinor' | 'feeMinor'>

/** design 6: "withdrawal requested". */
export function holdJournal(withdrawal: Held): Journal {
  const { id, amountMinor } = withdrawal
  return journal({
    kind: 'withdrawal.requested',
    subject: `withdrawal:${id}:requested`,
    lines: [
      debit(account('available', withdrawal), amountMinor),
      credit(account('held', withdrawal), amountMinor),
    ],
  })
}

/**
 * design 6: "withdrawal completed", "withdrawal failed or cancelled". All share one subject, so that a hold is released
 * once, in one way.
 */
export function releaseJournal(withdrawal: Held, outcome: Outcome): Journal {
  const { id, amountMinor, feeMinor } = withdrawal
  const released =
    outcome === 'completed'
      ? [
          credit(account('custody', withdrawal), netMinor(withdrawal)),
          credit(account('fees', withdrawal), feeMinor),
        ]
      : [credit(account('available', withdrawal), amountMinor)]
  return journal({
    kind: `withdrawal.${outcome}`,
    subject: `withdrawal:${id}:released`,
    lines: [debit(account('held', withdrawal), amountMinor), ...released],
  })
}

function account(
  name: 'available' | 'held' | 'custody' | 'fees',
  { merchantId, asset }: Held,
): LedgerAccount {
  return { name, ownerId: merchantId, asset }
}
