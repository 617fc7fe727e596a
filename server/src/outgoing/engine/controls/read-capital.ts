import { operatorMoney } from '../../../ledger/balance.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { coinOf, type PayoutParts } from '../machine.ts'
import { readCommitted } from './capital-store.ts'

/**
 * Returns what is left of the operator's own money in a network's coin if all that is under way costs the most it can.
 * Gas is paid from this money alone, because all other money belongs to merchants (docs/decisions/0032-own-money.md).
 */
export async function readFreeCapital(
  parts: Pick<PayoutParts, 'network'> & { readonly db: Queryable },
): Promise<bigint> {
  const { db, network } = parts
  const coin = coinOf(parts)
  return (await operatorMoney(db, coin)) - (await readCommitted(db, network.name, coin))
}

/** How many, from the first on, the operator's own money pays the gas of, whatever it comes to. */
export function coveredCount(freeCapitalMinor: bigint, maxCostsMinor: readonly bigint[]): number {
  let left = freeCapitalMinor
  const first = maxCostsMinor.findIndex((costMinor) => {
    left -= costMinor
    return left < 0n
  })
  return first === -1 ? maxCostsMinor.length : first
}
