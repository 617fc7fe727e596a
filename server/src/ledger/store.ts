/** The SQL of the books. Every statement handles any number of rows in one round trip. */
import sql from 'sql-template-tag'
import { macsOf, named, one, type Queryable } from '../platform/db/pool.ts'
import type { Tx } from '../platform/db/transaction.ts'
import type { AccountName, Journal, LedgerAccount } from './journal.ts'
import { journalMac } from './journal-mac.ts'

export interface StoredAccount extends LedgerAccount {
  readonly id: number
  readonly debitsMinor: bigint
  readonly creditsMinor: bigint
}

/** The debits and credits that a posting adds to an account. */
export interface Movement {
  readonly accountId: number
  readonly debitMinor: bigint
  readonly creditMinor: bigint
}

/** A journal as stored, with its lines in order. */
export interface StoredJournal {
  readonly id: string
  readonly kind: string
  readonly subject: string
  readonly reverses: string | undefined
  readonly postedAt: Date
  /**
   * MAC made by the process that posted the journal. If the MAC is invalid, no process of Coffer posted the
   * journal.
   */
  readonly mac: string
  readonly lines: readonly StoredLine[]
}

export interface StoredLine {
  readonly ordinal: number
  readonly account: LedgerAccount
  readonly debitMinor: bigint
  readonly creditMinor: bigint
}

/**
 * Creates the accounts that do not exist yet, in a fixed order. If another transaction is creating the same
 * account, the call waits for the end of that transaction; after that, the account exists.
 */
export async function openAccounts(tx: Tx, accounts: readonly LedgerAccount[]): Promise<void> {
  const { names, ownerIds, assets } = columnsOf(accounts)
  // Rows with and without an owner are compared separately: "is not distinct from" would not use the index.
  await tx.query(
    named(
      'ledger-open-accounts',
      sql`
        insert into ledger_account (name, owner_id, asset)
        select wanted.name, wanted.owner_id, wanted.asset
        from unnest(${names}::text[], ${ownerIds}::uuid[], ${assets}::text[]) wanted (name, owner_id, asset)
        where not exists (
            select from ledger_account known
            where known.name = wanted.name and known.owner_id = wanted.owner_id and known.asset = wanted.asset
          )
          and not exists (
            select from ledger_account known
            where known.name = wanted.name and known.owner_id is null and known.asset = wanted.asset
              and wanted.owner_id is null
          )
        order by wanted.name, wanted.owner_id, wanted.asset
        on conflict on constraint ledger_account_unique do nothing`,
    ),
  )
}

/** Locks the accounts until commit, always in the order of their ids, so that two postings never deadlock. */
export async function lockAccounts(
  tx: Tx,
  accounts: readonly LedgerAccount[],
): Promise<readonly StoredAccount[]> {
  const { names, ownerIds, assets } = columnsOf(accounts)
  const rows = await tx.query<AccountRow>(
    named(
      'ledger-lock-accounts',
      sql`
        with wanted as (
          select * from unnest(${names}::text[], ${ownerIds}::uuid[], ${assets}::text[])
            wanted (name, owner_id, asset)
        ), found as (
          select known.id from wanted
          join ledger_account known using (name, owner_id, asset)
          union all
          select known.id from wanted
          join ledger_account known on known.name = wanted.name and known.asset = wanted.asset
          where wanted.owner_id is null and known.owner_id is null
        )
        select id, name, owner_id, asset, debits, credits from ledger_account
        where id = any (array(select id from found))
        order by id
        for no key update`,
    ),
  )
  return rows.map(storedFrom)
}

/** Locks an owner's accounts with these names until commit, in the order of their ids. */
export async function lockOwned(
  tx: Tx,
  ownerId: string,
  names: readonly AccountName[],
): Promise<readonly StoredAccount[]> {
  const rows = await tx.query<AccountRow>(sql`
    select id, name, owner_id, asset, debits, credits from ledger_account
    where owner_id = ${ownerId} and name = any (${[...names]})
    order by id
    for no key update`)
  return rows.map(storedFrom)
}

/**
 * Stores journals with their lines and MACs, and adds the movements to the totals of the accounts. The
 * accounts must be locked.
 * @throws Error if the database handle of the transaction has no books keys.
 */
export async function insertJournals(
  tx: Tx,
  journals: readonly Journal[],
  movements: readonly Movement[],
  idOf: (account: LedgerAccount) => number,
): Promise<void> {
  const macs = macsOf(tx)
  const lines = journals.flatMap(({ id, lines }) => lines.map((line, ordinal) => ({ id, ordinal, ...line })))
  await tx.query(
    named(
      'ledger-insert-journals',
      sql`
        with moved as (
          update ledger_account account
          set debits = account.debits + movement.debit, credits = account.credits + movement.credit
          from unnest(
            ${movements.map(({ accountId }) => accountId)}::bigint[],
            ${movements.map(({ debitMinor }) => debitMinor)}::numeric[],
            ${movements.map(({ creditMinor }) => creditMinor)}::numeric[]
          ) movement (account_id, debit, credit)
          where account.id = movement.account_id
        ), posted as (
          insert into journal (id, kind, subject, reverses, mac)
          select * from unnest(
            ${journals.map(({ id }) => id)}::uuid[],
            ${journals.map(({ kind }) => kind)}::text[],
            ${journals.map(({ subject }) => subject)}::text[],
            ${journals.map(({ reverses }) => reverses ?? null)}::uuid[],
            ${journals.map((one) => journalMac(macs, one))}::text[]
          )
          returning id
        ), unsealed as (
          insert into journal_unsealed (journal_id) select id from posted
        )
        insert into journal_line (journal_id, ordinal, account_id, debit, credit)
        select * from unnest(
          ${lines.map(({ id }) => id)}::uuid[],
          ${lines.map(({ ordinal }) => ordinal)}::smallint[],
          ${lines.map(({ account }) => idOf(account))}::bigint[],
          ${lines.map(({ debitMinor }) => debitMinor)}::numeric[],
          ${lines.map(({ creditMinor }) => creditMinor)}::numeric[]
        )`,
    ),
  )
}

/**
 * Returns the journals with these subjects, in the order of journal ids. Subjects without a journal are left
 * out.
 */
export async function findJournals(
  on: Queryable,
  subjects: readonly string[],
): Promise<readonly StoredJournal[]> {
  const rows = await on.query<JournalLineRow>(
    named(
      'ledger-find-journals',
      sql`
        select ${journalLineColumns} from journal
        join journal_line line on line.journal_id = journal.id
        join ledger_account account on account.id = line.account_id
        where journal.subject = any (${[...subjects]}::text[])
        order by journal.id, line.ordinal`,
    ),
  )
  return journalsFrom(rows)
}

/** Returns credits minus debits of the account with this name, for each owner and asset. */
export async function sumByOwner(
  on: Queryable,
  ownerIds: readonly string[],
  name: AccountName,
): Promise<readonly { ownerId: string; asset: string; creditBalanceMinor: bigint }[]> {
  const rows = await on.query<{ owner_id: string; asset: string; balance: string }>(sql`
    select owner_id, asset, credits - debits as balance from ledger_account
    where owner_id = any (${ownerIds}::uuid[]) and name = ${name} order by owner_id, asset`)
  return rows.map((row) => ({
    ownerId: row.owner_id,
    asset: row.asset,
    creditBalanceMinor: BigInt(row.balance),
  }))
}

/**
 * Returns the forfeited money that was not recovered, by owner, asset and the account from which it came.
 * Amounts of zero are omitted.
 */
export async function sumForfeited(
  on: Queryable,
  ownerIds: readonly string[],
): Promise<readonly { ownerId: string; asset: string; source: string; amountMinor: bigint }[]> {
  const rows = await on.query<{ owner_id: string; asset: string; source: string; amount: string }>(sql`
    select account.owner_id, account.asset, split_part(journal.kind, '.', 2) as source,
      sum(line.credit - line.debit) as amount
    from ledger_account account
    join journal_line line on line.account_id = account.id
    join journal on journal.id = line.journal_id
    where account.owner_id = any (${[...ownerIds]}::uuid[]) and account.name = 'forfeited'
      and split_part(journal.kind, '.', 1) in ('forfeited', 'recovered')
    group by account.owner_id, account.asset, source
    having sum(line.credit - line.debit) > 0
    order by account.owner_id, account.asset, source`)
  return rows.map((row) => ({
    ownerId: row.owner_id,
    asset: row.asset,
    source: row.source,
    amountMinor: BigInt(row.amount),
  }))
}

/** Returns credits minus debits by account name and asset, over all owners. */
export async function sumByName(
  on: Queryable,
): Promise<readonly { name: AccountName; asset: string; creditBalanceMinor: bigint }[]> {
  const rows = await on.query<{ name: AccountName; asset: string; balance: string }>(sql`
    select name, asset, sum(credits - debits) as balance from ledger_account
    group by name, asset order by name, asset`)
  return rows.map(({ name, asset, balance }) => ({ name, asset, creditBalanceMinor: BigInt(balance) }))
}

/** Returns the operator's own money in an asset: capital plus fees, minus network fees. */
export async function sumOperatorMoney(on: Queryable, asset: string): Promise<bigint> {
  const row = await one<{ balance: string }>(
    on,
    named(
      'sum-operator-money',
      sql`
      select coalesce(sum(credits - debits), 0) as balance from ledger_account
      where asset = ${asset} and name in ('capital', 'fees', 'network_fees')`,
    ),
  )
  return BigInt(row?.balance ?? 0)
}

/**
 * Returns at most `rowsMax` journals without a seal: those with the lowest ids, which are the oldest. The
 * result is in the order in which journals are sealed: by time of posting, then by id. The two orders can
 * differ slightly, because an id contains the time of the process, but the time of posting is the database's.
 */
export async function findUnsealed(tx: Tx, rowsMax: number): Promise<readonly StoredJournal[]> {
  const rows = await tx.query<JournalLineRow>(sql`
    with batch as (select journal_id from journal_unsealed order by journal_id limit ${rowsMax})
    select ${journalLineColumns} from batch
    join journal on journal.id = batch.journal_id
    join journal_line line on line.journal_id = journal.id
    join ledger_account account on account.id = line.account_id
    order by journal.posted_at, journal.id, line.ordinal`)
  return journalsFrom(rows)
}

export interface Seal {
  readonly sequence: number
  readonly journalId: string
  readonly hash: Buffer
}

export async function findLastSeal(on: Queryable): Promise<Seal | undefined> {
  const rows = await on.query<{ sequence: number; journal_id: string; hash: Buffer }>(sql`
    select sequence, journal_id, hash from journal_seal order by sequence desc limit 1`)
  return rows.map(sealFrom)[0]
}

export async function insertSeals(tx: Tx, seals: readonly Seal[]): Promise<void> {
  await tx.query(sql`
    with gone as (
      delete from journal_unsealed where journal_id = any (${seals.map(({ journalId }) => journalId)}::uuid[])
    )
    insert into journal_seal (sequence, journal_id, hash)
    select * from unnest(
      ${seals.map(({ sequence }) => sequence)}::bigint[],
      ${seals.map(({ journalId }) => journalId)}::uuid[],
      ${seals.map(({ hash }) => hash)}::bytea[]
    )`)
}

/**
 * Returns the sealed journals with sequences from `from` to `to`, in order. Seals without a journal are
 * omitted.
 */
export async function findSealed(
  on: Queryable,
  from: number,
  to: number,
): Promise<readonly { seal: Seal; journal: StoredJournal }[]> {
  const rows = await on.query<JournalLineRow & { sequence: number; hash: Buffer }>(sql`
    select seal.sequence, seal.hash, ${journalLineColumns} from journal_seal seal
    join journal on journal.id = seal.journal_id
    left join journal_line line on line.journal_id = journal.id
    left join ledger_account account on account.id = line.account_id
    where seal.sequence between ${from} and ${to}
    order by seal.sequence, line.ordinal`)
  const seals = new Map(rows.map((row) => [row.id, sealFrom({ ...row, journal_id: row.id })]))
  return journalsFrom(rows).flatMap((journal) => {
    const seal = seals.get(journal.id)
    return seal === undefined ? [] : [{ seal, journal }]
  })
}

/**
 * Returns the next journals after an id, in the order of ids. If lines of a journal are lost, the journal is
 * returned with its remaining lines.
 */
export async function readJournalsAfter(
  on: Queryable,
  after: string,
  rowsMax: number,
): Promise<readonly StoredJournal[]> {
  const rows = await on.query<JournalLineRow>(sql`
    with batch as (select * from journal where id > ${after} order by id limit ${rowsMax})
    select ${journalLineColumns} from batch journal
    left join journal_line line on line.journal_id = journal.id
    left join ledger_account account on account.id = line.account_id
    order by journal.id, line.ordinal`)
  return journalsFrom(rows)
}

export const journalLineColumns = sql`
  journal.id, journal.kind, journal.subject, journal.reverses, journal.posted_at, journal.mac,
  line.ordinal, account.name, account.owner_id, account.asset, line.debit, line.credit`

interface AccountRow {
  readonly id: number
  readonly name: AccountName
  readonly owner_id: string | null
  readonly asset: string
  readonly debits: string
  readonly credits: string
}

/** A line joined to its journal. The line's columns are null for a journal that has lost its lines. */
export interface JournalLineRow {
  readonly id: string
  readonly kind: string
  readonly subject: string
  readonly reverses: string | null
  readonly posted_at: Date
  readonly mac: string
  readonly ordinal: number | null
  readonly name: AccountName
  readonly owner_id: string | null
  readonly asset: string
  readonly debit: string
  readonly credit: string
}

function columnsOf(accounts: readonly LedgerAccount[]) {
  return {
    names: accounts.map(({ name }) => name),
    ownerIds: accounts.map(({ ownerId }) => ownerId ?? null),
    assets: accounts.map(({ asset }) => asset),
  }
}

function accountFrom(row: Pick<AccountRow, 'name' | 'owner_id' | 'asset'>): LedgerAccount {
  return { name: row.name, ownerId: row.owner_id ?? undefined, asset: row.asset }
}

function storedFrom(row: AccountRow): StoredAccount {
  return {
    ...accountFrom(row),
    id: row.id,
    debitsMinor: BigInt(row.debits),
    creditsMinor: BigInt(row.credits),
  }
}

function sealFrom(row: { sequence: number; journal_id: string; hash: Buffer }): Seal {
  return { sequence: row.sequence, journalId: row.journal_id, hash: row.hash }
}

/** Groups rows, one for each line, into journals. Journals are in the order in which they first appear. */
export function journalsFrom(rows: readonly JournalLineRow[]): readonly StoredJournal[] {
  const journals = new Map<string, StoredJournal & { lines: StoredLine[] }>()
  for (const row of rows) {
    const { id, kind, subject, mac } = row
    const lines = journals.get(id)?.lines ?? []
    if (lines.length === 0) {
      const reverses = row.reverses ?? undefined
      journals.set(id, { id, kind, subject, reverses, postedAt: row.posted_at, mac, lines })
    }
    if (row.ordinal !== null) lines.push(lineFrom(row, row.ordinal))
  }
  return [...journals.values()]
}

function lineFrom(row: JournalLineRow, ordinal: number): StoredLine {
  return {
    ordinal,
    account: accountFrom(row),
    debitMinor: BigInt(row.debit),
    creditMinor: BigInt(row.credit),
  }
}

/**
 * Decides whether the oldest journal without a seal was posted more than 30 seconds ago. A working sealer
 * seals journals sooner.
 */
export async function isSealBehind(on: Queryable): Promise<boolean> {
  const row = await one(
    on,
    named(
      'is-seal-behind',
      sql`select 1 as found from (select journal_id from journal_unsealed order by journal_id limit 1) oldest
          join journal on journal.id = oldest.journal_id
          where journal.posted_at < coffer_now() - interval '30 seconds'`,
    ),
  )
  return row !== undefined
}
