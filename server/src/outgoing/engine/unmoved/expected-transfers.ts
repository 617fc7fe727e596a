/** Compares the transfers that an outgoing transaction should make with those that it made. Pure. */
import type { Transfer, TransferAsset } from '../../../chains/port.ts'

/** A transfer that an outgoing transaction should make. */
export type ExpectedTransfer = Pick<Transfer, 'asset' | 'sender' | 'recipient' | 'amountMinor'>

/**
 * Returns the expected transfers that are missing in `transfers`. Each transfer matches only one expected
 * transfer.
 */
export function findMissing(
  expected: readonly ExpectedTransfer[],
  transfers: readonly Transfer[],
): readonly ExpectedTransfer[] {
  const unclaimed = transfers.map(keyOf)
  return expected.filter((one) => {
    const index = unclaimed.indexOf(keyOf(one))
    if (index >= 0) unclaimed.splice(index, 1)
    return index < 0
  })
}

function keyOf({ asset, sender, recipient, amountMinor }: ExpectedTransfer): string {
  return [assetName(asset), sender ?? '', recipient, amountMinor].join(' ')
}

function assetName(asset: TransferAsset): string {
  return asset.type === 'coin' ? 'coin' : asset.contract
}
