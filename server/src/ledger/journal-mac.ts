/** The MAC that a journal carries from the process that posted it. */
import type { BooksMacs } from '../core/books-macs.ts'
import type { Journal, Line } from './journal.ts'

/** A journal as it is to be posted, or as it is stored with its lines in their order. */
export type MacedJournal = Pick<Journal, 'id' | 'kind' | 'subject' | 'reverses'> & {
  readonly lines: readonly Line[]
}

export function journalMac(macs: BooksMacs, journal: MacedJournal): string {
  return macs.journal.mac(macText(journal))
}

export function hasJournalMac(macs: BooksMacs, journal: MacedJournal & { readonly mac: string }): boolean {
  return macs.journal.verify(macText(journal), journal.mac)
}

/** All but the time of posting, which the database gives. JSON of nested arrays: quoting makes it unambiguous. */
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
