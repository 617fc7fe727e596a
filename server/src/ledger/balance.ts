import type { Queryable } from '../platform/db/pool.ts'
import { type AccountName, normalSides } from './journal.ts'
import { sumByName, sumByOwner, sumOperatorMoney } from './store.ts'

/**
 * What each owner has on the accounts of one name, by asset, in the smallest unit, counted on the account's normal
 * side. Every asked owner is in the answer; an asset without an account is not.
 */
export async function balancesOf(
  on: Queryable,
  ownerIds: readonly string[],
  name: AccountName,
): Promise<ReadonlyMap<string, ReadonlyMap<string, bigint>>> {
  const balances = new Map(ownerIds.map((ownerId) => [ownerId, new Map<string, bigint>()]))
  for (const { ownerId, asset, creditBalanceMinor } of await sumByOwner(on, ownerIds, name)) {
    balances.get(ownerId)?.set(asset, onNormalSide(name, creditBalanceMinor))
  }
  return balances
}

/** Whether an owner has anything on one of its own accounts, held included. */
export async function hasBalance(on: Queryable, ownerId: string): Promise<boolean> {
  for (const name of ['available', 'held', 'quarantine'] as const) {
    const sums = await sumByOwner(on, [ownerId], name)
    if (sums.some(({ creditBalanceMinor }) => creditBalanceMinor !== 0n)) return true
  }
  return false
}

export interface PlatformBalance {
  readonly name: AccountName
  readonly asset: string
  /** On the account's normal side: custody of 5 and fees of 5 are both 5. */
  readonly balanceMinor: bigint
}

/** Every account name and asset, folded over all owners: what the books as a whole say. */
export async function platformBalances(on: Queryable): Promise<readonly PlatformBalance[]> {
  const sums = await sumByName(on)
  return sums.map(({ name, asset, creditBalanceMinor }) => ({
    name,
    asset,
    balanceMinor: onNormalSide(name, creditBalanceMinor),
  }))
}

/**
 * What of an asset is the operator's own: the money that pays for gas, in the smallest unit. What merchants owe is not
 * taken off it: one merchant's debt would keep everybody's payouts from their gas.
 */
export function operatorMoney(on: Queryable, asset: string): Promise<bigint> {
  return sumOperatorMoney(on, asset)
}

function onNormalSide(name: AccountName, creditBalanceMinor: bigint): bigint {
  return normalSides[name] === 'credit' ? creditBalanceMinor : -creditBalanceMinor
}
