/** Checks that orders are paid only with money that a reorganisation cannot take back. */
import type { ModelAsset } from './asset.ts'
import { creditsOf, isOf, type Model } from './model.ts'
import type { TrueTransfer } from './true-transfer.ts'

/** Number of confirmations after which a payment on a UTXO network is final. */
export const finalConfirmations = 3

/**
 * Returns one sentence for each merchant whose sent orders amount to more than its final payments.
 * @param finalTransfers the transfers that ever had enough confirmations, also those that a reorganisation dropped
 * @param sentTo returns whether a transaction that pays this address is in a block or waits for one
 */
export function findOrdersPaidEarly(
  model: Model,
  asset: ModelAsset,
  finalTransfers: readonly TrueTransfer[],
  sentTo: (address: string) => boolean,
): readonly string[] {
  // A payment that is not final may lift an invoice above the minimum, so the minimum does not apply here.
  const credits = creditsOf(
    model,
    { ...asset, minimumMinor: 0n },
    finalTransfers.filter((one) => isOf(asset, one)),
  )
  return model.merchants.flatMap((merchantId, index) => {
    const sentMinor = model.orders
      .filter((one) => one.merchantId === merchantId && one.asset === asset && sentTo(one.address))
      .reduce((total, { amountMinor }) => total + amountMinor, 0n)
    const finalMinor = credits.get(merchantId) ?? 0n
    if (sentMinor <= finalMinor) return []
    return [
      `orders of merchant ${index + 1} of ${sentMinor} ${asset.name} were sent, and only ${finalMinor} is final`,
    ]
  })
}
