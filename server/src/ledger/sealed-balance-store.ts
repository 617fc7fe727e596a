import sql from 'sql-template-tag'
import { macsOf, named, type Queryable } from '../platform/db/pool.ts'
import type { Tx } from '../platform/db/transaction.ts'
import {
  hasSealedBalanceMac,
  type SealedBalance,
  type SealedJournal,
  sealedBalanceMac,
  summedNames,
  sumsOf,
  sumsText,
} from './sealed-balance.ts'
import { type JournalLineRow, journalLineColumns, journalsFrom, type Seal } from './store.ts'

interface BalanceRow {
  readonly owner_id: string
  readonly sequence: number
  readonly hash: Buffer
  readonly sums: ReturnType<typeof sumsText>
  readonly mac: string
}

/**
 * Returns the stored sealed balances of these owners. A balance is left out if its MAC is invalid, or if the
 * present history does not contain its seal.
 */
export async function readSealedBalances(
  on: Queryable,
  ownerIds: readonly string[],
): Promise<readonly SealedBalance[]> {
  const macs = macsOf(on)
  const rows = await on.query<BalanceRow>(
    named(
      'read-sealed-balances',
      sql`
      select owner_id, sequence, hash, sums, mac from sealed_balance join journal_seal using (sequence, hash)
      where owner_id = any (${[...ownerIds]}::uuid[])`,
    ),
  )
  return rows.flatMap(({ owner_id: ownerId, sequence, hash, sums, mac }) => {
    const balance = { ownerId, sequence, sums: sumsOf(sums) }
    return hasSealedBalanceMac(macs, balance, { hash, mac }) ? [balance] : []
  })
}

/** Stores balances that contain all journals up to and including a seal. */
export async function saveSealedBalances(
  tx: Tx,
  balances: readonly SealedBalance[],
  { hash }: Pick<Seal, 'hash'>,
): Promise<void> {
  const macs = macsOf(tx)
  await tx.query(sql`
    insert into sealed_balance (owner_id, sequence, hash, sums, mac)
    select row.*
    from unnest(
      ${balances.map(({ ownerId }) => ownerId)}::uuid[], ${balances.map(({ sequence }) => sequence)}::bigint[],
      ${balances.map(() => hash)}::bytea[], ${balances.map(({ sums }) => JSON.stringify(sumsText(sums)))}::jsonb[],
      ${balances.map((balance) => sealedBalanceMac(macs, balance, hash))}::text[]
    ) as row (owner_id, sequence, hash, sums, mac)
    order by owner_id
    on conflict (owner_id) do update
    set sequence = excluded.sequence, hash = excluded.hash, sums = excluded.sums, mac = excluded.mac`)
}

type SealedRow = JournalLineRow & { readonly sequence: number | null }

/**
 * Returns the journals of these owners that have no seal, or a seal with a sequence above `after`. Journals
 * without a line on one of the accounts in `summedNames` are left out.
 */
export async function readRecentJournals(
  on: Queryable,
  ownerIds: readonly string[],
  after: number,
): Promise<readonly SealedJournal[]> {
  const rows = await on.query<SealedRow>(
    named(
      'read-recent-journals-of-owners',
      sql`
      with recent as (
        select journal_id, sequence from journal_seal where sequence > ${after}
        union all
        select journal_id, null from journal_unsealed
      ), touched as (
        select distinct recent.journal_id, recent.sequence from recent
        join journal_line using (journal_id)
        join ledger_account account on account.id = account_id
        where owner_id = any (${[...ownerIds]}::uuid[]) and account.name = any (${[...summedNames]}::text[])
      )
      select touched.sequence, ${journalLineColumns} from touched
      join journal on journal.id = touched.journal_id
      join journal_line line on line.journal_id = journal.id
      join ledger_account account on account.id = line.account_id
      order by journal.id, line.ordinal`,
    ),
  )
  return sealedFrom(rows)
}

/**
 * Returns the ids of an owner's journals, in ascending order, that follow the id `after`. Returns at most
 * `rowsMax` ids. Only journals with a line on one of the accounts in `summedNames` are returned, and unsealed
 * journals are included.
 */
export async function readOwnJournalIds(
  on: Queryable,
  ownerId: string,
  after: string,
  rowsMax: number,
): Promise<readonly string[]> {
  const rows = await on.query<{ journal_id: string }>(sql`
    select distinct line.journal_id from ledger_account account
    cross join lateral (
      select journal_id from journal_line
      where account_id = account.id and journal_id > ${after} order by journal_id limit ${rowsMax}
    ) line
    where owner_id = ${ownerId} and name = any (${[...summedNames]}::text[])
    order by line.journal_id limit ${rowsMax}`)
  return rows.map((row) => row.journal_id)
}

/** Returns those of the given journals whose seal has a sequence above `after` and at most `upTo`. */
export async function readSealedBetween(
  on: Queryable,
  journalIds: readonly string[],
  after: number,
  upTo: number,
): Promise<readonly SealedJournal[]> {
  const rows = await on.query<SealedRow>(sql`
    select seal.sequence, ${journalLineColumns} from journal_seal seal
    join journal on journal.id = seal.journal_id
    join journal_line line on line.journal_id = journal.id
    join ledger_account account on account.id = line.account_id
    where seal.journal_id = any (${[...journalIds]}::uuid[]) and seal.sequence > ${after} and seal.sequence <= ${upTo}
    order by journal.id, line.ordinal`)
  return sealedFrom(rows)
}

function sealedFrom(rows: readonly SealedRow[]): readonly SealedJournal[] {
  const sequences = new Map(rows.map(({ id, sequence }) => [id, sequence ?? undefined]))
  return journalsFrom(rows).map((journal) => ({ journal, sequence: sequences.get(journal.id) }))
}
