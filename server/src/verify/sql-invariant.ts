import sql from 'sql-template-tag'
import { required } from '../core/assert.ts'
import { one, type Statement } from '../db/pool.ts'
import { balancePlaces, type PaymentMethods, payerStepMinor } from '../payment-methods/payment-method.ts'
import { findingsMax, type Invariant } from './invariant.ts'

type Fragment = ReturnType<typeof sql>

interface SqlInvariant {
  readonly id: string
  readonly title: string
  readonly unit: string
  /** A query of one row and one column `examined`. */
  readonly examined: Statement
  /** A query with a column `finding`, one row per breach. */
  breaches(methods: PaymentMethods): Fragment
}

/** An invariant that two queries can decide. */
export function sqlInvariant({ id, title, unit, examined, breaches }: SqlInvariant): Invariant {
  const check: Invariant['check'] = async ({ on, methods }) => {
    const counted = await one<{ examined: number }>(on, examined)
    const found = await on.query<{ finding: string }>(
      // Materialized: else the limit has it planned as if the first breaches were at hand, which are not there.
      sql`with breach as materialized (${breaches(methods)}) select finding from breach limit ${findingsMax}`,
    )
    return {
      examined: required(counted, 'a count').examined,
      findings: found.map(({ finding }) => finding),
    }
  }
  return { id, title, unit, check }
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
