/**
 * Missed payments: money at an address of ours that is not in the books. This file has types and pure rules.
 */

import { required } from '../../core/assert.ts'
import { groupBy } from '../../core/group-by.ts'
import { sum } from '../../core/money.ts'

export type FoundBy = 'balance' | 'output' | 'block'

/**
 * `open`: an operator has to book the payment. `unexplained`: no transfer that a node reports explains the
 * amount. `booked`: the payment is in the books. `gone`: a later comparison did not find the amount again.
 */
export type MissedState = 'open' | 'unexplained' | 'booked' | 'gone'

/** An amount that is at an address of ours, but not in the books. */
export interface Missed {
  readonly network: string
  readonly address: string
  readonly asset: string
  /**
   * The height of the block that brought the amount. If `isLocated` is false, no node can find that block,
   * and `height` is where the amount was found.
   */
  readonly height: number
  readonly isLocated: boolean
  /** In the asset's smallest unit, above zero. */
  readonly amountMinor: bigint
  readonly txHash: string | undefined
  readonly foundBy: FoundBy
}

export interface MissedPayment extends Missed {
  readonly id: number
  readonly state: MissedState
  readonly foundAt: Date
}

/** Returns the key of one asset at one address. */
export function holdingKeyOf({ address, asset }: Pick<Missed, 'address' | 'asset'>): string {
  return `${address}/${asset}`
}

/** How much of an asset an address holds at one block, according to the chain and according to the books. */
export interface Holding {
  readonly address: string
  readonly asset: string
  readonly heldMinor: bigint
  readonly bookedMinor: bigint
}

/**
 * Returns the holdings of which the chain has more than the books. Holdings of which the chain has less are
 * reported by the solvency check, which compares all addresses together.
 */
export function surplusesIn<T extends Holding>(
  holdings: readonly T[],
): readonly (T & { readonly surplusMinor: bigint })[] {
  return holdings.flatMap((holding) => {
    const surplusMinor = holding.heldMinor - holding.bookedMinor
    return surplusMinor > 0n ? [{ ...holding, surplusMinor }] : []
  })
}

/**
 * Returns the number of seconds that the search needs to compare all addresses once, at the speed of the last
 * run. Returns undefined before the first run.
 */
export function rotationSeconds(pace: {
  readonly addresses: number
  readonly scannedAddresses: number
  readonly scanSeconds: number
}): number | undefined {
  const { addresses, scannedAddresses, scanSeconds } = pace
  if (scannedAddresses === 0) return addresses === 0 ? 0 : undefined
  return Math.ceil(addresses / scannedAddresses) * scanSeconds
}

/**
 * Half of a sample of blocks is taken from this many of the highest final blocks, because recently missed
 * payments matter most.
 */
const recentBlocks = 10_000

/**
 * Returns the heights of random final blocks to read again, half of them among the most recent. Contains no
 * height twice, so it may have fewer than `count` elements.
 * @param random returns a number in [0, 1)
 */
export function sampleHeights(
  { from, to, count }: { readonly from: number; readonly to: number; readonly count: number },
  random: () => number,
): readonly number[] {
  if (to < from) return []
  const pick = (least: number) => least + Math.floor(random() * (to - least + 1))
  const recent = Math.max(from, to - recentBlocks + 1)
  return [...new Set(Array.from({ length: count }, (_, index) => pick(index % 2 === 0 ? recent : from)))]
}

/** Merges findings with the same block, address and asset into one finding with the sum of their amounts. */
export function mergeMissed(found: readonly Missed[]): readonly Missed[] {
  const groups = groupBy(found, ({ network, address, asset, height }) =>
    [network, address, asset, height].join(),
  )
  return [...groups.values()].map((own) => {
    const first = required(own[0], 'the first of a group')
    const isOneTransaction = own.every(({ txHash }) => txHash === first.txHash)
    const amountMinor = sum(own.map((one) => one.amountMinor))
    return { ...first, amountMinor, txHash: isOneTransaction ? first.txHash : undefined }
  })
}
