/** The MAC that a process adds to every journal it posts. */
import type { BooksMacs } from '../core/books-macs.ts'
import type { Journal, Line } from './journal.ts'

/** A journal that is not posted yet, or a stored journal with its lines in order. */
export type MacedJournal = Pick<Journal, 'id' | 'kind' | 'subject' | 'reverses'> & {
  readonly lines: readonly Line[]
}

export function journalMac(macs: BooksMacs, journal: MacedJournal): string {
  return macs.journal.mac(macText(journal))
}

export function hasJournalMac(macs: BooksMacs, journal: MacedJournal & { readonly mac: string }): boolean {
  return macs.journal.verify(macText(journal), journal.mac)
}

/**
 * Returns the text that the MAC covers: the whole journal except its time of posting, which the database
 * sets. The text is JSON of nested arrays. It is unambiguous, because JSON quotes strings.
 */
function macText({ id, kind, subject, reverses, lines }: MacedJournal): string {
  return JSON.stringify([
    'coffer/journal/1',
    id.toLowerCase(),
    kind,
    subject,
    reverses?.toLowerCase() ?? null,
    lines.map(({ account, debitMinor, creditMinor }) => [
      account.name,
      account.ownerId?.toLowerCase() ?? null,
      account.asset,
      String(debitMinor),
      String(creditMinor),
    ]),
  ])
}
