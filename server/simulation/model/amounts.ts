import { sum } from '../../src/core/money.ts'

/** Returns the sum of the amounts. */
export function totalOf(some: readonly { readonly amountMinor: bigint }[]): bigint {
  return sum(some.map(({ amountMinor }) => amountMinor))
}
