/**
 * The functions of the database from which all statements read the time. Only the simulation replaces them,
 * in its own database. In any other database, a replaced function is a fault: holds, leases and quotes would
 * expire at a wrong time.
 */
import sql from 'sql-template-tag'
import { required } from '../../core/assert.ts'
import type { Queryable } from './pool.ts'

interface TimeFunction {
  readonly volatility: 'stable' | 'volatile'
  /** The only body that a service accepts, as PostgreSQL prints it. */
  readonly body: string
}

const timeFunctions: Readonly<Record<string, TimeFunction>> = {
  'coffer_now()': { volatility: 'stable', body: 'RETURN now()' },
  'coffer_clock()': { volatility: 'volatile', body: 'RETURN clock_timestamp()' },
}

/**
 * Checks the bodies and the attributes of the functions. The attributes matter as well: PostgreSQL evaluates
 * an immutable function only once for each prepared statement, so its time would not advance.
 * @throws Error if a function is not as Coffer made it; the message says how to restore it
 */
export async function requireOwnTime(db: Queryable): Promise<void> {
  const rows = await db.query<{
    name: string
    body: string | null
    volatility: string
    isPlain: boolean
  }>(sql`
    select name, pg_get_function_sqlbody(oid) as body,
      case provolatile when 's' then 'stable' when 'v' then 'volatile' else 'immutable' end as volatility,
      (not prosecdef and not proisstrict and proconfig is null) as "isPlain"
    from unnest(${Object.keys(timeFunctions)}::text[]) name left join pg_proc on oid = to_regprocedure(name)`)
  for (const { name, body, volatility, isPlain } of rows) {
    const meant = required(timeFunctions[name], name)
    if (isPlain && body === meant.body && volatility === meant.volatility) continue
    throw new Error(
      `the database's function ${name} does not return the time of PostgreSQL: somebody replaced it. As the owner of the ` +
        `tables, run "create or replace function ${name} returns timestamptz ` +
        `language sql ${meant.volatility} parallel safe ${meant.body}", and find out who did that`,
    )
  }
}
