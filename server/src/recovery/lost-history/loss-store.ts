/**
 * The SQL of recoveries after a loss of history. Stores the lost periods, the processes that are still
 * comparing their memory with the database, and a record of each lost fact.
 */
import sql from 'sql-template-tag'
import { chunksOf } from '../../core/chunks.ts'
import { limits } from '../../core/limits.ts'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Loss } from '../../platform/incarnation/loss.ts'
import { isLossy } from './fence-store.ts'
import type { LostRecord } from './lost-record.ts'

/**
 * Processes report different times for the start of the same lost period. The times differ by less than this
 * many seconds. A recovery is not reopened for so small a difference, because every recovery also covers some
 * time before the reported start.
 */
const witnessesApartS = 30

/**
 * Opens a recovery for every address family for which the database has a derivation branch. Also opens one
 * for each of `families`, because the database may have lost the first addresses of a family. Reopens an
 * existing recovery only if the lost period began earlier than the recovery says.
 * @param families the address families of the networks that this process knows
 * @param since the time when the oldest lost fact was committed, as far as the caller knows
 */
export async function openRecoveries(
  on: Queryable,
  { incarnation }: Pick<Loss, 'incarnation'>,
  { families, since }: { readonly families: readonly string[]; readonly since: Date },
): Promise<void> {
  await on.query(sql`
    insert into loss_recovery as recovery (incarnation, family, since, until)
    select ${incarnation}::bigint, family, least(${since}::timestamptz, coffer_now()), coffer_now()
    from (select family from address_branch union select unnest(${[...families]}::text[])) derived (family)
    order by family
    on conflict (incarnation, family) do update
      set since = excluded.since, ended_at = null, added_count = null
      where excluded.since < recovery.since - ${witnessesApartS} * interval '1 second'`)
}

/** Maximum number of seconds between two heartbeats on a host that is not overloaded. */
const beatApartS = 3
/**
 * SQL: the earliest time at which the lost history can begin. It is the time of a process's last lost
 * heartbeat, minus `beatApartS` seconds for each heartbeat that the process lost.
 */
const lostSince = sql`
  min(lost_beat.last_seen_at - (beat - coalesce(surviving_beat, 0)) * ${beatApartS} * interval '1 second')`

/**
 * Returns the earliest time at which the lost history can begin. Returns undefined if no heartbeat is known
 * to be lost. Processes number their heartbeats, so the number in the database shows which heartbeats are
 * lost.
 */
export async function readLostSince(on: Queryable, incarnation: number): Promise<Date | undefined> {
  const row = await one<{ since: Date | null }>(
    on,
    sql`
    select ${lostSince} as since
    from lost_beat where incarnation = ${incarnation}`,
  )
  return row?.since ?? undefined
}

/**
 * Opens the recoveries that no process has opened. Without them, the blocks of their address families would
 * never be booked. A recovery is missing if the process that noticed the loss died, or if the family was not
 * in use at that time. The lost period ends at the time when the loss was recorded, because no derivation
 * branch that was opened later can be lost.
 * @returns the number of recoveries that were opened
 */
export async function openMissingRecoveries(on: Queryable, families: readonly string[]): Promise<number> {
  const opened = await on.query(sql`
    insert into loss_recovery (incarnation, family, since, until)
    select number, family,
      least(began_at, last_seen_at, (select ${lostSince} from lost_beat where lost_beat.incarnation = number)), began_at
    from incarnation cross join unnest(${[...families]}::text[]) used (family)
    where ${isLossy} and not exists (
      select from loss_recovery opened where opened.incarnation = number and opened.family = used.family)
    on conflict do nothing
    returning 1`)
  return opened.length
}

/** A period of lost history: addresses of the family that were given out in this period may be lost. */
export interface OpenRecovery {
  readonly incarnation: number
  readonly family: string
  readonly since: Date
  readonly until: Date
}

/** Returns the recoveries whose addresses must still be derived again, oldest first. */
export function readOpenRecoveries(on: Queryable): Promise<readonly OpenRecovery[]> {
  return on.query<OpenRecovery>(sql`
    select incarnation, family, since, until from loss_recovery
    where ended_at is null order by incarnation, family`)
}

export async function endRecovery(
  on: Queryable,
  { incarnation, family }: OpenRecovery,
  added: number,
): Promise<void> {
  await on.query(sql`
    update loss_recovery set ended_at = coffer_now(), added_count = ${added}
    where incarnation = ${incarnation} and family = ${family} and ended_at is null`)
}

/**
 * Records that a process is comparing its memory with the database, so that no block is booked meanwhile. The
 * process must repeat this call until the comparison ends.
 */
export async function beatPutBack(on: Queryable, incarnation: number, processId: string): Promise<void> {
  await on.query(sql`
    insert into loss_put_back (incarnation, process_id) values (${incarnation}, ${processId})
    on conflict (incarnation, process_id) do update set beat_at = coffer_now()`)
}

export async function endPutBack(on: Queryable, incarnation: number, processId: string): Promise<void> {
  await on.query(sql`
    update loss_put_back set ended_at = coffer_now()
    where incarnation = ${incarnation} and process_id = ${processId} and ended_at is null`)
}

/**
 * Stores records of lost facts. Existing records are not changed, so a fact that several processes remember
 * is recorded once.
 */
export async function insertLostRecords(
  on: Queryable,
  incarnation: number,
  records: readonly LostRecord[],
): Promise<void> {
  for (const chunk of chunksOf(records, limits.rowsPerStatement)) {
    const column = <T>(read: (record: LostRecord) => T) => chunk.map(read)
    await on.query(sql`
      insert into lost_record (incarnation, kind, id, merchant_id, committed_at, outcome, detail)
      select ${incarnation}, kind, id, merchant_id, committed_at, outcome, detail
      from unnest(
        ${column(({ kind }) => kind)}::text[], ${column(({ id }) => id)}::text[],
        ${column(({ merchantId }) => merchantId ?? null)}::uuid[],
        ${column(({ committedAt }) => committedAt)}::timestamptz[],
        ${column(({ outcome }) => outcome)}::text[], ${column(({ detail }) => detail)}::text[]
      ) as lost (kind, id, merchant_id, committed_at, outcome, detail)
      on conflict do nothing`)
  }
}

/** Returns true if any process restored the invoice after this loss. */
export async function isInvoicePutBack(
  on: Queryable,
  incarnation: number,
  invoiceId: string,
): Promise<boolean> {
  const rows = await on.query(sql`
    select from lost_record
    where incarnation = ${incarnation} and kind = 'invoice' and id = ${invoiceId} and outcome = 'put-back'`)
  return rows.length === 1
}

/** Returns all records of lost facts, oldest loss first. */
export function listLostRecords(
  on: Queryable,
): Promise<readonly (LostRecord & { readonly incarnation: number })[]> {
  return on.query(sql`
    select incarnation, kind, id, merchant_id as "merchantId", committed_at as "committedAt", outcome, detail
    from lost_record order by incarnation, committed_at, kind, id`)
}
