import sql from 'sql-template-tag'
import { limits } from '../../core/limits.ts'
import { piecesOf } from '../../core/pieces.ts'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Loss } from '../../platform/incarnation/loss.ts'
import { isLossy } from './fence-store.ts'
import type { LostRecord } from './lost-record.ts'

/** Processes tell the start of the lost time apart by less than this, which the window of a recovery has room for. */
const witnessesApartS = 30

/**
 * Opens the recovery of each family that addresses were ever derived for, and of those that the caller knows: the database may
 * have lost the first of a family. One that is there is opened again only where more
 * time was lost than it was told.
 * @param families those of the networks that this process knows
 * @param since when the oldest of what is gone was committed, as far as the caller knows
 */
export async function openRecoveries(
  on: Queryable,
  { incarnation }: Pick<Loss, 'incarnation'>,
  { families, since }: { readonly families: readonly string[]; readonly since: Date },
): Promise<void> {
  await on.query(sql`
    insert into loss_recovery as recovery (incarnation, family, since, until)
    select ${incarnation}::bigint, family, least(${since}::timestamptz, now()), now()
    from (select family from address_branch union select unnest(${[...families]}::text[])) derived (family)
    on conflict (incarnation, family) do update
      set since = excluded.since, ended_at = null, added_count = null
      where excluded.since < recovery.since - ${witnessesApartS} * interval '1 second'`)
}

/** A heartbeat follows the last one after at most so long, on a machine that is not overloaded. */
const beatApartS = 3
/** The oldest heartbeat of some that are known to be lost. */
const lostSince = sql`
  min(lost_beat.last_seen_at - (beat - coalesce(surviving_beat, 0)) * ${beatApartS} * interval '1 second')`

/**
 * When the oldest heartbeat that is known to be lost was made: each process counts its own, and its row says which one was left.
 * Undefined where none is known to be lost.
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
 * Opens the recoveries that nobody opened: the process that noticed a loss died before it could, or a family is used for the
 * first time, or again, after one. Its blocks would wait for ever. The lost time ended when the loss was recorded, since
 * no branch of addresses was opened from then on.
 * @returns how many
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

/** A time in which addresses of a family may have been given away. */
export interface OpenRecovery {
  readonly incarnation: number
  readonly family: string
  readonly since: Date
  readonly until: Date
}

/** What is still to be derived again, the oldest first. */
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
    update loss_recovery set ended_at = now(), added_count = ${added}
    where incarnation = ${incarnation} and family = ${family} and ended_at is null`)
}

/** Says that a process is comparing what it remembers, so that blocks wait for it; to be said again while it does. */
export async function beatPutBack(on: Queryable, incarnation: number, processId: string): Promise<void> {
  await on.query(sql`
    insert into loss_put_back (incarnation, process_id) values (${incarnation}, ${processId})
    on conflict (incarnation, process_id) do update set beat_at = now()`)
}

export async function endPutBack(on: Queryable, incarnation: number, processId: string): Promise<void> {
  await on.query(sql`
    update loss_put_back set ended_at = now()
    where incarnation = ${incarnation} and process_id = ${processId} and ended_at is null`)
}

/** Names what was lost. What has its name already keeps it: processes that remember the same thing name it once. */
export async function insertLostRecords(
  on: Queryable,
  incarnation: number,
  records: readonly LostRecord[],
): Promise<void> {
  for (const piece of piecesOf(records, limits.rowsPerStatement)) {
    const column = <T>(read: (record: LostRecord) => T) => piece.map(read)
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

/** Whether some process put an invoice back after this loss. */
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

/** Everything that was named, the oldest loss first. */
export function listLostRecords(
  on: Queryable,
): Promise<readonly (LostRecord & { readonly incarnation: number })[]> {
  return on.query(sql`
    select incarnation, kind, id, merchant_id as "merchantId", committed_at as "committedAt", outcome, detail
    from lost_record order by incarnation, committed_at, kind, id`)
}
