/** Rules about SQL statements: which tables a file may name. The table of owners is test/layers.ts. */
import ts from 'typescript'
import { capabilityAt, districts, ownsTables, statementExceptions } from '../layers.ts'
import {
  type Finding,
  findingAt,
  isTest,
  type Repository,
  type Rule,
  type Source,
  sourcePathOf,
  sourceRoot,
  type TextFile,
  visitAll,
} from './repository.ts'

export const sqlRules: readonly Rule[] = [
  { title: 'a statement names tables of its own district or of one below it', find: findStatementsUpwards },
  { title: 'every table has one owner', find: findTablesWithoutOwner },
  { title: 'statements read the time from coffer_now and coffer_clock', find: findOtherTimes },
  { title: 'statements draw no chance', find: findDrawnChance },
  { title: 'a statement that takes some of many rows has an order', find: findUnordered },
]

const schemaRoot = `${sourceRoot}platform/db/schema/`

const owners: ReadonlyMap<string, string> = new Map(
  Object.entries(ownsTables).flatMap(([capability, tables]) =>
    tables.map((table): [string, string] => [table, capability]),
  ),
)

function findStatementsUpwards({ sources }: Repository): Finding[] {
  return sources.flatMap((source) => {
    const place = sourcePathOf(source.path)
    if (place === undefined || isTest(source.path)) return []
    const district = districtOf(place)
    const excepted = statementExceptions.find(({ file }) => file === place)?.tables ?? []
    return statementsOf(source).flatMap(({ node, text }) =>
      tablesIn(text)
        .filter(
          (table) => !excepted.includes(table) && isAbove(districtOf(owners.get(table) ?? ''), district),
        )
        .map((table) =>
          findingAt(
            source,
            node,
            `${district}/ names the table ${table}, which ${owners.get(table)}/ owns`,
            'Move the statement to a capability at or above the owner, or the table to one below; never split a statement or its lock into a read and a write',
          ),
        ),
    )
  })
}

function findTablesWithoutOwner({ files }: Repository): Finding[] {
  const schema = files
    .filter(({ path }) => path.startsWith(schemaRoot))
    .map(({ text }) => text)
    .join('\n')
  if (schema === '') return []
  const tables = new Set([...schema.matchAll(/^create table (\w+)/gm)].map(([, table]) => table ?? ''))
  const owned = Object.values(ownsTables).flat()
  const at = { path: schemaRoot, line: 1 }
  const missing = [...tables].filter((table) => !owned.includes(table))
  const extra = owned.filter((table, index) => !tables.has(table) || owned.indexOf(table) !== index)
  const capabilities = Object.keys(ownsTables).filter((name) => capabilityAt(`${name}/store.ts`) !== name)
  return [
    ...missing.map((table) => ({
      ...at,
      what: `the table ${table} has no owner`,
      instead: 'Add it to ownsTables of server/test/layers.ts, at the capability whose statements write it',
    })),
    ...extra.map((table) => ({
      ...at,
      what: `the table ${table} is owned twice, or is not in the schema`,
      instead: 'Remove it from ownsTables of server/test/layers.ts',
    })),
    ...capabilities.map((name) => ({
      ...at,
      what: `${name}/ owns tables and is no capability`,
      instead: 'Name a capability of server/test/layers.ts',
    })),
  ]
}

const otherTime =
  /(?<![\w.])(?:pg_catalog\.)?(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\s*\(\s*\)|\b(?:current_(?:date|time|timestamp)|localtime(?:stamp)?)\b/i
const partOfStatement = /\b(?:select|update|insert|delete|where|set|case|interval)\b/i

/** Files that work on databases older than the time functions, or that name what the functions return. */
const timeExceptions: readonly string[] = [
  'platform/db/backup.ts',
  'platform/db/database-time.ts',
  'platform/db/migrate.ts',
  'platform/db/restore.ts',
]

/**
 * Matches the lines of the schema that define the time functions, and the table of migrations, which is older
 * than they are.
 */
const isTimeItself = (line: string) => /^ *(?:RETURN |applied_at )|^comment on /i.test(line)

function findOtherTimes({ sources, files }: Repository): Finding[] {
  const inCode = statementsIn(sources, timeExceptions)
    .filter(({ text }) => partOfStatement.test(text))
    .flatMap(({ source, node, text }) =>
      timesIn(text).map((name) => findingAt(source, node, readsTime(name), readsTimeInstead)),
    )
  const inSchema = schemaLines(files)
    .filter(({ text }) => !isTimeItself(text))
    .flatMap(({ path, line, text }) =>
      timesIn(text).map((name) => ({ path, line, what: readsTime(name), instead: readsTimeInstead })),
    )
  return [...inCode, ...inSchema]
}

const readsTimeInstead =
  'Call coffer_now(), or coffer_clock() where the time must go on within a transaction: a simulation sets both'

function readsTime(name: string): string {
  return `${name} is read and not the time of Coffer`
}

function timesIn(text: string): readonly string[] {
  const [name] = otherTime.exec(text) ?? []
  return name === undefined ? [] : [name]
}

const drawnChance =
  /(?<![\w.])(?:pg_catalog\.)?(?:random(?:_normal)?|gen_random_(?:uuid|bytes)|uuid(?:_generate_v[14]|v[47]))\s*\(|\btablesample\b/i

/**
 * Files that draw random values once, when a database begins another life, outside any run that a simulation
 * repeats. A restore gives the restored database another identity. Migrations are exempt for the same reason:
 * the first one draws the identity of a new database.
 */
const chanceExceptions: readonly string[] = ['platform/db/restore.ts']

function findDrawnChance({ sources, files }: Repository): Finding[] {
  const instead =
    'Draw in the process and pass the result: newId() for an id, inRandomOrder of oversight/verify for a sample'
  const what = (text: string) => `${drawnChance.exec(text)?.[0]} draws in the database`
  const inCode = statementsIn(sources, chanceExceptions)
    .filter(({ text }) => drawnChance.test(text))
    .map(({ source, node, text }) => findingAt(source, node, what(text), instead))
  const inSchema = schemaLines(files)
    .filter(({ text }) => drawnChance.test(text))
    .map(({ path, line, text }) => ({ path, line, what: what(text), instead }))
  return [...inCode, ...inSchema]
}

/**
 * Matches a limit above 1, with which a statement takes some rows of many. Also matches clauses that lock the
 * rows of a select, which are locked one after the other.
 */
const takesSome = /(?<![\w.-])limit\s+(?!1\b)|\bskip locked\b|\bfor (?:no key )?(?:update|share)\b/gi

interface OrderException {
  readonly file: string
  /** A part of the text of a select that needs no order. */
  readonly mentions: string
  readonly reason: string
}

const orderExceptions: readonly OrderException[] = [
  {
    file: 'payments/invoices/addresses/address-store.ts',
    mentions: 'index =',
    reason: 'the key selects one row',
  },
  {
    file: 'payments/invoices/lists/list-store.ts',
    mentions: 'from invoice_text',
    reason: 'as many rows as the limit mean that a search finds too much; the rows are not used then',
  },
  {
    file: 'platform/db/aggregate.ts',
    mentions: 'ctid',
    reason: 'sums do not depend on which changes are added first',
  },
  {
    file: 'webhooks/claim-store.ts',
    mentions: 'in_flight.deliveries',
    reason: 'the recursion yields merchants in order; a sort would look at every merchant first',
  },
]

function findUnordered({ sources }: Repository): Finding[] {
  return statementsIn(sources, []).flatMap(({ source, node, text }) =>
    [...text.matchAll(takesSome)].flatMap((match) => {
      const [taken] = match
      const select = selectBefore(text, match.index)
      if (isOrdered(select, taken) || isOrderException(source, select)) return []
      const what = `"${taken.trim()}" without an order: which rows, or which first, depends on their places in the table`
      const instead = 'End the select with an order that ends in a unique key'
      return [findingAt(source, node, what, instead)]
    }),
  )
}

/**
 * Returns the text before a position within the same parentheses, without the contents of inner parentheses.
 */
function selectBefore(text: string, place: number): string {
  let depth = 0
  let own = ''
  for (const letter of [...text.slice(0, place)].toReversed()) {
    if (letter === ')') depth += 1
    else if (letter === '(' && depth > 0) depth -= 1
    else if (letter === '(') break
    else if (depth === 0) own = letter + own
  }
  return own
}

/**
 * Decides whether a select is ordered. A select without columns only counts or finds rows, so it needs no
 * order unless it locks.
 */
function isOrdered(select: string, taken: string): boolean {
  if (!/\bselect\b/i.test(select) || /\border by\b/i.test(select)) return true
  if (/^limit/i.test(taken)) return /\bselect\s+from\b/i.test(select)
  return !/^skip/i.test(taken) && !/= ?any\b/i.test(select)
}

function isOrderException(source: Source, select: string): boolean {
  return orderExceptions.some(
    ({ file, mentions }) => sourcePathOf(source.path) === file && select.includes(mentions),
  )
}

/** Returns the statements of shipped code, except of these files. */
function statementsIn(
  sources: readonly Source[],
  excepted: readonly string[],
): readonly (Statement & { readonly source: Source })[] {
  return sources.flatMap((source) => {
    const place = sourcePathOf(source.path)
    if (place === undefined || isTest(source.path) || excepted.includes(place)) return []
    return statementsOf(source).map((statement) => ({ source, ...statement }))
  })
}

function schemaLines(files: readonly TextFile[]) {
  return files
    .filter(({ path }) => path.startsWith(schemaRoot))
    .flatMap(({ path, text }) =>
      text.split('\n').map((line, index) => ({ path, line: index + 1, text: line })),
    )
}

interface Statement {
  readonly node: ts.Node
  /** Each interpolated value is replaced by a space. */
  readonly text: string
}

/** Returns every template and string of a file that reads like SQL. */
function statementsOf(source: Source): readonly Statement[] {
  const found: Statement[] = []
  visitAll(source.tree, (node) => {
    const text = textOf(node)
    if (text !== undefined) found.push({ node, text: text.replace(/--.*$/gm, '') })
  })
  return found
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(' ')
}

const tableMention = /\b(?:from|join|update|into|lock table|truncate(?: table)?)\s+(?:only\s+)?"?(\w+)"?/gi

function tablesIn(text: string): readonly string[] {
  const named = [...text.matchAll(tableMention)].map(([, table]) => table ?? '')
  return [...new Set(named)].filter((name) => owners.has(name))
}

function districtOf(place: string): string {
  return place.split('/', 1)[0] ?? ''
}

function isAbove(owner: string, district: string): boolean {
  return districts.indexOf(owner) > districts.indexOf(district)
}
