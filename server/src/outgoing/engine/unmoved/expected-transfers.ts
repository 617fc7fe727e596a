/** What a payout was to move, and whether a block says that it did. Pure. */
import type { Transfer, TransferAsset } from '../../../chains/port.ts'

/** A transfer as it was ordered. */
export type ExpectedTransfer = Pick<Transfer, 'asset' | 'sender' | 'recipient' | 'amountMinor'>

/** Those of `expected` that are not among `transfers`; each transfer answers for one. */
export function findMissing(
  expected: readonly ExpectedTransfer[],
  transfers: readonly Transfer[],
): readonly ExpectedTransfer[] {
  const unclaimed = transfers.map(keyOf)
  return expected.filter((one) => {
    const place = unclaimed.indexOf(keyOf(one))
    if (place >= 0) unclaimed.splice(place, 1)
    return place < 0
  })
}

function keyOf({ asset, sender, recipient, amountMinor }: ExpectedTransfer): string {
  return [assetName(asset), sender ?? '', recipient, amountMinor].join(' ')
}

function assetName(asset: TransferAsset): string {
  return asset.type === 'coin' ? 'coin' : asset.contract
}
