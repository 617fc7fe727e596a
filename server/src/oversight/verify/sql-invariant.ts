/** Builds invariants from SQL queries, over whole tables or over stretches, that is, ranges of ids. */
import sql, { join, raw, type Sql } from 'sql-template-tag'
import { required } from '../../core/assert.ts'
import { firstId } from '../../core/ids.ts'
import { one, type Queryable, type Statement } from '../../platform/db/pool.ts'
import {
  balanceDecimals,
  type PaymentMethods,
  payerStepMinor,
} from '../../pricing/payment-methods/payment-method.ts'
import { summedLines } from './books/summed-lines.ts'
import { findingsMax, type Invariant, type Part, type Since } from './invariant.ts'
import { inOneScan, inParts } from './scan.ts'
import {
  cutTables,
  findEnd,
  type KeySpace,
  type KeySpaceName,
  keySpaces,
  type Listed,
  listRows,
  type Stretch,
  subjectPattern,
} from './stretch.ts'

type Fragment = Sql

interface SqlInvariant {
  readonly id: string
  readonly title: string
  readonly unit: string
  /** A query of one row with one column `examined`, the number of rows or other things that were checked. */
  readonly examined: Statement
  /** Returns a query with a column `finding`, one row for each violation. */
  violations(methods: PaymentMethods): Fragment
}

/** Returns an invariant of two queries, which read whole tables in one snapshot. */
export function sqlInvariant({ id, title, unit, examined, violations }: SqlInvariant): Invariant {
  const check: Invariant['check'] = async ({ on, methods }) => ({
    examined: await count(on, examined),
    findings: await findViolations(on, sql``, violations(methods)),
  })
  return inOneScan({ id, title, unit, check })
}

/**
 * Returns an invariant of two queries, one of which needs the sums of each account's lines.
 * @param violations is called with a query of (account_id, debit, credit)
 */
export function summedInvariant({
  id,
  title,
  unit,
  examined,
  violations,
}: Omit<SqlInvariant, 'violations'> & { violations(summed: Fragment): Fragment }): Invariant {
  const check: Invariant['check'] = async ({ on, sums }) => ({
    examined: await count(on, examined),
    findings: await findViolations(on, sql``, violations(summedLines(sums))),
  })
  return inOneScan({ id, title, unit, check }, true)
}

export interface SqlPart {
  /**
   * The kind of ids by which the part is divided into stretches (ranges of ids). If undefined, one scan
   * covers the whole part.
   */
  readonly over?: KeySpaceName
  /**
   * The tables of which a scan reads only the rows of its stretch (range of ids). All rows of other tables
   * are read.
   */
  readonly tables?: readonly string[]
  /**
   * Whether the part mainly joins `tables`. PostgreSQL must then use hash joins. It may estimate that a range
   * of ids has a single row, and would otherwise compare each row of one table with each row of the other.
   */
  readonly joinsCuts?: boolean
  /**
   * A query about a stretch (range of ids), of one row with one column `examined`. If undefined, the part
   * counts nothing as examined.
   */
  readonly examined?: Statement
  /**
   * Returns a query about a stretch (range of ids), with a column `finding` and one row for each violation.
   */
  violations(methods: PaymentMethods): Fragment
  readonly since?: Since
}

/** Returns an invariant whose queries read one stretch (range of ids) after another. */
export function slicedInvariant({
  id,
  title,
  unit,
  parts,
}: Pick<SqlInvariant, 'id' | 'title' | 'unit'> & { readonly parts: readonly (SqlPart | Part)[] }): Invariant {
  return inParts({ id, title, unit, parts: parts.map((part) => ('scan' in part ? part : partOf(part))) })
}

function partOf({
  over,
  tables = [],
  joinsCuts = false,
  examined,
  violations,
  since = 'all',
}: SqlPart): Part {
  if (over === undefined)
    return {
      since,
      scan: async ({ on, methods }) => ({
        examined: examined === undefined ? 0 : await count(on, examined),
        findings: await findViolations(on, sql``, violations(methods)),
        rows: 0,
        next: undefined,
      }),
    }
  const space: KeySpace = keySpaces[over]
  const evaluate = async (on: Queryable, methods: PaymentMethods, which: Stretch | Listed) => {
    const cut = cutTables(space, tables, which)
    const runEvaluated = async () => ({
      examined:
        examined === undefined
          ? 0
          : await count(on, sql`with ${cut}, counted as (${asSql(examined)}) select * from counted`),
      findings: await findViolations(on, sql`${cut},`, violations(methods)),
    })
    return joinsCuts ? joinedByHashes(on, runEvaluated) : runEvaluated()
  }
  return {
    table: space.table,
    since,
    scan: async ({ on, methods }, { from, rows }) => {
      const next = await findEnd(on, space, from, rows)
      const stretch = { from: from ?? (space.type === 'uuid' ? '' : '0'), to: next }
      return { ...(await evaluate(on, methods, stretch)), rows, next }
    },
    scanIds: async ({ on, methods }, ids) => ({
      ...(await evaluate(on, methods, await listRows(on, space, tables, ids))),
      rows: ids.length,
      next: undefined,
    }),
  }
}

/**
 * Returns a part that checks orphans. These are rows whose subject should contain an id of one of these key
 * spaces, according to their kind, but does not. Orphans are in no stretch (range of ids), so no other part
 * checks them. The part runs the same query on the orphans, as if the tables `others` were empty.
 */
export function orphansOf(
  over: readonly KeySpaceName[],
  table: 'journal' | 'event',
  {
    kinds,
    others,
    joinsCuts = false,
    violations,
  }: { kinds: Fragment; others: readonly string[] } & Pick<SqlPart, 'joinsCuts' | 'violations'>,
): Part {
  const space = keySpaces[table === 'journal' ? 'journals' : 'events']
  const nothing = others.map(
    (other) => sql`${raw(other)} as (select * from ${raw(`public.${other}`)} where false)`,
  )
  const patterns = over.map((name) => subjectPattern(keySpaces[name], table))
  return {
    table,
    since: 'newer',
    scan: async ({ on, methods }, { from, rows }) => {
      const next = await findEnd(on, space, from, rows)
      const end = next === undefined ? sql`` : sql`and id < (select ${next}::uuid)`
      const orphans = sql`${raw(table)} as (
        select * from ${raw(`public.${table}`)}
        where id >= (select ${from ?? firstId}::uuid) ${end} and (${kinds}) and subject !~ ${patterns.join('|')}
      )`
      const runEvaluated = () => findViolations(on, sql`${join([orphans, ...nothing])},`, violations(methods))
      const findings = await (joinsCuts ? joinedByHashes(on, runEvaluated) : runEvaluated())
      return { examined: 0, findings, rows, next }
    },
  }
}

async function joinedByHashes<T>(on: Queryable, ask: () => Promise<T>): Promise<T> {
  await on.query(sql`set local enable_nestloop = off`)
  const answer = await ask()
  await on.query(sql`set local enable_nestloop = on`)
  return answer
}

async function count(on: Queryable, examined: Statement): Promise<number> {
  return required(await one<{ examined: number }>(on, examined), 'a count').examined
}

async function findViolations(
  on: Queryable,
  tables: Fragment,
  violations: Fragment,
): Promise<readonly string[]> {
  const found = await on.query<{ finding: string }>(
    // The query is materialized. Otherwise PostgreSQL would expect, because of the limit, to find the first
    // violations quickly. Usually there are no violations.
    sql`with ${tables} violation as materialized (${violations})
      select finding from violation order by finding collate "C" limit ${findingsMax}`,
  )
  return found.map(({ finding }) => finding)
}

function asSql(statement: Statement): Fragment {
  return statement as Fragment
}

/**
 * Returns the payment methods as a table of (id, asset, symbol, unit, payer_step, balance_step). The last
 * three columns are amounts in the asset's smallest unit.
 */
export function methodTable({ all }: PaymentMethods): Fragment {
  const balanceStep = (method: (typeof all)[number]) =>
    10n ** BigInt(method.decimals - balanceDecimals(method))
  return sql`unnest(
    ${all.map(({ id }) => id)}::integer[],
    ${all.map(({ asset }) => asset)}::text[],
    ${all.map(({ symbol }) => symbol)}::text[],
    ${all.map(({ decimals }) => 10n ** BigInt(decimals))}::numeric[],
    ${all.map(payerStepMinor)}::numeric[],
    ${all.map(balanceStep)}::numeric[]
  ) as method (id, asset, symbol, unit, payer_step, balance_step)`
}
