/**
 * Finds the rows that changed since a proof of the books. Every change adds a journal, an event or another
 * new row. The id of a new row begins with the time of its creation.
 */
import sql, { type Sql } from 'sql-template-tag'
import { newId } from '../../core/ids.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { type KeySpaceName, keySpaces, subjectPattern } from './stretch.ts'

/**
 * Rows whose ids are up to this much older than the proof are checked again. The clocks of processes differ,
 * and a transaction may take some time.
 */
const marginMs = 10 * 60_000

/** Returns the lowest id that a row created since that time may have. */
export function firstIdSince(at: Date): string {
  return `${newId(at.getTime() - marginMs).slice(0, 13)}-7000-8000-000000000000`
}

export interface Changed {
  /** The ids of deposits that are older than the proof and have changed since. */
  readonly deposits: readonly string[]
  readonly invoices: readonly string[]
  readonly withdrawals: readonly string[]
}

interface Since {
  readonly sequence: number
  readonly firstId: string
}

export async function findChanged(on: Queryable, since: Since): Promise<Changed> {
  const deposits = await findOld(on, 'deposits', since)
  const paid = await on.query<{ id: string }>(sql`
    select distinct invoice_id as id from deposit
    where invoice_id is not null and invoice_id < ${since.firstId}::uuid
      and (id >= ${since.firstId}::uuid or id = any (${[...deposits]}::uuid[]))`)
  const invoices = await findOld(on, 'invoices', since)
  return {
    deposits,
    invoices: [...new Set([...invoices, ...paid.map(({ id }) => id)])],
    withdrawals: await findOld(on, 'withdrawals', since),
  }
}

/** Returns the ids of rows that are older than the proof and are named by a newer journal or event. */
async function findOld(
  on: Queryable,
  over: KeySpaceName & keyof Changed,
  { sequence, firstId }: Since,
): Promise<readonly string[]> {
  const ofJournals = over === 'invoices' ? [] : [{ table: 'journal', rows: recentJournals(sequence) }]
  const sources = [
    ...ofJournals,
    { table: 'event', rows: sql`select subject from event where id >= ${firstId}::uuid` },
  ]
  const found = new Set<string>()
  for (const { table, rows } of sources) {
    const pattern = subjectPattern(keySpaces[over], table)
    const ids = await on.query<{ id: string }>(sql`
      select distinct substring(subject from ${idPattern}) as id from (${rows}) recent where subject ~ ${pattern}`)
    for (const { id } of ids) if (id < firstId) found.add(id)
  }
  return [...found]
}

const idPattern = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

function recentJournals(sequence: number): Sql {
  return sql`
    select subject from journal join (
      select journal_id from journal_seal where sequence > ${sequence}
      union all select journal_id from journal_unsealed
    ) recent on recent.journal_id = journal.id`
}

/**
 * Returns the lowest id of the rows in a table that are newer than a proof. Returns undefined if the table's
 * ids do not contain the time.
 */
export function firstRowSince(table: string, { sequence, firstId }: Since): string | undefined {
  if (table === 'journal_seal') return String(sequence + 1)
  return table === 'address' ? undefined : firstId
}
