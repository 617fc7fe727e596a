/** What left within a day without anybody having been asked. Pure. */

/** In 10^-8 USD; undefined where no price says how much. */
export type SumUsd = bigint | undefined

/** Whose sum an order counts towards. */
export interface Summed {
  readonly merchantId: string
  /** In canonical spelling, whatever the merchant. */
  readonly address: string
}

/**
 * Sums of orders that were approved in the last 24 hours, by merchant and by destination. Orders that an operator let go are not
 * among them: whoever did has agreed to them.
 */
export class DaySums {
  readonly #byMerchant: Map<string, SumUsd>
  readonly #byAddress: Map<string, SumUsd>

  constructor(byMerchant: ReadonlyMap<string, SumUsd>, byAddress: ReadonlyMap<string, SumUsd>) {
    this.#byMerchant = new Map(byMerchant)
    this.#byAddress = new Map(byAddress)
  }

  /** The larger of the sums that an order counts towards; undefined where one of them is not known. */
  largestOf({ merchantId, address }: Summed): SumUsd {
    const merchantUsd = sumIn(this.#byMerchant, merchantId)
    const addressUsd = sumIn(this.#byAddress, address)
    if (merchantUsd === undefined || addressUsd === undefined) return undefined
    return merchantUsd > addressUsd ? merchantUsd : addressUsd
  }

  /** Counts an order that is approved just now. */
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
