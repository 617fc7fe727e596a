import type { Queryable } from '../platform/db/pool.ts'
import { type AccountName, normalSides } from './journal.ts'
import { sumByName, sumByOwner, sumOperatorMoney } from './store.ts'

/**
 * Returns the balances of the accounts with this name, by owner and asset. Amounts are in the asset's
 * smallest unit, and positive on the account's normal side. The result has an entry for every owner in
 * `ownerIds`. Assets in which the owner has no such account are left out.
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

/**
 * Decides whether one of the owner's own accounts (available, held or quarantine) has a balance other than
 * zero.
 */
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
  /**
   * The balance, positive on the account's normal side. A debit balance of `custody` is positive, and so is a
   * credit balance of `fees`.
   */
  readonly balanceMinor: bigint
}

/** Returns the balance of every account name and asset, summed over all owners. */
export async function platformBalances(on: Queryable): Promise<readonly PlatformBalance[]> {
  const sums = await sumByName(on)
  return sums.map(({ name, asset, creditBalanceMinor }) => ({
    name,
    asset,
    balanceMinor: onNormalSide(name, creditBalanceMinor),
  }))
}

/**
 * Returns the operator's own money in an asset, in the smallest unit. Gas is paid from this money. Debts of
 * merchants are not deducted: if they were, the debt of one merchant could leave the outgoing transactions of
 * all merchants without gas.
 */
export function operatorMoney(on: Queryable, asset: string): Promise<bigint> {
  return sumOperatorMoney(on, asset)
}

function onNormalSide(name: AccountName, creditBalanceMinor: bigint): bigint {
  return normalSides[name] === 'credit' ? creditBalanceMinor : -creditBalanceMinor
}
