/** Sums the orders that were approved within 24 hours without asking an operator. Pure. */

/** A sum in 10^-8 USD. Undefined if a price is missing. */
export type SumUsd = bigint | undefined

/** The merchant and the destination of an order. Each of them has a sum, and an order counts in both sums. */
export interface Summed {
  readonly merchantId: string
  /** The address in canonical form, which is the same for all merchants. */
  readonly address: string
}

/**
 * Sums of orders that were approved in the last 24 hours, by merchant and by destination. Orders that an
 * operator released are not included, because the operator has agreed to them.
 */
export class DaySums {
  readonly #byMerchant: Map<string, SumUsd>
  readonly #byAddress: Map<string, SumUsd>

  constructor(byMerchant: ReadonlyMap<string, SumUsd>, byAddress: ReadonlyMap<string, SumUsd>) {
    this.#byMerchant = new Map(byMerchant)
    this.#byAddress = new Map(byAddress)
  }

  /**
   * Returns the larger of two sums: that of the order's merchant, and that of the order's destination.
   * Returns undefined if either sum is unknown.
   */
  largestOf({ merchantId, address }: Summed): SumUsd {
    const merchantUsd = sumIn(this.#byMerchant, merchantId)
    const addressUsd = sumIn(this.#byAddress, address)
    if (merchantUsd === undefined || addressUsd === undefined) return undefined
    return merchantUsd > addressUsd ? merchantUsd : addressUsd
  }

  /** Adds an order that is approved now. */
  add({ merchantId, address }: Summed, worthUsd: SumUsd): void {
    this.#byMerchant.set(merchantId, plus(sumIn(this.#byMerchant, merchantId), worthUsd))
    this.#byAddress.set(address, plus(sumIn(this.#byAddress, address), worthUsd))
  }
}

function sumIn(sums: ReadonlyMap<string, SumUsd>, key: string): SumUsd {
  return sums.has(key) ? sums.get(key) : 0n
}

export function plus(a: SumUsd, b: SumUsd): SumUsd {
  return a === undefined || b === undefined ? undefined : a + b
}
