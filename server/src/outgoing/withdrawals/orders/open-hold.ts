import { hasJournalMac } from '../../../ledger/journal-mac.ts'
import { findJournals } from '../../../ledger/store.ts'
import { macsOf } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { endSubjects, holdSubject } from '../journals.ts'

/** The hold of an order that no journal has ended yet, as the books show it. */
export interface OpenHold {
  readonly merchantId: string
  readonly asset: string
  readonly amountMinor: bigint
  /** Whether the amount was held a second time. */
  readonly isRetaken: boolean
}

/**
 * Returns the open holds of orders, by the ids of the orders. Only a journal with a valid MAC counts as a
 * hold. An order has no entry if nothing is held for it.
 */
export async function readOpenHolds(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, OpenHold>> {
  const possible = ids.flatMap((id) => [
    { id, isRetaken: false },
    { id, isRetaken: true },
  ])
  const subjects = possible.flatMap((hold) => [holdSubject(hold), ...endSubjects(hold)])
  const journals = await findJournals(tx, subjects)
  const posted = new Map(journals.map((journal) => [journal.subject, journal]))
  const macs = macsOf(tx)
  const holds = new Map<string, OpenHold>()
  for (const { id, isRetaken } of possible) {
    const journal = posted.get(holdSubject({ id, isRetaken }))
    const isEnded = endSubjects({ id, isRetaken }).some((subject) => posted.has(subject))
    if (journal === undefined || isEnded || !hasJournalMac(macs, journal)) continue
    for (const { account, creditMinor } of journal.lines) {
      if (account.name !== 'held' || account.ownerId === undefined) continue
      const { ownerId: merchantId, asset } = account
      holds.set(id, { merchantId, asset, amountMinor: creditMinor, isRetaken })
    }
  }
  return holds
}
