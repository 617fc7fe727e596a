import { formatDecimal, parseDecimal } from '../core/money.ts'

/** The top-level container of invoices, balances, keys and settings. */
export interface Merchant {
  readonly id: string
  readonly name: string
  readonly settings: MerchantSettings
}

export interface MerchantSettings {
  readonly webhookUrl: string | undefined
  /** Addresses and CIDR ranges from which the API key is accepted. An empty list accepts any address. */
  readonly ipWhitelist: readonly string[]
  /** Whether an invoice is paid once its money is in a block, or only once the money is confirmed. */
  readonly paidWhen: PaidWhen
  /**
   * Tolerance for payments that are too low, in basis points of the amount. A payment counts as full if no
   * more than this share is missing. The value is from 0 to 100, so at most 1 % may be missing.
   */
  readonly toleranceBasisPoints: number
  /**
   * Whether a payment on a network that its invoice does not offer is credited when it is confirmed. If not, it
   * waits until the merchant or an operator decides.
   */
  readonly creditsWrongNetwork: boolean
}

export type PaidWhen = 'included' | 'confirmed'
export const paidWhenValues = ['included', 'confirmed'] as const

/**
 * The body of a PUT. A field that is changed by a separate route, such as `webhookUrl`, may only repeat its
 * stored value.
 */
export interface MerchantChange {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly settings?:
    | {
        readonly webhookUrl?: string | null | undefined
        readonly ipWhitelist?: readonly string[] | undefined
        readonly paidWhen?: PaidWhen | undefined
        readonly tolerancePercent?: string | undefined
        readonly creditsWrongNetwork?: boolean | undefined
      }
    | undefined
}

export interface ChangeError {
  readonly pointer: string
  readonly detail: string
}

/** Returns the merchant after a change, or the error in the change. */
export function changed(merchant: Merchant, change: MerchantChange): Merchant | ChangeError {
  const { settings = {} } = change
  const error = fixedFieldError(merchant, change)
  if (error !== undefined) return error
  const tolerance =
    settings.tolerancePercent === undefined
      ? merchant.settings.toleranceBasisPoints
      : toleranceBasisPoints(settings.tolerancePercent)
  if (tolerance === undefined) {
    return {
      pointer: '/settings/tolerancePercent',
      detail: 'must be a decimal from "0" to "1" with at most 2 decimal places',
    }
  }
  const {
    paidWhen = merchant.settings.paidWhen,
    creditsWrongNetwork = merchant.settings.creditsWrongNetwork,
  } = settings
  return {
    ...merchant,
    name: change.name ?? merchant.name,
    settings: { ...merchant.settings, paidWhen, toleranceBasisPoints: tolerance, creditsWrongNetwork },
  }
}

/**
 * Decides whether a change contains a setting that differs from the stored one, or an invalid setting. A
 * caller with an API key may not change settings.
 */
export function asksForSettings({ settings: stored }: Merchant, { settings = {} }: MerchantChange): boolean {
  const { webhookUrl, ipWhitelist, paidWhen, tolerancePercent: tolerance, creditsWrongNetwork } = settings
  return (
    (webhookUrl !== undefined && (webhookUrl ?? undefined) !== stored.webhookUrl) ||
    (ipWhitelist !== undefined && !haveSameEntries(ipWhitelist, stored.ipWhitelist)) ||
    (paidWhen !== undefined && paidWhen !== stored.paidWhen) ||
    (creditsWrongNetwork !== undefined && creditsWrongNetwork !== stored.creditsWrongNetwork) ||
    (tolerance !== undefined && toleranceBasisPoints(tolerance) !== stored.toleranceBasisPoints)
  )
}

export function tolerancePercent({ toleranceBasisPoints }: MerchantSettings): string {
  return formatDecimal(BigInt(toleranceBasisPoints), 2)
}

function toleranceBasisPoints(percent: string): number | undefined {
  const points = parseDecimal(percent, 2)
  return points === undefined || points > 100n ? undefined : Number(points)
}

function fixedFieldError(merchant: Merchant, { id, settings = {} }: MerchantChange): ChangeError | undefined {
  const { webhookUrl, ipWhitelist } = settings
  if (id !== undefined && id.toLowerCase() !== merchant.id) {
    return { pointer: '/id', detail: 'must be the id of the path; it cannot be changed' }
  }
  if (webhookUrl !== undefined && (webhookUrl ?? undefined) !== merchant.settings.webhookUrl) {
    return {
      pointer: '/settings/webhookUrl',
      detail: 'cannot be changed here; use POST /weebhook/{merchantID}',
    }
  }
  if (ipWhitelist !== undefined && !haveSameEntries(ipWhitelist, merchant.settings.ipWhitelist)) {
    return {
      pointer: '/settings/ipWhitelist',
      detail: 'cannot be changed here; use PUT /ipAddress/{merchantID}',
    }
  }
  return undefined
}

function haveSameEntries(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.toSorted().join() === b.toSorted().join()
}
