/** Checks the debts that the service shows at the end of a run. */
import type { ModelAsset } from '../model/asset.ts'
import { type Answers, keyOf } from '../model/check.ts'

/**
 * Returns one sentence for each merchant that has a debt and an available balance in the same asset. New money must
 * repay the debt first. `model/check.ts` compares the balance less the debt with the chain.
 */
export function findUnrepaid(
  merchants: readonly string[],
  assets: readonly ModelAsset[],
  { balances, debts }: Pick<Answers, 'balances' | 'debts'>,
): readonly string[] {
  return merchants.flatMap((merchantId, index) =>
    assets.flatMap((asset) => {
      const key = keyOf(merchantId, asset)
      const owed = debts.get(key) ?? 0n
      const available = (balances.get(key) ?? 0n) + owed
      if (owed === 0n || available === 0n) return []
      return [`merchant ${index + 1} owes ${owed} ${asset.name}, and ${available} are available to it`]
    }),
  )
}
