import sql from 'sql-template-tag'
import { newId } from '../../core/ids.ts'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { ListedAddress } from './sanctions-list.ts'

/** The list that is in force. */
export interface StoredList {
  readonly id: string
  /** Where it was read. */
  readonly source: string
  readonly sha256: Buffer
  readonly addressCount: number
  /** When this content was read first, and last. */
  readonly loadedAt: Date
  readonly readAt: Date
  /** Up to when it is known to be its publisher's newest. */
  readonly freshAt: Date
  readonly ageS: number
}

/** Undefined where none was loaded, or the last was unloaded. */
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
          extract(epoch from now() - fresh_at)::float8 as age_s
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

/** Nobody else changes the list until the transaction ends. */
export async function lockList(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('coffer/sanctions-list', 0))`)
}

/** What one reading of a source gave. */
export interface Reading {
  readonly source: string
  readonly sha256: Buffer
  readonly freshAt: Date
}

/** The same content was read again. */
export async function renewList(tx: Tx, id: string, { source, freshAt }: Reading): Promise<void> {
  await tx.query(sql`
    update sanctions_list
    set source = ${source}, read_at = now(), fresh_at = greatest(fresh_at, least(${freshAt}, now()))
    where id = ${id}`)
}

/** Puts a list in the place of the one before; an address that stays keeps the time since when it is listed. */
export async function replaceList(
  tx: Tx,
  { source, sha256, freshAt }: Reading,
  addresses: readonly ListedAddress[],
): Promise<string> {
  const id = newId()
  await dropList(tx)
  await tx.query(sql`
    insert into sanctions_list (id, source, sha256, address_count, fresh_at)
    values (${id}, ${source}, ${sha256}, ${addresses.length}, least(${freshAt}, now()))`)
  await tx.query(sql`
    with named as (
      select * from jsonb_to_recordset(${JSON.stringify(addresses)}::jsonb)
        as named (spelling text, codes text[], parties text[])
    ), gone as (
      delete from sanctioned_address where spelling not in (select spelling from named)
    )
    insert into sanctioned_address (spelling, codes, parties) select spelling, codes, parties from named
    on conflict (spelling) do update set codes = excluded.codes, parties = excluded.parties`)
  return id
}

/** Ends the list in force; its addresses stay until `forgetAddresses` or the next list. */
export async function dropList(tx: Tx): Promise<void> {
  await tx.query(sql`update sanctions_list set replaced_at = now() where replaced_at is null`)
}

export async function forgetAddresses(tx: Tx): Promise<void> {
  await tx.query(sql`delete from sanctioned_address`)
}

export interface StoredAddress extends ListedAddress {
  readonly listedAt: Date
}

/** Which of some spellings are listed. */
export async function findListed(
  on: Queryable,
  spellings: readonly string[],
): Promise<readonly StoredAddress[]> {
  const rows = await on.query<{ spelling: string; codes: string[]; parties: string[]; listed_at: Date }>(sql`
    select spelling, codes, parties, listed_at from sanctioned_address where spelling = any(${[...spellings]})`)
  return rows.map(({ listed_at, ...row }) => ({ ...row, listedAt: listed_at }))
}
