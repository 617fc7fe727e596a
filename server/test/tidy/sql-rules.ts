/** Rules over statements: which tables a file may name. The table of owners is test/layers.ts. */
import ts from 'typescript'
import { capabilityAt, districts, ownsTables, statementExceptions } from '../layers.ts'
import {
  type Finding,
  findingAt,
  isTest,
  placeInSource,
  type Repository,
  type Rule,
  type Source,
  sourceRoot,
  walk,
} from './repository.ts'

export const sqlRules: readonly Rule[] = [
  { title: 'a statement names tables of its own district or of one below it', find: findStatementsUpwards },
  { title: 'every table has one owner', find: findTablesWithoutOwner },
]

const schemaPath = `${sourceRoot}platform/db/schema.sql`

const owners: ReadonlyMap<string, string> = new Map(
  Object.entries(ownsTables).flatMap(([capability, tables]) =>
    tables.map((table): [string, string] => [table, capability]),
  ),
)

function findStatementsUpwards({ sources }: Repository): Finding[] {
  return sources.flatMap((source) => {
    const place = placeInSource(source.path)
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
  const schema = files.find(({ path }) => path === schemaPath)?.text
  if (schema === undefined) return []
  const tables = new Set([...schema.matchAll(/^create table (\w+)/gm)].map(([, table]) => table ?? ''))
  const owned = Object.values(ownsTables).flat()
  const at = { path: schemaPath, line: 1 }
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

interface Statement {
  readonly node: ts.Node
  /** With a space for each value that is put in. */
  readonly text: string
}

/** Every template and string of a file that reads like SQL, whoever runs it. */
function statementsOf(source: Source): readonly Statement[] {
  const found: Statement[] = []
  walk(source.tree, (node) => {
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
