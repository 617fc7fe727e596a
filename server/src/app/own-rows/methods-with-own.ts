import { ownMethods } from '../../pricing/own-rows/own-methods.ts'
import type { OwnRows } from '../../pricing/own-rows/signed-rows.ts'
import { devTiers } from '../../pricing/payment-methods/catalogue.ts'
import {
  coinIdsOf,
  type PaymentMethod,
  type PaymentMethods,
  paymentMethods,
} from '../../pricing/payment-methods/payment-method.ts'
import type { Config } from '../settings/config.ts'

/** What decides which of the payment methods are used. */
export interface MethodsInUse {
  /** The names of the networks that are followed. */
  readonly followed: ReadonlySet<string>
  /** The ids of the operator's own methods that new invoices may not offer. */
  readonly disabled: ReadonlySet<number>
}

/** Returns the payment methods of an installation: those that come with Coffer, and the operator's own. */
export function methodsWithOwn(
  { mode, tokensOnlyNetworks }: Pick<Config, 'mode' | 'tokensOnlyNetworks'>,
  shipped: readonly PaymentMethod[],
  rows: OwnRows,
  { followed, disabled }: MethodsInUse,
): PaymentMethods {
  const { methods, unusable } = ownMethods(rows, shipped, mode === 'sandbox' ? devTiers : undefined)
  const all = [...shipped, ...methods]
  const coins = coinIdsOf(all, new Set(tokensOnlyNetworks))
  return paymentMethods(all, followed, new Set([...disabled, ...coins]), unusable)
}
