import { formatDecimal, roundToDecimals } from '../../core/money.ts'
import { balanceDecimals, type PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'

/** A merchant's available balance in one payment method, in the format of the specification. */
export interface BalanceEntry {
  readonly paymentMethodID: number
  readonly balance: string
  readonly symbol: string
}

/**
 * Returns the entries, sorted by id. There is an entry for each enabled method, even with a balance of zero,
 * and for each disabled method with a balance.
 * @param availableMinor Available amounts by ledger asset, in the smallest unit.
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
      const shown = roundToDecimals(minor, method.decimals, balanceDecimals(method), 'down')
      return {
        paymentMethodID: method.id,
        balance: formatDecimal(shown, method.decimals),
        symbol: method.symbol,
      }
    })
}
