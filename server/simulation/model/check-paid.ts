/** Checks that no invoice is shown as paid before enough has come, with the confirmations that it needs. */
import { fullAmountsOf, lowestPriceUsd } from '../prices/valuation.ts'
import type { ModelAsset } from './asset.ts'
import { neededFor } from './check-early.ts'
import { neededPercent } from './check-invoices.ts'
import type { CheckedWorld } from './checked-world.ts'
import { isOf, type Model } from './model.ts'
import { shareOf, whole } from './share.ts'
import { lostTransfers } from './transfers.ts'
import type { TrueTransfer } from './true-transfer.ts'

/**
 * Returns one sentence for each invoice that is paid too early. A payment counts from its first block, or once it has
 * its confirmations if the merchant waits for them. Payments that a reorganisation dropped count too, because the
 * service may not have noticed that yet.
 * @param paid the invoices that are shown as paid
 * @param deepestOf returns the highest number of confirmations that a transaction ever had
 */
export function findPaidEarly(
  world: CheckedWorld,
  paid: ReadonlySet<string>,
  deepestOf: (network: string, txHash: string) => number,
): readonly string[] {
  const { model, assets, chains, ours } = world
  const sent = [...world.transfers, ...chains.flatMap((chain) => lostTransfers(chain, ours))]
  return model.shown.flatMap((shown) => {
    const asset = assets.find(({ methodId }) => methodId === shown.methodId)
    const chain = chains.find(({ network }) => network === asset?.network)
    if (asset === undefined || chain === undefined || !paid.has(shown.invoiceId)) return []
    const counted = sent.filter(
      (transfer) =>
        transfer.recipient === shown.address &&
        !transfer.isFromUs &&
        isOf(asset, transfer) &&
        deepestOf(asset.network, transfer.txHash) >= neededOf(model, shown.merchantId, asset, transfer),
    )
    const share = shareOf(counted, ({ txHash }) => {
      const fromMs = chain.feeTerms === undefined ? chain.firstMinedMs(txHash) : 0
      return fullAmountsOf(model, asset, shown, { fromMs, toMs: Number.POSITIVE_INFINITY }).leastMinor
    })
    if (share * 100n >= whole * neededPercent) return []
    return [`an invoice for ${shown.amountMinor} ${asset.name} is paid before its payments have arrived`]
  })
}

/** Returns the number of confirmations from which a payment to a merchant may count. */
function neededOf(
  model: Model,
  merchantId: string,
  asset: ModelAsset,
  { amountMinor }: Pick<TrueTransfer, 'amountMinor'>,
): number {
  if (!model.awaitsConfirmation.has(merchantId)) return 1
  return neededFor({ asset, amountMinor, lowestUsd: lowestPriceUsd(model, asset) })
}
