import sql from 'sql-template-tag'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { DerivedAddress } from './address.ts'
import { isOfThisServerStart } from './address-store.ts'

/** A branch that was in use before the lost period, as the remaining data shows. */
export interface FormerBranch {
  readonly branch: number
  /** The first index that was not reserved when the data was saved. */
  readonly nextIndex: number
}

/**
 * SQL: the database id and server start that are stored for branches of a lost period. They match no real run
 * of a database server. The addresses of such a branch are therefore watched, but never assigned.
 */
const noServerStart = sql`'00000000-0000-0000-0000-000000000000'::uuid, '-infinity'::timestamptz`

/**
 * Returns the branches that processes may have used after the data was saved, for one xpub. These are the
 * branches up to `to` that were used after `usedAfter`. If `usedAfter` is undefined, these are the branches
 * of the previous run of the database server.
 */
export async function readFormerBranches(
  on: Queryable,
  {
    family,
    fingerprint,
    to,
    usedAfter,
  }: {
    readonly family: string
    readonly fingerprint: string
    readonly to: number
    readonly usedAfter: Date | undefined
  },
): Promise<readonly FormerBranch[]> {
  const wasInUse =
    usedAfter === undefined
      ? sql`server_started_at = (select max(server_started_at) from former)`
      : sql`used_at > ${usedAfter} and branch <= ${to}`
  return on.query<FormerBranch>(sql`
    with former as (
      select * from address_branch opened
      where family = ${family} and xpub_fingerprint = ${fingerprint} and server_started_at > '-infinity'
        and not (${isOfThisServerStart}))
    select branch, next_index as "nextIndex" from former
    where ${wasInUse}
    order by branch`)
}

/**
 * Returns the branches from `from` to `to` that were opened since the database's last start or restoration.
 */
export async function readBranchesInUse(
  on: Queryable,
  { family, from, to }: { readonly family: string; readonly from: number; readonly to: number },
): Promise<ReadonlySet<number>> {
  const rows = await on.query<{ branch: number }>(sql`
    select branch from address_branch opened
    where family = ${family} and branch between ${from} and ${to} and ${isOfThisServerStart}`)
  return new Set(rows.map(({ branch }) => branch))
}

/**
 * Stores branches that may have been opened in a lost period. Branches that are already stored stay
 * unchanged.
 */
export async function insertLostBranches(
  on: Queryable,
  {
    family,
    fingerprint,
    from,
    to,
  }: { readonly family: string; readonly fingerprint: string; readonly from: number; readonly to: number },
): Promise<void> {
  await on.query(sql`
    insert into address_branch (family, branch, xpub_fingerprint, database_id, server_started_at)
    select ${family}, branch, ${fingerprint}, ${noServerStart}
    from generate_series(${from}::bigint, ${to}::bigint) as possible (branch)
    on conflict do nothing`)
}

/**
 * Stores addresses that may have been assigned in a lost period. Addresses that are already stored stay
 * unchanged. Returns the number of new addresses.
 */
export async function insertLostAddresses(
  on: Queryable,
  addresses: readonly (DerivedAddress & { readonly mac: Buffer })[],
): Promise<number> {
  const rows = addresses.map((address) => ({ ...address, mac: address.mac.toString('hex') }))
  const inserted = await on.query(sql`
    insert into address (family, address, branch, index, mac)
    select family, address, branch, index, decode(mac, 'hex')
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (family text, address text, branch bigint, index bigint, mac text)
    on conflict do nothing
    returning 1`)
  return inserted.length
}
