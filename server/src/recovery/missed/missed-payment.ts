/** Money at an address of ours that the books do not tell of. Types and pure rules. */

import { required } from '../../core/assert.ts'
import { groupBy } from '../../core/group-by.ts'
import { sum } from '../../core/money.ts'

export type FoundBy = 'balance' | 'output' | 'block'

/** open: to be booked by an operator. unexplained: no transfer that a node tells of brought it. */
export type MissedState = 'open' | 'unexplained' | 'booked' | 'gone'

/** Where something lies that the books do not tell of. */
export interface Missed {
  readonly network: string
  readonly address: string
  readonly asset: string
  /** The block that brought it; the one at which it was found where no node can tell. */
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

/** One asset at one address. */
export function placeOf({ address, asset }: Pick<Missed, 'address' | 'asset'>): string {
  return `${address}/${asset}`
}

/** What an address holds of an asset by the chain and by the books, at one block. */
export interface Holding {
  readonly address: string
  readonly asset: string
  readonly heldMinor: bigint
  readonly bookedMinor: bigint
}

/** Those that hold more than the books say. Less is a matter of solvency, which compares all addresses together. */
export function surplusesIn<T extends Holding>(
  holdings: readonly T[],
): readonly (T & { readonly surplusMinor: bigint })[] {
  return holdings.flatMap((holding) => {
    const surplusMinor = holding.heldMinor - holding.bookedMinor
    return surplusMinor > 0n ? [{ ...holding, surplusMinor }] : []
  })
}

/** How long a turn through all addresses takes at the pace of the last look; undefined before there was one. */
export function turnSeconds(pace: {
  readonly addresses: number
  readonly lookAddresses: number
  readonly lookSeconds: number
}): number | undefined {
  const { addresses, lookAddresses, lookSeconds } = pace
  if (lookAddresses === 0) return addresses === 0 ? 0 : undefined
  return Math.ceil(addresses / lookAddresses) * lookSeconds
}

/** Blocks below the highest final one, from which half of a sample is taken: what was missed lately is worth most. */
const recentBlocks = 10_000

/**
 * Chooses final blocks to be read again, each once: half of them among the most recent.
 * @param random a number from 0 to below 1
 */
export function sampleHeights(
  { from, to, count }: { readonly from: number; readonly to: number; readonly count: number },
  random: () => number,
): readonly number[] {
  if (to < from) return []
  const pick = (least: number) => least + Math.floor(random() * (to - least + 1))
  const recent = Math.max(from, to - recentBlocks + 1)
  return [...new Set(Array.from({ length: count }, (_, place) => pick(place % 2 === 0 ? recent : from)))]
}

/** One finding for each block, address and asset: what came in several transfers is one sum. */
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
