/**
 * Stretches of ids. A query that compares tables can be asked about a stretch alone where all of them are cut at the same ids:
 * those of transactions, say, together with the journals and events whose subjects name them.
 */
import sql, { join, raw, type Sql } from 'sql-template-tag'
import { firstId } from '../../core/ids.ts'
import { one, type Queryable } from '../../platform/db/pool.ts'

/** Ids from the first one on, and up to the second one without it; without an end where that is undefined. */
export interface Stretch {
  readonly from: string
  readonly to: string | undefined
}

interface Cut {
  /** Of a table with a column of ids. */
  readonly column?: { readonly name: string; readonly type: 'uuid' | 'bigint' }
  /** Of a table with subjects: `<word>:<id>`, then whatever. */
  readonly subjects?: readonly string[]
}

export interface KeySpace {
  /** Whose ids are cut. */
  readonly table: string
  readonly key: string
  readonly type: 'uuid' | 'bigint'
  /** Whether one id may have any number of rows in the tables that are cut: such a stretch is not copied before it is read. */
  readonly isOfAnySize?: boolean
  /** Which tables are cut by them, and how. */
  readonly cuts: Readonly<Record<string, Cut>>
}

const uuid = (name: string): Cut => ({ column: { name, type: 'uuid' } })
const depositSubjects = ['deposit', 'below', 'raised', 'quarantine', 'attributed']
const eventsOf = (about: string, changes: readonly string[]): Cut => ({
  subjects: changes.map((change) => `${about}.${change}`),
})

export const keySpaces = {
  transactions: {
    table: 'transaction',
    key: 'id',
    type: 'uuid',
    cuts: {
      transaction: uuid('id'),
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
  collections: {
    table: 'collection',
    key: 'id',
    type: 'uuid',
    cuts: { collection: uuid('id'), event: eventsOf('collection', ['completed']) },
  },
  merchants: {
    table: 'merchant',
    key: 'id',
    type: 'uuid',
    isOfAnySize: true,
    cuts: Object.fromEntries(
      [
        'invoice',
        'invoice_cell_count',
        'invoice_range_count',
        'invoice_outcome_count',
        'invoice_count_change',
        'transaction',
        'transaction_count',
        'transaction_count_change',
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

/** The first and the last id of a table; undefined where it is empty. */
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

/** Where the next stretch begins, so many rows further on; undefined where this one has no end. */
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

/** Some ids of a key space, and those of the rows whose subjects name them, by their table. */
export interface Listed {
  readonly ids: readonly string[]
  readonly rowIds: ReadonlyMap<string, readonly string[]>
}

/**
 * Finds the rows whose subjects name some ids. It is asked first and alone: PostgreSQL cannot tell how few rows there are between two
 * subjects, and would read whole tables to join them with these.
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
 * Queries of a `with` under the names of tables, each of which holds its rows of a stretch, or of a list of ids, alone. What follows
 * such a `with` is about these; a table that is to be seen whole is named with its schema.
 */
export function cutTables(
  { cuts, type, isOfAnySize = false }: KeySpace,
  tables: readonly string[],
  which: Stretch | Listed,
): Sql {
  // What is named twice PostgreSQL would copy first, with all its columns.
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

/** Above every id, and above every digit of one. */
const lastKeys = { uuid: 'ffffffff-ffff-ffff-ffff-ffffffffffff', bigint: '9223372036854775807' } as const
const aboveDigits = 'g'

function inStretch(
  { from, to }: Stretch,
  keyType: KeySpace['type'],
  { column, subjects }: OpenCut,
): readonly Sql[] {
  // Whatever the collation is: ids are of one form, in which all differ from each other in a digit.
  if (column === undefined)
    return subjects.map((word) => {
      const end = `${word}:${to ?? aboveDigits}`
      return sql`where subject >= ${`${word}:${from}`} and subject < ${end}`
    })
  const name = raw(column.name)
  const type = raw(column.type)
  const below = to === undefined ? sql`<=` : sql`<`
  // By sub-selects, which PostgreSQL takes for half a percent of the rows. Of ids it knows no distances, so that it would take what
  // lies between two of them for a single row.
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

/** What subjects look like that name an id of this key space, as a regular expression. */
export function subjectPattern({ cuts }: KeySpace, table: string): string {
  const { subjects = [] } = cuts[table] ?? {}
  return `^(${subjects.map((word) => word.replaceAll('.', '[.]')).join('|')}):${id}(:|$)`
}

/** The next id that there could be. */
function idAfter(one: string): string {
  const next = BigInt(`0x${one.replaceAll('-', '')}`) + 1n
  const hex = next.toString(16).padStart(32, '0')
  if (hex.length > 32) return aboveDigits
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
