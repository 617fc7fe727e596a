import { formatDecimal, roundToPlaces } from '../../core/money.ts'
import { balancePlaces, type PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'

/** What a merchant has available in one payment method, as the spec shows it. */
export interface BalanceEntry {
  readonly paymentMethodID: number
  readonly balance: string
  readonly symbol: string
}

/**
 * One entry per enabled method, zeros included, and per disabled one that holds something, in the order of ids.
 * @param availableMinor by ledger asset, in the smallest unit
 */
export function balanceEntries(
  methods: PaymentMethods,
  availableMinor: ReadonlyMap<string, bigint>,
): BalanceEntry[] {
  return methods.all
    .filter(
      ({ id, asset }) => methods.enabledById(id) !== undefined || (availableMinor.get(asset) ?? 0n) !== 0n,
    )
    .map((method) => {
      const minor = availableMinor.get(method.asset) ?? 0n
      const shown = roundToPlaces(minor, method.decimals, balancePlaces(method), 'down')
      return {
        paymentMethodID: method.id,
        balance: formatDecimal(shown, method.decimals),
        symbol: method.symbol,
      }
    })
}
