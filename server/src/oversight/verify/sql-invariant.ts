import sql, { join, raw, type Sql } from 'sql-template-tag'
import { required } from '../../core/assert.ts'
import { firstId } from '../../core/ids.ts'
import { one, type Queryable, type Statement } from '../../platform/db/pool.ts'
import {
  balancePlaces,
  type PaymentMethods,
  payerStepMinor,
} from '../../pricing/payment-methods/payment-method.ts'
import { summedLines } from './books/summed-lines.ts'
import { findingsMax, type Invariant, type Part, type Since } from './invariant.ts'
import { inOneLook, inParts } from './look.ts'
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
  /** A query of one row and one column `examined`. */
  readonly examined: Statement
  /** A query with a column `finding`, one row per breach. */
  breaches(methods: PaymentMethods): Fragment
}

/** An invariant that two queries can decide, over whole tables at one moment. */
export function sqlInvariant({ id, title, unit, examined, breaches }: SqlInvariant): Invariant {
  const check: Invariant['check'] = async ({ on, methods }) => ({
    examined: await count(on, examined),
    findings: await findBreaches(on, sql``, breaches(methods)),
  })
  return inOneLook({ id, title, unit, check })
}

/**
 * The same, where the breaches are to be found by what the lines of each account come to.
 * @param breaches gets a query of (account_id, debit, credit)
 */
export function summedInvariant({
  id,
  title,
  unit,
  examined,
  breaches,
}: Omit<SqlInvariant, 'breaches'> & { breaches(summed: Fragment): Fragment }): Invariant {
  const check: Invariant['check'] = async ({ on, sums }) => ({
    examined: await count(on, examined),
    findings: await findBreaches(on, sql``, breaches(summedLines(sums))),
  })
  return inOneLook({ id, title, unit, check }, true)
}

export interface SqlPart {
  /** Along whose ids it is cut; without, it is looked at whole. */
  readonly over?: KeySpaceName
  /** The tables that are cut; all others are seen whole. */
  readonly tables?: readonly string[]
  /**
   * Whether it joins tables that are cut, and reads hardly any other: then by hashes. PostgreSQL may take a stretch for a single
   * row, and would compare each row of one table with each of the other.
   */
  readonly joinsCuts?: boolean
  /** A query of one row and one column `examined`, about the stretch; without, the part counts nothing. */
  readonly examined?: Statement
  /** A query with a column `finding`, one row per breach, about the stretch. */
  breaches(methods: PaymentMethods): Fragment
  readonly since?: Since
}

/** An invariant that queries can decide, each about a stretch of ids. */
export function slicedInvariant({
  id,
  title,
  unit,
  parts,
}: Pick<SqlInvariant, 'id' | 'title' | 'unit'> & { readonly parts: readonly (SqlPart | Part)[] }): Invariant {
  return inParts({ id, title, unit, parts: parts.map((part) => ('look' in part ? part : partOf(part))) })
}

function partOf({ over, tables = [], joinsCuts = false, examined, breaches, since = 'all' }: SqlPart): Part {
  if (over === undefined)
    return {
      since,
      look: async ({ on, methods }) => ({
        examined: examined === undefined ? 0 : await count(on, examined),
        findings: await findBreaches(on, sql``, breaches(methods)),
        rows: 0,
        next: undefined,
      }),
    }
  const space: KeySpace = keySpaces[over]
  const judge = async (on: Queryable, methods: PaymentMethods, which: Stretch | Listed) => {
    const cut = cutTables(space, tables, which)
    const judged = async () => ({
      examined:
        examined === undefined
          ? 0
          : await count(on, sql`with ${cut}, counted as (${asSql(examined)}) select * from counted`),
      findings: await findBreaches(on, sql`${cut},`, breaches(methods)),
    })
    return joinsCuts ? joinedByHashes(on, judged) : judged()
  }
  return {
    table: space.table,
    since,
    look: async ({ on, methods }, { from, rows }) => {
      const next = await findEnd(on, space, from, rows)
      const stretch = { from: from ?? (space.type === 'uuid' ? '' : '0'), to: next }
      return { ...(await judge(on, methods, stretch)), rows, next }
    },
    lookAtIds: async ({ on, methods }, ids) => ({
      ...(await judge(on, methods, await listRows(on, space, tables, ids))),
      rows: ids.length,
      next: undefined,
    }),
  }
}

/**
 * Looks at rows whose subjects do not name an id of these key spaces though their kind says so: cut along ids they would be in no
 * stretch. The same query is asked about them, with nothing in the other tables.
 */
export function straysOf(
  over: readonly KeySpaceName[],
  table: 'journal' | 'event',
  {
    kinds,
    others,
    joinsCuts = false,
    breaches,
  }: { kinds: Fragment; others: readonly string[] } & Pick<SqlPart, 'joinsCuts' | 'breaches'>,
): Part {
  const space = keySpaces[table === 'journal' ? 'journals' : 'events']
  const nothing = others.map(
    (other) => sql`${raw(other)} as (select * from ${raw(`public.${other}`)} where false)`,
  )
  const patterns = over.map((name) => subjectPattern(keySpaces[name], table))
  return {
    table,
    since: 'newer',
    look: async ({ on, methods }, { from, rows }) => {
      const next = await findEnd(on, space, from, rows)
      const end = next === undefined ? sql`` : sql`and id < (select ${next}::uuid)`
      const strays = sql`${raw(table)} as (
        select * from ${raw(`public.${table}`)}
        where id >= (select ${from ?? firstId}::uuid) ${end} and (${kinds}) and subject !~ ${patterns.join('|')}
      )`
      const judged = () => findBreaches(on, sql`${join([strays, ...nothing])},`, breaches(methods))
      const findings = await (joinsCuts ? joinedByHashes(on, judged) : judged())
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

async function findBreaches(on: Queryable, tables: Fragment, breaches: Fragment): Promise<readonly string[]> {
  const found = await on.query<{ finding: string }>(
    // Materialized: else the limit has it planned as if the first breaches were at hand, which are not there.
    sql`with ${tables} breach as materialized (${breaches}) select finding from breach limit ${findingsMax}`,
  )
  return found.map(({ finding }) => finding)
}

function asSql(statement: Statement): Fragment {
  return statement as Fragment
}

/** A table of the payment methods: (id, asset, symbol, unit, payer_step, balance_step). The last three are amounts in minor units. */
export function methodTable({ all }: PaymentMethods): Fragment {
  const balanceStep = (method: (typeof all)[number]) => 10n ** BigInt(method.decimals - balancePlaces(method))
  return sql`unnest(
    ${all.map(({ id }) => id)}::integer[],
    ${all.map(({ asset }) => asset)}::text[],
    ${all.map(({ symbol }) => symbol)}::text[],
    ${all.map(({ decimals }) => 10n ** BigInt(decimals))}::numeric[],
    ${all.map(payerStepMinor)}::numeric[],
    ${all.map(balanceStep)}::numeric[]
  ) as method (id, asset, symbol, unit, payer_step, balance_step)`
}
