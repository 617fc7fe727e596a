import sql from 'sql-template-tag'
import { newId } from '../../core/ids.ts'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { ListedAddress } from './sanctions-list.ts'

/** The sanctions list in force. */
export interface StoredList {
  readonly id: string
  /** The path or URL from which the list was read. */
  readonly source: string
  readonly sha256: Buffer
  readonly addressCount: number
  /** When this content was first read. `readAt` is the time when this content was last read. */
  readonly loadedAt: Date
  readonly readAt: Date
  /** The last time at which this content was known to be the newest list of its publisher. */
  readonly freshAt: Date
  readonly ageS: number
}

/** Returns the list in force; undefined if no list was ever loaded or the last list was unloaded. */
export async function findList(on: Queryable): Promise<StoredList | undefined> {
  const row = await one<{
    id: string
    source: string
    sha256: Buffer
    address_count: number
    loaded_at: Date
    read_at: Date
    fresh_at: Date
    age_s: number
  }>(
    on,
    sql`select id, source, sha256, address_count, loaded_at, read_at, fresh_at,
          extract(epoch from coffer_now() - fresh_at)::float8 as age_s
        from sanctions_list where replaced_at is null`,
  )
  return (
    row && {
      id: row.id,
      source: row.source,
      sha256: row.sha256,
      addressCount: row.address_count,
      loadedAt: row.loaded_at,
      readAt: row.read_at,
      freshAt: row.fresh_at,
      ageS: row.age_s,
    }
  )
}

/** Takes an advisory lock, so that no other process changes the list until the transaction ends. */
export async function lockList(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('coffer/sanctions-list', 0))`)
}

/** What is stored with the list about one reading of its source. */
export interface Reading {
  readonly source: string
  readonly sha256: Buffer
  readonly freshAt: Date
}

/** Records that the source was read again and has the same content. */
export async function renewList(tx: Tx, id: string, { source, freshAt }: Reading): Promise<void> {
  await tx.query(sql`
    update sanctions_list
    set source = ${source}, read_at = coffer_now(), fresh_at = greatest(fresh_at, least(${freshAt}, coffer_now()))
    where id = ${id}`)
}

/** Replaces the list in force. An address that is on the old and on the new list keeps its `listed_at`. */
export async function replaceList(
  tx: Tx,
  { source, sha256, freshAt }: Reading,
  addresses: readonly ListedAddress[],
): Promise<string> {
  const id = newId()
  await dropList(tx)
  await tx.query(sql`
    insert into sanctions_list (id, source, sha256, address_count, fresh_at)
    values (${id}, ${source}, ${sha256}, ${addresses.length}, least(${freshAt}, coffer_now()))`)
  await tx.query(sql`
    with named as (
      select * from jsonb_to_recordset(${JSON.stringify(addresses)}::jsonb)
        as named (canonical text, codes text[], parties text[])
    ), gone as (
      delete from sanctioned_address where canonical not in (select canonical from named)
    )
    insert into sanctioned_address (canonical, codes, parties) select canonical, codes, parties from named
    on conflict (canonical) do update set codes = excluded.codes, parties = excluded.parties`)
  return id
}

/**
 * Marks the list in force as replaced. Its addresses stay until `forgetAddresses` or the next list deletes
 * them.
 */
export async function dropList(tx: Tx): Promise<void> {
  await tx.query(sql`update sanctions_list set replaced_at = coffer_now() where replaced_at is null`)
}

export async function forgetAddresses(tx: Tx): Promise<void> {
  await tx.query(sql`delete from sanctioned_address`)
}

export interface StoredAddress extends ListedAddress {
  readonly listedAt: Date
}

/** Returns those of the given addresses that are on the list. */
export async function findListed(
  on: Queryable,
  canonicalAddresses: readonly string[],
): Promise<readonly StoredAddress[]> {
  const rows = await on.query<{ canonical: string; codes: string[]; parties: string[]; listed_at: Date }>(sql`
    select canonical, codes, parties, listed_at from sanctioned_address where canonical = any(${[...canonicalAddresses]})`)
  return rows.map(({ listed_at, ...row }) => ({ ...row, listedAt: listed_at }))
}
