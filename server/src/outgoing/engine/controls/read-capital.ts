import { operatorMoney } from '../../../ledger/balance.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { coinOf, type EngineParts } from '../engine-parts.ts'
import { readCommitted } from './capital-store.ts'

/**
 * Returns the part of the operator's own coin that is not committed. Open transactions count at their maximum
 * cost, and pending treasury withdrawals are subtracted. Network fees are paid from this amount alone,
 * because all other money belongs to merchants (docs/decisions/0032-own-money.md).
 */
export async function readFreeCapital(
  parts: Pick<EngineParts, 'network'> & { readonly db: Queryable },
): Promise<bigint> {
  const { db, network } = parts
  const coin = coinOf(parts)
  return (await operatorMoney(db, coin)) - (await readCommitted(db, network.name, coin))
}

/**
 * Returns how many of the transactions, taken in order, the free capital can pay for at their maximum cost.
 * Counting stops at the first transaction that it cannot pay for.
 */
export function coveredCount(freeCapitalMinor: bigint, maxCostsMinor: readonly bigint[]): number {
  let left = freeCapitalMinor
  const first = maxCostsMinor.findIndex((costMinor) => {
    left -= costMinor
    return left < 0n
  })
  return first === -1 ? maxCostsMinor.length : first
}
