import { formatDecimal, parseDecimal } from '../core/money.ts'

/** The top-level container of invoices, balances, keys and settings. */
export interface Merchant {
  readonly id: string
  readonly name: string
  readonly settings: MerchantSettings
}

export interface MerchantSettings {
  readonly webhookUrl: string | undefined
  /** Addresses and CIDR ranges from which the API key is accepted; empty: from anywhere. */
  readonly ipWhitelist: readonly string[]
  /** Whether an invoice is paid when its money is in a block, or only when that is confirmed. */
  readonly paidWhen: PaidWhen
  /** What may be missing from a payment that still counts as full, in hundredths of a percent; 0 to 100. */
  readonly toleranceBasisPoints: number
}

export type PaidWhen = 'included' | 'confirmed'
export const paidWhenValues = ['included', 'confirmed'] as const

/** What a PUT may carry. Fields that have routes of their own may only repeat what is stored. */
export interface MerchantChange {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly settings?:
    | {
        readonly webhookUrl?: string | null | undefined
        readonly ipWhitelist?: readonly string[] | undefined
        readonly paidWhen?: PaidWhen | undefined
        readonly tolerancePercent?: string | undefined
      }
    | undefined
}

export interface ChangeFault {
  readonly pointer: string
  readonly detail: string
}

/** The merchant after a change, or what is wrong with the change. */
export function changed(merchant: Merchant, change: MerchantChange): Merchant | ChangeFault {
  const { settings = {} } = change
  const fault = fixedFieldFault(merchant, change)
  if (fault !== undefined) return fault
  const tolerance =
    settings.tolerancePercent === undefined
      ? merchant.settings.toleranceBasisPoints
      : toleranceBasisPoints(settings.tolerancePercent)
  if (tolerance === undefined) {
    return {
      pointer: '/settings/tolerancePercent',
      detail: 'must be a decimal from "0" to "1" with at most 2 places',
    }
  }
  const paidWhen = settings.paidWhen ?? merchant.settings.paidWhen
  return {
    ...merchant,
    name: change.name ?? merchant.name,
    settings: { ...merchant.settings, paidWhen, toleranceBasisPoints: tolerance },
  }
}

/** Whether a change asks for other settings than are stored, valid ones or not, which an API key may not. */
export function asksForSettings({ settings: stored }: Merchant, { settings = {} }: MerchantChange): boolean {
  const { webhookUrl, ipWhitelist, paidWhen, tolerancePercent: tolerance } = settings
  return (
    (webhookUrl !== undefined && (webhookUrl ?? undefined) !== stored.webhookUrl) ||
    (ipWhitelist !== undefined && !haveSameEntries(ipWhitelist, stored.ipWhitelist)) ||
    (paidWhen !== undefined && paidWhen !== stored.paidWhen) ||
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

function fixedFieldFault(merchant: Merchant, { id, settings = {} }: MerchantChange): ChangeFault | undefined {
  const { webhookUrl, ipWhitelist } = settings
  if (id !== undefined && id.toLowerCase() !== merchant.id) {
    return { pointer: '/id', detail: 'must be the id of the path; it cannot be changed' }
  }
  if (webhookUrl !== undefined && (webhookUrl ?? undefined) !== merchant.settings.webhookUrl) {
    return { pointer: '/settings/webhookUrl', detail: 'is changed by POST /weebhook/{merchantID}' }
  }
  if (ipWhitelist !== undefined && !haveSameEntries(ipWhitelist, merchant.settings.ipWhitelist)) {
    return { pointer: '/settings/ipWhitelist', detail: 'is changed by PUT /ipAddress/{merchantID}' }
  }
  return undefined
}

function haveSameEntries(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.toSorted().join() === b.toSorted().join()
}
