/**
 * The approval limit of an installation, and the decisions of its operator about orders. The limit is the setting
 * APPROVAL_ABOVE_USD.
 */
import type { ModelAsset } from './asset.ts'
import type { ModelOrder } from './order.ts'

/** The decisions about an order that the operator requested, and those that the API confirmed. */
export interface OperatorDecisions {
  /** When the operator first requested an approval of the order. Undefined if the operator never did. */
  approvalAskedMs: number | undefined
  /** Whether the API has confirmed an approval. */
  isApproved: boolean
  /** Number of rejections that the operator requested, without those that the API refused. */
  openRejections: number
  /** Whether the API has confirmed a rejection. */
  isRejected: boolean
}

/** Prices are in 10^-12 USD, and the values of orders in 10^-8 USD. */
const priceDigitsBeyondWorth = 4

const undecided: Readonly<OperatorDecisions> = {
  approvalAskedMs: undefined,
  isApproved: false,
  openRejections: 0,
  isRejected: false,
}

export class Approvals {
  /** The limit in 10^-8 USD. */
  readonly aboveUsd: bigint
  /** The price of a whole unit of each asset, by the name of the asset. They do not change in seeds with a limit. */
  readonly #prices: ReadonlyMap<string, bigint>
  readonly #decisions = new Map<string, OperatorDecisions>()

  constructor(aboveUsd: bigint, prices: ReadonlyMap<string, bigint>) {
    this.aboveUsd = aboveUsd
    this.#prices = prices
  }

  /** Returns the decisions about an order, to read them. */
  decisionsOf({ id }: Pick<ModelOrder, 'id'>): Readonly<OperatorDecisions> {
    return this.#decisions.get(id) ?? undecided
  }

  /** Returns the decisions about an order, to change them. */
  recordOf({ id }: Pick<ModelOrder, 'id'>): OperatorDecisions {
    const known = this.#decisions.get(id) ?? { ...undecided }
    this.#decisions.set(id, known)
    return known
  }

  /** Returns the value of an order's whole amount, fee included, in 10^-8 USD, rounded up. */
  worthOf({ amountMinor, asset }: Pick<ModelOrder, 'amountMinor' | 'asset'>): bigint {
    const unit = unitOf(asset)
    return (amountMinor * this.#priceOf(asset) + unit - 1n) / unit
  }

  /** Returns the largest amount of an asset that is worth at most `usd` (in 10^-8 USD). */
  amountWorth(asset: ModelAsset, usd: bigint): bigint {
    return (usd * unitOf(asset)) / this.#priceOf(asset)
  }

  #priceOf({ name }: ModelAsset): bigint {
    const price = this.#prices.get(name)
    if (price === undefined) throw new Error(`the model knows no price of ${name}`)
    return price
  }
}

function unitOf({ decimals }: ModelAsset): bigint {
  return 10n ** BigInt(decimals + priceDigitsBeyondWorth)
}
