import sql from 'sql-template-tag'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { DerivedAddress } from './address.ts'
import { isOfThisLife } from './address-store.ts'

/** A branch that data from before knows to have been in use. */
export interface FormerBranch {
  readonly branch: number
  /** The first index that nothing was derived for when the data was saved. */
  readonly nextIndex: number
}

/** The life of no database: what is on such a branch is watched, and never given away. */
const noLife = sql`'00000000-0000-0000-0000-000000000000'::uuid, '-infinity'::timestamptz`

/**
 * The branches of an xpub that processes may have gone on with after the data was saved: those up to `to` that were in use
 * after `usedAfter`, or without that those of the last life of the server before this one.
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
        and not (${isOfThisLife}))
    select branch, next_index as "nextIndex" from former
    where ${wasInUse}
    order by branch`)
}

/** The branches of a window that processes use in this life of the database. */
export async function readBranchesInUse(
  on: Queryable,
  { family, from, to }: { readonly family: string; readonly from: number; readonly to: number },
): Promise<ReadonlySet<number>> {
  const rows = await on.query<{ branch: number }>(sql`
    select branch from address_branch opened
    where family = ${family} and branch between ${from} and ${to} and ${isOfThisLife}`)
  return new Set(rows.map(({ branch }) => branch))
}

/** Notes branches that may have been opened; whatever is known of one stays as it is. */
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
    insert into address_branch (family, branch, xpub_fingerprint, incarnation_id, server_started_at)
    select ${family}, branch, ${fingerprint}, ${noLife}
    from generate_series(${from}::bigint, ${to}::bigint) as possible (branch)
    on conflict do nothing`)
}

/** Stores addresses that may have been given away; those that are known stay as they are. How many are new. */
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
