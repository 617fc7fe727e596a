import sql, { type Sql } from 'sql-template-tag'
import { limits } from '../../../core/limits.ts'
import { macsOf, named, one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { DerivedAddress, InvoiceAddress } from './address.ts'
import { type Assignment, assignmentMac } from './assignment-mac.ts'

/** A derivation branch of one address family. */
export interface Branch {
  readonly family: string
  readonly branch: number
}

export interface BranchClock {
  readonly now: Date
  /** The highest branch ever opened in this database; undefined if none was opened. */
  readonly lastBranch: number | undefined
}

/** Returns the database's time and the newest branch, which decide whether a new branch may be opened. */
export async function readBranchClock(on: Queryable, family: string): Promise<BranchClock> {
  const row = await one<{ now: Date; last: number | null }>(
    on,
    sql`select coffer_now() as now, (select max(branch) from address_branch where family = ${family}) as last`,
  )
  return { now: row?.now ?? new Date(0), lastBranch: row?.last ?? undefined }
}

/** Opens `branch`. Returns false if the branch was opened before. */
export async function openBranch(
  on: Queryable,
  { family, branch }: Branch,
  xpubFingerprint: string,
): Promise<boolean> {
  const rows = await on.query(sql`
    insert into address_branch (family, branch, xpub_fingerprint, database_id, server_started_at)
    select ${family}, ${branch}, ${xpubFingerprint}, id, pg_postmaster_start_time() from database_identity
    on conflict do nothing
    returning branch`)
  return rows.length === 1
}

/** Returns the fingerprint of the xpub of the newest branch; undefined if no branch was opened. */
export async function readNewestFingerprint(on: Queryable, family: string): Promise<string | undefined> {
  const row = await one<{ fingerprint: string }>(
    on,
    sql`select xpub_fingerprint as fingerprint from address_branch
        where family = ${family} order by branch desc limit 1`,
  )
  return row?.fingerprint
}

/**
 * SQL: true if the branch has a row in `address_branch` for which `isSo` is true. In `isSo`, the row is named
 * `opened`.
 */
const isOpened = ({ family, branch }: Branch, isSo: Sql) => sql`exists (
  select from address_branch opened
  where opened.family = ${family} and opened.branch = ${branch} and ${isSo})`

/**
 * SQL: whether the branch `opened` is usable. A branch is usable until the database server restarts or its
 * data is restored.
 */
export const isOfThisServerStart = sql`opened.server_started_at = pg_postmaster_start_time()
    and opened.database_id = (select id from database_identity)`

export async function branchIsUsable(on: Queryable, branch: Branch): Promise<boolean> {
  const row = await one<{ usable: boolean }>(
    on,
    sql`select ${isOpened(branch, isOfThisServerStart)} as usable`,
  )
  return row?.usable === true
}

/**
 * Records that the process which opened a branch is still running. The branch's unused addresses are then not
 * deleted.
 */
export async function noteBranchUse(on: Queryable, { family, branch }: Branch): Promise<void> {
  await on.query(
    sql`update address_branch set used_at = coffer_now() where family = ${family} and branch = ${branch}`,
  )
}

/**
 * Deletes addresses that were never assigned, on branches whose process no longer runs. Only branches opened
 * since the database server's last start are affected. No data was lost since then, so no payer was shown
 * these addresses. After a restoration, an address without an invoice may have been assigned in the lost
 * period, so it stays watched (decision 64). A deleted address is never derived again for assignment.
 * @returns the number of deleted addresses
 */
export async function deleteUnusedAddresses(on: Queryable, rows: number): Promise<number> {
  const deleted = await on.query(sql`
    with left_alone as (
      select family, branch from address_branch opened
      where ${isOfThisServerStart} and used_at < coffer_now() - make_interval(hours => ${limits.addressesUnusedHours})
    ), unused as (
      select found.id from left_alone cross join lateral (
        select id, index from address
        where address.family = left_alone.family and address.branch = left_alone.branch and assigned_at is null
          and not exists (select from deposit where deposit.address_id = address.id)
          and not exists (select from own_transfer own where own.address_id = address.id)
          and not exists (select from swept_address swept where swept.address_id = address.id)
          and not exists (select from sweep_retry retry_entry where retry_entry.address_id = address.id)
        order by index limit ${rows} for update skip locked
      ) found
      order by left_alone.family, left_alone.branch, found.index limit ${rows}
    )
    delete from address using unused where address.id = unused.id
    returning 1`)
  return deleted.length
}

/** SQL: false if the signer attested another xpub than the xpub of the branch. */
const isAttested = sql`not exists (
    select from attested_xpub attested
    where attested.family = opened.family and attested.xpub_fingerprint <> opened.xpub_fingerprint)`

/**
 * Returns whether the keys of a branch are those that the signer attested. Without an attestation, returns
 * true.
 */
export async function branchIsAttested(on: Queryable, branch: Branch): Promise<boolean> {
  const row = await one<{ attested: boolean }>(on, sql`select ${isOpened(branch, isAttested)} as attested`)
  return row?.attested === true
}

/**
 * Returns the indexes of a branch whose addresses can no longer be assigned, because they are assigned or
 * deleted.
 */
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

/** Reserves the next `count` indexes of a branch for derivation. Returns the first reserved index. */
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
  if (row === undefined) throw new Error(`branch ${branch} of ${family} no longer exists`)
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
 * SQL condition that selects and locks the row of an address that can be assigned. No row is selected if the
 * address is already assigned, or if the signer attested other keys. No row is selected if the branch was
 * opened before the last start or restoration of the database. No row is selected if the network's blocks are
 * not followed yet, because a payment could be missed.
 */
export function isFreeToGive(derived: DerivedAddress, network: string): Sql {
  return sql`address.id = (
        select id from address
        where family = ${derived.family} and branch = ${derived.branch} and index = ${derived.index}
          and assigned_at is null
        for update skip locked)
      and exists (select from chain_cursor where chain_cursor.network = ${network})
      and ${isOpened(derived, sql`${isOfThisServerStart} and ${isAttested}`)}`
}

/**
 * Assigns an address permanently, with a MAC over its owner. Returns undefined if the address cannot be
 * assigned (`isFreeToGive`).
 */
export function assignAddress(
  tx: Tx,
  derived: DerivedAddress,
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
          payment_method_id = ${paymentMethodId}, assigned_at = coffer_now(),
          assignment_mac = ${assignmentMac(macsOf(tx), derived, assignment)}
      where ${isFreeToGive(derived, network)}
      returning ${givenAddressColumns}`,
    ),
  )
}

export interface VouchedAddress extends DerivedAddress {
  readonly id: bigint
  readonly mac: Buffer
}

/** Returns at most `rows` addresses with ids above `after`, assigned or not, in the order of ids. */
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

/** Replaces MACs of addresses. A MAC is replaced only if it is still the MAC that the caller read. */
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
