/**
 * Divides tables into stretches, that is, ranges of ids. If several tables are divided at the same ids, a
 * query over these tables can read one stretch alone. Deposits, for example, are divided together with the
 * journals and events whose subjects contain the deposits' ids.
 */
import sql, { join, raw, type Sql } from 'sql-template-tag'
import { firstId } from '../../core/ids.ts'
import { one, type Queryable } from '../../platform/db/pool.ts'

/** A range of ids from `from` (included) to `to` (excluded). If `to` is undefined, the range has no end. */
export interface Stretch {
  readonly from: string
  readonly to: string | undefined
}

interface Cut {
  /**
   * The column that contains the ids. Undefined if the ids are parts of the texts in the column `subject`, as
   * for journals and events.
   */
  readonly column?: { readonly name: string; readonly type: 'uuid' | 'bigint' }
  /**
   * For a table with subjects of the form `<word>:<id>` or `<word>:<id>:...`: the possible values of
   * `<word>`.
   */
  readonly subjects?: readonly string[]
}

export interface KeySpace {
  /** The table whose ids define the ranges. */
  readonly table: string
  readonly key: string
  readonly type: 'uuid' | 'bigint'
  /**
   * Whether one id may have a very large number of rows in the divided tables. PostgreSQL then makes no copy
   * of these rows before reading them.
   */
  readonly isOfAnySize?: boolean
  /** The tables that are divided at these ids, and where each of them contains the ids. */
  readonly cuts: Readonly<Record<string, Cut>>
}

const uuid = (name: string): Cut => ({ column: { name, type: 'uuid' } })
const depositSubjects = ['deposit', 'below', 'raised', 'quarantine', 'attributed']
const eventsOf = (about: string, changes: readonly string[]): Cut => ({
  subjects: changes.map((change) => `${about}.${change}`),
})

export const keySpaces = {
  deposits: {
    table: 'deposit',
    key: 'id',
    type: 'uuid',
    cuts: {
      deposit: uuid('id'),
      journal: { subjects: [...depositSubjects, ...depositSubjects.map((word) => `reversed:${word}`)] },
      event: eventsOf('transaction', ['detected', 'confirmed', 'reverted', 'failed', 'quarantined']),
    },
  },
  invoices: {
    table: 'invoice',
    key: 'id',
    type: 'uuid',
    cuts: {
      invoice: uuid('id'),
      full_payment: uuid('invoice_id'),
      event: eventsOf('invoice', ['paid', 'underpaid', 'expired', 'reverted']),
    },
  },
  withdrawals: {
    table: 'withdrawal',
    key: 'id',
    type: 'uuid',
    cuts: {
      withdrawal: uuid('id'),
      journal: { subjects: ['withdrawal'] },
      event: eventsOf('withdrawal', ['broadcast', 'completed', 'failed', 'cancelled']),
    },
  },
  sweeps: {
    table: 'merchant_sweep',
    key: 'id',
    type: 'uuid',
    cuts: { merchant_sweep: uuid('id'), event: eventsOf('collection', ['completed']) },
  },
  merchants: {
    table: 'merchant',
    key: 'id',
    type: 'uuid',
    isOfAnySize: true,
    cuts: Object.fromEntries(
      [
        'invoice',
        'invoice_facet_count',
        'invoice_range_count',
        'invoice_outcome_count',
        'invoice_count_change',
        'deposit',
        'deposit_count',
        'deposit_count_change',
        'payment_day_sum',
        'payment_day_change',
        'event',
        'event_counter',
        'event_gap',
      ].map((table) => [table, uuid('merchant_id')]),
    ),
  },
  journals: {
    table: 'journal',
    key: 'id',
    type: 'uuid',
    cuts: { journal: uuid('id'), journal_line: uuid('journal_id') },
  },
  events: { table: 'event', key: 'id', type: 'uuid', cuts: { event: uuid('id') } },
  quotes: { table: 'quote', key: 'id', type: 'uuid', cuts: { quote: uuid('id') } },
  deliveries: {
    table: 'delivery',
    key: 'id',
    type: 'uuid',
    cuts: { delivery: uuid('id'), delivery_attempt: uuid('delivery_id') },
  },
} as const satisfies Record<string, KeySpace>

export type KeySpaceName = keyof typeof keySpaces

/** Returns the first and the last id of a table; undefined if the table is empty. */
export async function readEnds(
  on: Queryable,
  table: string,
): Promise<{ readonly first: string; readonly last: string } | undefined> {
  const from = raw(`public.${table}`)
  return one<{ first: string; last: string }>(
    on,
    sql`select least.id::text as first, most.id::text as last
        from (select id from ${from} order by id limit 1) least, (select id from ${from} order by id desc limit 1) most`,
  )
}

/**
 * Returns the id that follows `rows` rows after `from`, where the next range begins; undefined if no row
 * follows.
 */
export async function findEnd(
  on: Queryable,
  { table, key, type }: KeySpace,
  from: string | undefined,
  rows: number,
): Promise<string | undefined> {
  const row = await one<{ next: string }>(
    on,
    sql`select ${raw(key)}::text as next from ${raw(`public.${table}`)}
        where ${raw(key)} >= ${from ?? firstKeys[type]}::${raw(type)} order by ${raw(key)} offset ${rows} limit 1`,
  )
  return row?.next
}

const firstKeys = { uuid: firstId, bigint: '0' } as const

/**
 * A list of ids, such as deposit ids, to which a check is limited. For each table that contains these ids
 * only in its subjects, `rowIds` has the ids of the table's rows whose `subject` contains one of them.
 */
export interface Listed {
  readonly ids: readonly string[]
  readonly rowIds: ReadonlyMap<string, readonly string[]>
}

/**
 * Finds the rows whose subjects contain one of the given ids. This is a separate query, because PostgreSQL
 * cannot estimate how few rows are between two subjects. In a join, PostgreSQL would read whole tables.
 */
export async function listRows(
  on: Queryable,
  { cuts }: KeySpace,
  tables: readonly string[],
  ids: readonly string[],
): Promise<Listed> {
  const rowIds = new Map<string, readonly string[]>()
  for (const table of tables) {
    const { subjects = [] } = cuts[table] ?? {}
    if (subjects.length === 0) continue
    const lows = subjects.flatMap((word) => ids.map((one) => `${word}:${one}`))
    const highs = subjects.flatMap((word) => ids.map((one) => `${word}:${idAfter(one)}`))
    const rows = await on.query<{ id: string }>(sql`
      select rows.id from unnest(${lows}::text[], ${highs}::text[]) as cut (low, high)
      join ${raw(`public.${table}`)} rows on rows.subject >= cut.low and rows.subject < cut.high`)
    rowIds.set(
      table,
      rows.map(({ id }) => id),
    )
  }
  return { ids, rowIds }
}

/**
 * Returns queries for a `with` clause. Each query has the name of a table and selects only those rows of the
 * table that belong to a stretch or to a list of ids. The statement after the clause sees only these rows. A
 * statement that needs a whole table must name the schema too.
 */
export function cutTables(
  { cuts, type, isOfAnySize = false }: KeySpace,
  tables: readonly string[],
  which: Stretch | Listed,
): Sql {
  // By default, PostgreSQL first makes a copy, with all columns, of a query that is referenced twice.
  const as = isOfAnySize ? sql`as not materialized` : sql`as`
  return join(
    tables.map((table) => {
      const { column, subjects = [] } = cuts[table] ?? {}
      const rows =
        'from' in which ? inStretch(which, type, { column, subjects }) : [ofIds(which, table, column)]
      return sql`${raw(table)} ${as} (${join(
        rows.map((where) => sql`select rows.* from ${raw(`public.${table}`)} rows ${where}`),
        ' union all ',
      )})`
    }),
  )
}

interface OpenCut {
  readonly column: Cut['column'] | undefined
  readonly subjects: readonly string[]
}

/** A value that is higher than every id, and a character that sorts after every digit of an id. */
const lastKeys = { uuid: 'ffffffff-ffff-ffff-ffff-ffffffffffff', bigint: '9223372036854775807' } as const
const aboveDigits = 'g'

function inStretch(
  { from, to }: Stretch,
  keyType: KeySpace['type'],
  { column, subjects }: OpenCut,
): readonly Sql[] {
  // The comparison of subjects gives the same result under every collation, because all ids have the same
  // form and differ only in hex digits.
  if (column === undefined)
    return subjects.map((word) => {
      const end = `${word}:${to ?? aboveDigits}`
      return sql`where subject >= ${`${word}:${from}`} and subject < ${end}`
    })
  const name = raw(column.name)
  const type = raw(column.type)
  const below = to === undefined ? sql`<=` : sql`<`
  // The bounds are sub-selects, so that PostgreSQL does not know their values. It then estimates that 0.5 %
  // of the rows are between them. For two literal ids it would estimate a single row, because it cannot
  // compute the distance between ids, and would choose a plan for a single row.
  return [
    sql`where ${name} >= (select ${from || firstKeys[keyType]}::${type})
        and ${name} ${below} (select ${to ?? lastKeys[keyType]}::${type})`,
  ]
}

function ofIds({ ids, rowIds }: Listed, table: string, column: Cut['column']): Sql {
  if (column !== undefined) return sql`where ${raw(column.name)} = any (${[...ids]}::${raw(column.type)}[])`
  return sql`where id = any (${[...(rowIds.get(table) ?? [])]}::uuid[])`
}

const id = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** Returns a regular expression that matches the subjects with an id of this key space. */
export function subjectPattern({ cuts }: KeySpace, table: string): string {
  const { subjects = [] } = cuts[table] ?? {}
  return `^(${subjects.map((word) => word.replaceAll('.', '[.]')).join('|')}):${id}(:|$)`
}

/** Returns the next possible id. */
function idAfter(one: string): string {
  const next = BigInt(`0x${one.replaceAll('-', '')}`) + 1n
  const hex = next.toString(16).padStart(32, '0')
  if (hex.length > 32) return aboveDigits
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
