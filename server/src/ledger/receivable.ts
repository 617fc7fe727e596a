/**
 * Books receivables. A receivable is a merchant's debt. It arises if a deposit is reversed after the merchant
 * has spent the money. Each merchant has one receivable account for each asset. Later credits to the merchant
 * repay the debt first.
 */
import { min, sum } from '../core/money.ts'
import type { Queryable } from '../platform/db/pool.ts'
import type { Tx } from '../platform/db/transaction.ts'
import { balancesOf } from './balance.ts'
import { accountKey, credit, debit, type Journal, journal, type LedgerAccount } from './journal.ts'
import { OverdraftError, post } from './post.ts'

/**
 * Builds the journal that books the amount missing from a merchant's `available` account as a debt.
 * @param cause names the event behind the missing amount and makes the journal's subject unique.
 */
export function receivableJournal(available: LedgerAccount, missingMinor: bigint, cause: string): Journal {
  return journal({
    kind: 'receivable.owed',
    subject: `owed:${accountKey(available)}:${cause}`,
    lines: [debit(toReceivable(available), missingMinor), credit(available, missingMinor)],
  })
}

/**
 * Posts a journal that must be booked even if a merchant lacks the money for it. The missing amounts become debts.
 * @throws AlreadyPostedError if the journal was posted before
 */
export async function postWithReceivable(tx: Tx, wanted: Journal): Promise<void> {
  try {
    await post(tx, [wanted])
  } catch (error) {
    if (!(error instanceof OverdraftError)) throw error
    const owed = error.shortfalls.map(({ account, shortMinor }) =>
      receivableJournal(account, shortMinor, wanted.subject),
    )
    await post(tx, [...owed, wanted])
  }
}

/**
 * Repays receivables from the `available` accounts that the journals have just credited, up to the balances
 * of these accounts. Callers must use the transaction that posted the journals. That transaction has locked
 * the rows of these accounts, so no other transaction repays the same receivable.
 */
export async function repayReceivable(tx: Tx, posted: readonly Journal[]): Promise<void> {
  const credited = new Map<string, { account: LedgerAccount; subject: string }>()
  for (const { subject, lines } of posted) {
    for (const { account, creditMinor } of lines) {
      if (account.name === 'available' && creditMinor > 0n) {
        credited.set(accountKey(account), { account, subject })
      }
    }
  }
  const ownerIds = [...new Set([...credited.values()].flatMap(({ account }) => account.ownerId ?? []))]
  if (ownerIds.length === 0) return
  const owed = await balancesOf(tx, ownerIds, 'receivable')
  if (![...owed.values()].some((byAsset) => byAsset.size > 0)) return
  const available = await balancesOf(tx, ownerIds, 'available')
  const repayments = [...credited.values()].flatMap(({ account, subject }) => {
    const amountMinor = min(balanceIn(owed, account), balanceIn(available, account))
    if (amountMinor <= 0n) return []
    const lines = [debit(account, amountMinor), credit(toReceivable(account), amountMinor)]
    return [journal({ kind: 'receivable.repaid', subject: `repaid:${subject}`, lines })]
  })
  await post(tx, repayments)
}

/**
 * Decides whether a merchant has a debt in any asset. The merchant's withdrawals are frozen as long as there
 * is a debt.
 */
export async function hasReceivable(on: Queryable, ownerId: string): Promise<boolean> {
  const owed = await balancesOf(on, [ownerId], 'receivable')
  return sum(owed.get(ownerId)?.values() ?? []) > 0n
}

function balanceIn(
  balances: ReadonlyMap<string, ReadonlyMap<string, bigint>>,
  { ownerId = '', asset }: LedgerAccount,
): bigint {
  return balances.get(ownerId)?.get(asset) ?? 0n
}

function toReceivable(account: LedgerAccount): LedgerAccount {
  return { ...account, name: 'receivable' }
}
