import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { StoredEntry } from './signed-rows.ts'

/** Returns all entries in the order of their insertion. Nobody has checked their signatures yet. */
export function readEntries(on: Queryable): Promise<readonly StoredEntry[]> {
  return on.query<StoredEntry>(sql`select id::int as id, text, signature from own_row_entry order by id`)
}

/** Returns a text that changes whenever an entry is added, removed or replaced. It costs less than all entries. */
export async function readEntriesMark(on: Queryable): Promise<string> {
  const row = await one<{ mark: string }>(
    on,
    named(
      'own-entries-mark',
      sql`
        select concat_ws('.', count(*), max(id), sum(hashtextextended(text || signature, 0))) as mark
        from own_row_entry`,
    ),
  )
  return row?.mark ?? ''
}

/** Lets one transaction at a time add an entry, because each entry contains the hash of the one before. */
export async function lockEntries(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('coffer/own-rows', 0))`)
}

export async function insertEntry(tx: Tx, { text, signature }: Omit<StoredEntry, 'id'>): Promise<void> {
  await tx.query(sql`insert into own_row_entry (text, signature) values (${text}, ${signature})`)
}

export interface SealedNodes {
  readonly network: string
  readonly sealed: Buffer
}

export function readSealedNodes(on: Queryable): Promise<readonly SealedNodes[]> {
  return on.query<SealedNodes>(sql`select network, sealed from own_network_nodes order by network`)
}

export async function saveSealedNodes(on: Queryable, { network, sealed }: SealedNodes): Promise<void> {
  await on.query(sql`
    insert into own_network_nodes (network, sealed) values (${network}, ${sealed})
    on conflict (network) do update set sealed = excluded.sealed`)
}

/** Replaces a sealed list that is still the same. */
export async function replaceSealedNodes(
  on: Queryable,
  { network, sealed }: SealedNodes,
  renewed: Buffer,
): Promise<void> {
  await on.query(sql`
    update own_network_nodes set sealed = ${renewed} where network = ${network} and sealed = ${sealed}`)
}

/** Returns for each network the number of the last entry that its watcher reads blocks with. */
export async function readFollowedSerials(on: Queryable): Promise<ReadonlyMap<string, number>> {
  const rows = await on.query<{ network: string; serial: number }>(
    sql`select network, serial from own_row_progress`,
  )
  return new Map(rows.map(({ network, serial }) => [network, serial]))
}

/** Returns the number of the last entry that a network's watcher reads blocks with; 0 if there is none. */
export async function readFollowedSerial(on: Queryable, network: string): Promise<number> {
  const row = await one<{ serial: number }>(
    on,
    named('followed-serial', sql`select serial from own_row_progress where network = ${network}`),
  )
  return row?.serial ?? 0
}

/**
 * Notes that a network's watcher reads blocks with all entries up to a number. A smaller number changes nothing.
 */
export async function noteFollowedSerial(tx: Tx, network: string, serial: number): Promise<void> {
  await tx.query(sql`
    insert into own_row_progress (network, serial) values (${network}, ${serial})
    on conflict (network) do update set serial = excluded.serial where own_row_progress.serial < excluded.serial`)
}
