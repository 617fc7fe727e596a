/** Checks that orders are paid only with money that a reorganisation cannot take back, and end only when it cannot. */
import type { ModelAsset } from './asset.ts'
import { creditsOf, isOf, type Model } from './model.ts'
import type { ModelOrder } from './order.ts'
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

/** An output that a transaction of the service spends. */
export interface OwnSpend {
  /** The transaction that spends it. */
  readonly txHash: string
  /** The highest number of confirmations that the output had before the node accepted the transaction. */
  readonly confirmations: number
  /** Whether the output is the change of a transaction of the service. */
  readonly isChange: boolean
  /** Whether the transaction only pays for its parent (CPFP): one input, and one output to the hot wallet. */
  readonly isChild: boolean
  /**
   * Whether nodes replace a transaction by one with a higher fee. Another version of the transaction that made the
   * change may then be mined, so change must be final.
   */
  readonly canReplace: boolean
}

/** Returns one sentence for each output that is spent before it has enough confirmations. */
export function findSpentEarly(spends: readonly OwnSpend[]): readonly string[] {
  return spends.flatMap((spend) => {
    const needed = neededToSpend(spend)
    if (spend.confirmations >= needed) return []
    return [`${spend.txHash} spends an output with ${spend.confirmations} of ${needed} confirmations`]
  })
}

function neededToSpend({ isChange, isChild, canReplace }: OwnSpend): number {
  if (!isChange || canReplace) return finalConfirmations
  return isChild ? 0 : 1
}

/** An order that the service shows as completed. */
export interface CompletedOrder {
  readonly order: ModelOrder
  /** The transactions that paid it in a block, including those that a reorganisation dropped. */
  readonly txHashes: readonly string[]
}

/** Returns one sentence for each order that was completed before its payment was final. */
export function findCompletedEarly(
  completed: readonly CompletedOrder[],
  deepestOf: (txHash: string) => number,
): readonly string[] {
  return completed.flatMap(({ order: { id, amountMinor, asset }, txHashes }) => {
    const had = Math.max(0, ...txHashes.map(deepestOf))
    if (had >= finalConfirmations) return []
    return [
      `the order ${id} of ${amountMinor} ${asset.name} was completed after ${had} of ${finalConfirmations} confirmations`,
    ]
  })
}
