/**
 * The texts of journals over which seals and MACs are made, put together by PostgreSQL, which takes a fifth of the time. Nothing
 * hangs on their being the same as ours: a hash or a MAC over another text does not fit, and then ours decides.
 */
import sql, { type Sql } from 'sql-template-tag'
import { required } from '../../../core/assert.ts'
import { genesisHash } from '../../../ledger/seal.ts'
import { one, type Queryable } from '../../../platform/db/pool.ts'

const quoted = (text: Sql) => sql`to_json(${text})::text`
const uuidOrNull = (id: Sql) => sql`coalesce('"' || ${id} || '"', 'null')`

/** An array for each line of `journal`, as a query of one text. @param place what comes before the name of the account */
function lineTexts(place: Sql): Sql {
  return sql`
    select coalesce(string_agg('[' || ${place} || ${quoted(sql`account.name`)} || ','
      || ${uuidOrNull(sql`account.owner_id`)} || ',' || ${quoted(sql`account.asset`)} || ',"'
      || line.debit || '","' || line.credit || '"]', ',' order by line.place), '')
    from journal_line line join ledger_account account on account.id = line.account_id
    where line.journal_id = journal.id`
}

/** As `canonicalText` (ledger/seal.ts) has it. */
const sealedText = sql`
  '["' || sequence || '","' || journal.id || '",' || ${quoted(sql`kind`)} || ',' || ${quoted(sql`subject`)} || ','
  || ${uuidOrNull(sql`reverses`)} || ',"' || to_char(posted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '",'
  || ${quoted(sql`mac`)} || ',[' || (${lineTexts(sql`'"' || line.place || '",'`)}) || ']]'`

/** Of the places in history from one to another: how many have a seal, and of how many the seal fits its journal and the seal before. */
export async function countFitting(
  on: Queryable,
  from: number,
  upTo: number,
): Promise<{ readonly seals: number; readonly fitting: number }> {
  const counted = await one<{ seals: number; fitting: number }>(
    on,
    sql`
    with seal as (
      select sequence, journal_id, hash, lag(hash) over chain as hash_before, lag(sequence) over chain as sequence_before
      from journal_seal where sequence between ${from - 1} and ${upTo}
      window chain as (order by sequence)
    )
    select count(*) as seals, count(*) filter (where hash = sha256(
      case when sequence = 1 then ${genesisHash}::bytea when sequence_before = sequence - 1 then hash_before end
      || convert_to(${sealedText}, 'UTF8'))) as fitting
    from seal left join journal on journal.id = journal_id
    where sequence >= ${from}`,
  )
  return required(counted, 'a count')
}

interface MacText {
  readonly id: string
  readonly mac: string
  readonly text: string
}

/** The next journals after an id with the texts of their MACs, as `macText` (ledger/journal-mac.ts) has them. */
export function readMacTexts(on: Queryable, after: string, rowsMax: number): Promise<readonly MacText[]> {
  return on.query<MacText>(sql`
    select id, mac, '["coffer/journal/1","' || id || '",' || ${quoted(sql`kind`)} || ',' || ${quoted(sql`subject`)} || ','
      || ${uuidOrNull(sql`reverses`)} || ',[' || (${lineTexts(sql`''`)}) || ']]' as text
    from journal where id > ${after} order by id limit ${rowsMax}`)
}
