import sql, { type Sql } from 'sql-template-tag'
import { limits } from '../../../core/limits.ts'
import { macsOf, named, one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { DerivedAddress, InvoiceAddress } from './address.ts'
import { type Assignment, assignmentMac } from './assignment-mac.ts'

/** A derivation branch of one family. */
export interface Branch {
  readonly family: string
  readonly branch: number
}

export interface BranchClock {
  readonly now: Date
  /** The highest branch ever opened here; undefined before the first. */
  readonly lastBranch: number | undefined
}

/** Database time and the newest branch: both decide whether a new branch may be opened. */
export async function readBranchClock(on: Queryable, family: string): Promise<BranchClock> {
  const row = await one<{ now: Date; last: number | null }>(
    on,
    sql`select now() as now, (select max(branch) from address_branch where family = ${family}) as last`,
  )
  return { now: row?.now ?? new Date(0), lastBranch: row?.last ?? undefined }
}

/** Opens `branch` unless it ever was; false then. */
export async function openBranch(
  on: Queryable,
  { family, branch }: Branch,
  xpubFingerprint: string,
): Promise<boolean> {
  const rows = await on.query(sql`
    insert into address_branch (family, branch, xpub_fingerprint, incarnation_id, server_started_at)
    select ${family}, ${branch}, ${xpubFingerprint}, id, pg_postmaster_start_time() from database_incarnation
    on conflict do nothing
    returning branch`)
  return rows.length === 1
}

/** Of the xpub that the newest branch belongs to; undefined before the first branch. */
export async function readNewestFingerprint(on: Queryable, family: string): Promise<string | undefined> {
  const row = await one<{ fingerprint: string }>(
    on,
    sql`select xpub_fingerprint as fingerprint from address_branch
        where family = ${family} order by branch desc limit 1`,
  )
  return row?.fingerprint
}

/** Whether a branch was opened, and is so. */
const isOpened = ({ family, branch }: Branch, isSo: Sql) => sql`exists (
  select from address_branch opened
  where opened.family = ${family} and opened.branch = ${branch} and ${isSo})`

/** A branch is usable only in the life of the database server and of the data in which it was opened. */
export const isOfThisLife = sql`opened.server_started_at = pg_postmaster_start_time()
    and opened.incarnation_id = (select id from database_incarnation)`

export async function branchIsUsable(on: Queryable, branch: Branch): Promise<boolean> {
  const row = await one<{ usable: boolean }>(on, sql`select ${isOpened(branch, isOfThisLife)} as usable`)
  return row?.usable === true
}

/** Notes that the process which opened a branch is still there, so that its addresses are not taken for left ones. */
export async function noteBranchUse(on: Queryable, { family, branch }: Branch): Promise<void> {
  await on.query(
    sql`update address_branch set used_at = now() where family = ${family} and branch = ${branch}`,
  )
}

/**
 * Deletes addresses that were never given away, of branches whose process is gone. Only of branches of this life: in it
 * nothing was lost, so that an address without an invoice was shown to nobody. In a database that was put back the same
 * row may have been given away in the lost time, and stays watched (decision 64). A row that is gone cannot be given, and
 * its index is never derived for giving again.
 * @returns how many
 */
export async function deleteUnusedAddresses(on: Queryable, rows: number): Promise<number> {
  const deleted = await on.query(sql`
    with left_alone as (
      select family, branch from address_branch opened
      where ${isOfThisLife} and used_at < now() - make_interval(hours => ${limits.addressesUnusedHours})
    ), unused as (
      select found.id from left_alone cross join lateral (
        select id from address
        where address.family = left_alone.family and address.branch = left_alone.branch and assigned_at is null
          and not exists (select from transaction where transaction.address_id = address.id)
          and not exists (select from swept_address swept where swept.address_id = address.id)
          and not exists (select from sweep_setback setback where setback.address_id = address.id)
        limit ${rows} for update skip locked
      ) found
      limit ${rows}
    )
    delete from address using unused where address.id = unused.id
    returning 1`)
  return deleted.length
}

/** Not where the signer said that it has the keys of another account. */
const isAttested = sql`not exists (
    select from attested_xpub attested
    where attested.family = opened.family and attested.xpub_fingerprint <> opened.xpub_fingerprint)`

/** Whether what is paid to addresses of a branch can be spent, by the signer's word or for want of one. */
export async function branchIsAttested(on: Queryable, branch: Branch): Promise<boolean> {
  const row = await one<{ attested: boolean }>(on, sql`select ${isOpened(branch, isAttested)} as attested`)
  return row?.attested === true
}

/** Those of some indexes of a branch whose address cannot be given away any more: somebody has it, or it is gone. */
export async function readTaken(
  on: Queryable,
  { family, branch }: Branch,
  indexes: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await on.query<{ index: number }>(sql`
    select wanted.index from unnest(${[...indexes]}::bigint[]) wanted (index)
    where not exists (
      select from address
      where family = ${family} and branch = ${branch} and address.index = wanted.index and assigned_at is null)`)
  return new Set(rows.map(({ index }) => index))
}

/** Reserves the next `count` indexes of a branch for derivation; the first of them. */
export async function reserveIndexes(
  on: Queryable,
  { family, branch }: Branch,
  count: number,
): Promise<number> {
  const row = await one<{ first: number }>(
    on,
    sql`update address_branch set next_index = next_index + ${count}
        where family = ${family} and branch = ${branch}
        returning next_index - ${count} as first`,
  )
  if (row === undefined) throw new Error(`branch ${branch} of ${family} is gone`)
  return row.first
}

export async function insertAddresses(
  on: Queryable,
  addresses: readonly (DerivedAddress & { mac: Buffer })[],
): Promise<void> {
  const rows = addresses.map((address) => ({ ...address, mac: address.mac.toString('hex') }))
  await on.query(sql`
    insert into address (family, address, branch, index, mac)
    select family, address, branch, index, decode(mac, 'hex')
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (family text, address text, branch bigint, index bigint, mac text)`)
}

export const givenAddressColumns = sql`address.family, address.address, address.branch, address.index, address.mac,
  address.invoice_id as "invoiceId", address.payment_method_id as "paymentMethodId", address.network,
  address.assignment_mac as "assignmentMac"`

/**
 * Picks the row of the address to give away, and locks it: no row when somebody has it, when its branch belongs to an
 * earlier life of the database, or when the network's blocks are not followed yet, so that a payment could be missed.
 */
export function isFreeToGive(place: DerivedAddress, network: string): Sql {
  return sql`address.id = (
        select id from address
        where family = ${place.family} and branch = ${place.branch} and index = ${place.index}
          and assigned_at is null
        for update skip locked)
      and exists (select from chain_cursor where chain_cursor.network = ${network})
      and ${isOpened(place, sql`${isOfThisLife} and ${isAttested}`)}`
}

/** Gives an address away, for ever, with the MAC over whose it is; undefined when `isFreeToGive` picks none. */
export function assignAddress(
  tx: Tx,
  place: DerivedAddress,
  assignment: Assignment,
): Promise<InvoiceAddress | undefined> {
  const { invoiceId, merchantId, paymentMethodId, network } = assignment
  return one<InvoiceAddress>(
    tx,
    named(
      'assign-address',
      sql`
      update address
      set network = ${network}, merchant_id = ${merchantId}, invoice_id = ${invoiceId},
          payment_method_id = ${paymentMethodId}, assigned_at = now(),
          assignment_mac = ${assignmentMac(macsOf(tx), place, assignment)}
      where ${isFreeToGive(place, network)}
      returning ${givenAddressColumns}`,
    ),
  )
}

export interface VouchedAddress extends DerivedAddress {
  readonly id: bigint
  readonly mac: Buffer
}

/** The next `rows` addresses after `after`, given away or not. */
export async function readMacsAfter(
  on: Queryable,
  after: bigint,
  rows: number,
): Promise<readonly VouchedAddress[]> {
  const read = await on.query<Omit<VouchedAddress, 'id'> & { id: string }>(sql`
    select id::text as id, family, address, branch, index, mac from address
    where id > ${after.toString()}::bigint order by address.id limit ${rows}`)
  return read.map((row) => ({ ...row, id: BigInt(row.id) }))
}

/** Writes new MACs in place of those that were read. */
export async function replaceMacs(
  on: Queryable,
  addresses: readonly { readonly id: bigint; readonly mac: Buffer; readonly newMac: Buffer }[],
): Promise<void> {
  await on.query(sql`
    update address set mac = vouched.new_mac
    from unnest(${addresses.map(({ id }) => id.toString())}::bigint[], ${addresses.map(({ mac }) => mac)}::bytea[],
      ${addresses.map(({ newMac }) => newMac)}::bytea[]) as vouched (id, mac, new_mac)
    where address.id = vouched.id and address.mac = vouched.mac`)
}
