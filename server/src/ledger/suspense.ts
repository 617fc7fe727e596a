/**
 * What a merchant owes us: money that left before the deposit it came from was taken back. It is a platform account, kept
 * per merchant and asset; whatever comes to the merchant repays it first.
 */
import { min, sum } from '../core/money.ts'
import type { Queryable } from '../platform/db/pool.ts'
import type { Tx } from '../platform/db/transaction.ts'
import { balancesOf } from './balance.ts'
import { accountKey, credit, debit, type Journal, journal, type LedgerAccount } from './journal.ts'
import { post } from './post.ts'

/**
 * Books what is missing from a merchant's `available` as owed.
 * @param cause names once and for ever what made it missing
 */
export function suspenseJournal(available: LedgerAccount, missingMinor: bigint, cause: string): Journal {
  return journal({
    kind: 'suspense.owed',
    subject: `owed:${accountKey(available)}:${cause}`,
    lines: [debit(inSuspense(available), missingMinor), credit(available, missingMinor)],
  })
}

/**
 * Repays what merchants owe from accounts that the journals just credited, as far as those reach. To be called in the
 * transaction that posted them: it holds the rows of these accounts, so that nobody else repays the same debt.
 */
export async function repaySuspense(tx: Tx, posted: readonly Journal[]): Promise<void> {
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
  const owed = await balancesOf(tx, ownerIds, 'suspense')
  if (![...owed.values()].some((byAsset) => byAsset.size > 0)) return
  const available = await balancesOf(tx, ownerIds, 'available')
  const repayments = [...credited.values()].flatMap(({ account, subject }) => {
    const amountMinor = min(balanceIn(owed, account), balanceIn(available, account))
    if (amountMinor <= 0n) return []
    const lines = [debit(account, amountMinor), credit(inSuspense(account), amountMinor)]
    return [journal({ kind: 'suspense.repaid', subject: `repaid:${subject}`, lines })]
  })
  await post(tx, repayments)
}

/** Whether a merchant owes anything, in any asset; its payouts are frozen as long as it does. */
export async function isInSuspense(on: Queryable, ownerId: string): Promise<boolean> {
  const owed = await balancesOf(on, [ownerId], 'suspense')
  return sum(owed.get(ownerId)?.values() ?? []) > 0n
}

function balanceIn(
  balances: ReadonlyMap<string, ReadonlyMap<string, bigint>>,
  { ownerId = '', asset }: LedgerAccount,
): bigint {
  return balances.get(ownerId)?.get(asset) ?? 0n
}

function inSuspense(account: LedgerAccount): LedgerAccount {
  return { ...account, name: 'suspense' }
}
