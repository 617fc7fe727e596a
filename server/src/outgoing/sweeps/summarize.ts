import { groupBy } from '../../core/group-by.ts'
import { divide, sum } from '../../core/money.ts'
import type { PaymentMethod, PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { SweepsPreview } from './preview-sweeps.ts'

/** The expected result of sweeping one asset. */
export interface AssetPreview {
  readonly method: PaymentMethod
  readonly due: { readonly amountMinor: bigint; readonly addresses: number; readonly transactions: number }
  readonly left: { readonly amountMinor: bigint; readonly addresses: number }
  /** The network fee of the due sweeps, in the coin's smallest unit. */
  readonly costMinor: bigint
  /**
   * The smallest amount that is worth the fee of a sweep of a single address. Undefined if a price is
   * missing.
   */
  readonly breakEvenMinor: bigint | undefined
}

/** Summarizes a preview of sweeps by asset, in the order of payment method ids. */
export function summarize(
  methods: Pick<PaymentMethods, 'byAsset'>,
  { deposited, sweeps, contextOf, canDelegate }: SweepsPreview,
): readonly AssetPreview[] {
  const byAsset = groupBy(deposited, ({ asset }) => asset)
  const previews = [...byAsset].flatMap(([asset, some]): AssetPreview[] => {
    const method = methods.byAsset(asset)
    if (method === undefined) return []
    const own = sweeps.filter((sweep) => sweep.method.id === method.id)
    const due = own.flatMap((sweep) => sweep.due)
    const dueMinor = sum(due.map((one) => one.deposited.amountMinor))
    const context = contextOf(method)
    const soleMinor = (context.gas.baseGas + context.gas.addressGas) * context.gasPriceMinor
    const unitMinor = context.worthOf(10n ** BigInt(method.decimals))
    return [
      {
        method,
        due: {
          amountMinor: dueMinor,
          addresses: due.length,
          transactions: canDelegate ? own.length : due.length,
        },
        left: {
          amountMinor: sum(some.map(({ amountMinor }) => amountMinor)) - dueMinor,
          addresses: some.length - due.length,
        },
        costMinor: sum(due.map(({ shareMinor }) => shareMinor)),
        breakEvenMinor:
          unitMinor === undefined || unitMinor === 0n
            ? undefined
            : divide(soleMinor * 10n ** BigInt(method.decimals), unitMinor, 'up'),
      },
    ]
  })
  return previews.toSorted((a, b) => a.method.id - b.method.id)
}
