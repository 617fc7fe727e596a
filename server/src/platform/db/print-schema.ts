/**
 * Prints the schema as text for review, from PostgreSQL's catalogue. The folder `src/platform/db/schema/`
 * contains the output after all migrations, one file for each district. The output is the same on PostgreSQL
 * 15 to 18, and for any owner of the tables.
 */
import type { Queryable } from './pool.ts'

export interface PrintedSchema {
  /** The definition of each table, with indexes, triggers and comments, in the order of the tables' names. */
  readonly tables: ReadonlyMap<string, string>
  readonly functions: readonly string[]
}

/** Reads the connection's current schema. */
export async function readSchema(db: Queryable): Promise<PrintedSchema> {
  const columns = await readColumns(db)
  const constraints = await readLines(db, constraintsQuery)
  const options = await readLines(db, optionsQuery)
  const after = [
    await readLines(db, commentsQuery),
    await readLines(db, indexesQuery),
    await readLines(db, triggersQuery),
  ]
  const tables = [...columns].map(([table, own]): [string, string] => {
    const body = [...own, ...(constraints.get(table) ?? [])].map((line) => `  ${line}`).join(',\n')
    const storage = (options.get(table) ?? []).map((line) => ` with (${line})`).join('')
    const rest = after.flatMap((lines) => lines.get(table) ?? []).map((line) => `${line};\n`)
    return [table, `create table ${table} (\n${body}\n)${storage};\n${rest.join('')}`]
  })
  const functions = await readLines(db, functionsQuery)
  return {
    tables: new Map(tables),
    functions: [...functions.values()].flat().map((text) => `${text.trimEnd()};\n`),
  }
}

/** Returns the text of the connection's current schema. */
export async function printSchema(db: Queryable): Promise<string> {
  const { tables, functions } = await readSchema(db)
  return [...tables.values(), ...functions].join('\n')
}

type Lines = ReadonlyMap<string, readonly string[]>

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly fallback: string | null
  readonly identity: '' | 'a' | 'd'
  readonly generated: '' | 's' | 'v'
}

async function readColumns(db: Queryable): Promise<Lines> {
  const rows = await db.query<Column>({ text: columnsQuery, values: [] })
  return grouped(rows.map((column) => [column.table, printColumn(column)]))
}

function printColumn({ name, type, required, fallback, identity, generated }: Column): string {
  const parts = [name, type]
  if (required) parts.push('not null')
  if (generated !== '')
    parts.push(`generated always as (${fallback}) ${generated === 's' ? 'stored' : 'virtual'}`)
  else if (fallback !== null) parts.push(`default ${fallback}`)
  if (identity !== '') parts.push(`generated ${identity === 'a' ? 'always' : 'by default'} as identity`)
  return parts.join(' ')
}

async function readLines(db: Queryable, text: string): Promise<Lines> {
  const rows = await db.query<{ table: string; line: string }>({ text, values: [] })
  return grouped(rows.map(({ table, line }) => [table, line]))
}

function grouped(pairs: readonly (readonly [string, string])[]): Lines {
  const groups = new Map<string, string[]>()
  for (const [key, line] of pairs) groups.set(key, [...(groups.get(key) ?? []), line])
  return groups
}

// Names are sorted as bytes (collation "C"), so that the order does not depend on the database's collation.
const columnsQuery = `
  select quote_ident(class.relname) as table, quote_ident(col.attname) as name,
    format_type(col.atttypid, col.atttypmod) as type, col.attnotnull as required,
    pg_get_expr(def.adbin, def.adrelid) as fallback, col.attidentity as identity, col.attgenerated as generated
  from pg_class class
  join pg_attribute col on col.attrelid = class.oid and col.attnum > 0 and not col.attisdropped
  left join pg_attrdef def on def.adrelid = class.oid and def.adnum = col.attnum
  where class.relnamespace = current_schema()::regnamespace and class.relkind in ('r', 'p')
  order by class.relname collate "C", col.attnum`

const optionsQuery = `
  select quote_ident(relname) as table, array_to_string(reloptions, ', ') as line
  from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and reloptions is not null`

/** The comment on a table comes first, then the comments on its columns. */
const commentsQuery = `
  select quote_ident(class.relname) as table, format('comment on %s is %L',
    case when col.attname is null then format('table %I', class.relname)
      else format('column %I.%I', class.relname, col.attname) end, said.description) as line
  from pg_description said
  join pg_class class on class.oid = said.objoid and said.classoid = 'pg_class'::regclass and class.relkind in ('r', 'p')
  left join pg_attribute col on col.attrelid = class.oid and col.attnum = said.objsubid and said.objsubid > 0
  where class.relnamespace = current_schema()::regnamespace
  order by class.relname collate "C", said.objsubid`

// PostgreSQL 18 lists NOT NULL among the constraints ('n'); older versions have only a flag on the column.
// Constraint triggers ('t') are printed with the triggers.
const constraintsQuery = `
  select quote_ident(class.relname) as table,
    format('constraint %I %s', con.conname, pg_get_constraintdef(con.oid)) as line
  from pg_constraint con join pg_class class on class.oid = con.conrelid
  where con.connamespace = current_schema()::regnamespace and con.contype in ('p', 'u', 'c', 'f', 'x')
  order by class.relname collate "C", array_position('{p,u,x,f,c}', con.contype::text), con.conname collate "C"`

const indexesQuery = `
  select quote_ident(class.relname) as table, pg_get_indexdef(idx.indexrelid) as line
  from pg_index idx
  join pg_class class on class.oid = idx.indrelid
  join pg_class own on own.oid = idx.indexrelid
  where class.relnamespace = current_schema()::regnamespace
    and not exists (select from pg_constraint con where con.conindid = idx.indexrelid and con.contype in ('p', 'u', 'x'))
  order by class.relname collate "C", own.relname collate "C"`

const triggersQuery = `
  select quote_ident(class.relname) as table, pg_get_triggerdef(trig.oid) as line
  from pg_trigger trig join pg_class class on class.oid = trig.tgrelid
  where class.relnamespace = current_schema()::regnamespace and not trig.tgisinternal
  order by class.relname collate "C", trig.tgname collate "C"`

// Functions of an extension belong to the server, not to the schema.
const functionsQuery = `
  select proname as table, pg_get_functiondef(oid) as line
  from pg_proc where pronamespace = current_schema()::regnamespace and prokind in ('f', 'p')
    and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')
  order by proname collate "C", pg_get_function_identity_arguments(oid) collate "C"`
