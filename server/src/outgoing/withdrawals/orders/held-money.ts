/** Reads from the books whether the money of orders is still held. */
import { hasJournalMac } from '../../../ledger/journal-mac.ts'
import { findJournals, type StoredJournal } from '../../../ledger/store.ts'
import { macsOf } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { endSubjects, holdSubject } from '../journals.ts'
import type { Outcome } from '../withdrawal.ts'

/** The money of an order, as the books show it. Of two holds of one order, the second counts. */
export type HeldMoney =
  | OpenHold
  /** Nothing is held any more. */
  | { readonly type: 'ended'; readonly isRetaken: boolean; readonly outcome: Outcome }
  | UnreadableHold
  /** No journal ever held money for the order. */
  | { readonly type: 'none' }

export interface OpenHold {
  readonly type: 'open'
  readonly merchantId: string
  readonly asset: string
  readonly amountMinor: bigint
  /** Whether the amount was held a second time. */
  readonly isRetaken: boolean
}

/**
 * The journal with this subject, which holds the money or ends the hold, has no valid MAC. Either it was
 * changed, or Coffer did not post it.
 */
export interface UnreadableHold {
  readonly type: 'unreadable'
  readonly subject: string
  readonly isRetaken: boolean
  /** Whether there is a journal that ends the hold. */
  readonly isEnded: boolean
}

/** Returns the held money of each of the orders, by the id of the order. */
export async function readHeldMoney(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, HeldMoney>> {
  const subjects = ids.flatMap((id) =>
    [false, true].flatMap((isRetaken) => [holdSubject({ id, isRetaken }), ...endSubjects({ id, isRetaken })]),
  )
  const journals = subjects.length === 0 ? [] : await findJournals(tx, subjects)
  const posted = new Map(journals.map((journal) => [journal.subject, journal]))
  const macs = macsOf(tx)
  const isGenuine = (journal: StoredJournal) => hasJournalMac(macs, journal)
  return new Map(ids.map((id) => [id, heldMoneyOf(id, posted, isGenuine)]))
}

function heldMoneyOf(
  id: string,
  posted: ReadonlyMap<string, StoredJournal>,
  isGenuine: (journal: StoredJournal) => boolean,
): HeldMoney {
  const second = posted.get(holdSubject({ id, isRetaken: true }))
  const isRetaken = second !== undefined && isGenuine(second)
  const hold = posted.get(holdSubject({ id, isRetaken }))
  if (hold === undefined) return { type: 'none' }
  const ends = endSubjects({ id, isRetaken }).flatMap((subject) => posted.get(subject) ?? [])
  const forged = [hold, ...ends, second].find((journal) => journal !== undefined && !isGenuine(journal))
  const [end] = ends
  const unreadable = { type: 'unreadable', isRetaken, isEnded: end !== undefined } as const
  if (forged !== undefined) return { ...unreadable, subject: forged.subject }
  if (end !== undefined) return { type: 'ended', isRetaken, outcome: outcomeOf(end) }
  const line = hold.lines.find(({ account }) => account.name === 'held')
  const merchantId = line?.account.ownerId
  if (line === undefined || merchantId === undefined) return { ...unreadable, subject: hold.subject }
  const { account, creditMinor: amountMinor } = line
  return { type: 'open', merchantId, asset: account.asset, amountMinor, isRetaken }
}

function outcomeOf({ kind }: StoredJournal): Outcome {
  switch (kind) {
    case 'withdrawal.completed':
      return 'completed'
    case 'withdrawal.cancelled':
      return 'cancelled'
    default:
      return 'failed'
  }
}
