/**
 * The reference model. It computes the money that merchants must have, only from the chain and the answers of
 * the API. It does not read the database. It implements the rules of the specification independently of the
 * service.
 */

import { groupBy } from '../../src/core/group-by.ts'
import { sum } from '../../src/core/money.ts'
import type { AskedQuote, PriceReading } from '../prices/price-reading.ts'
import type { ModelTreasuryOrder } from '../treasury/treasury-order.ts'
import {
  type Certainty,
  type CreditRequest,
  isCreditedOnRequest,
  isOnWrongNetwork,
} from '../wrong-network/credit-request.ts'
import { totalOf } from './amounts.ts'
import type { Approvals } from './approvals.ts'
import type { ModelAsset } from './asset.ts'
import type { Deletion } from './deletion.ts'
import type { ModelOrder } from './order.ts'
import type { Tampering } from './tampering.ts'
import type { TrueTransfer } from './true-transfer.ts'

/** How long an invoice of the simulation can be paid. */
export const invoiceLifetimeMs = 60 * 60_000

/** An address that the API showed to a payer of an invoice. */
export interface ShownAddress {
  readonly merchantId: string
  readonly invoiceId: string
  readonly address: string
  readonly methodId: number
  /** The network of the payment method, the only one that the invoice offers. */
  readonly network: string
  /** The amount of the invoice in USD. */
  readonly amountUsd: string
  /** The amount that the payer was asked for first. */
  readonly amountMinor: bigint
  /** When the first quote expires. */
  readonly expiresMs: number
  /** When the invoice was asked for, and when the API answered. */
  readonly requestedMs: number
  readonly answeredMs: number
}

export class Model {
  readonly merchants: string[] = []
  /** The merchants whose invoices are paid only by confirmed payments. */
  readonly awaitsConfirmation = new Set<string>()
  /** The merchants that are credited at once with payments on a network that their invoice does not offer. */
  readonly creditsWrongNetwork = new Set<string>()
  /** The requests to credit such payments, by `paymentKeyOf`. */
  readonly creditRequests = new Map<string, CreditRequest>()
  /** The merchant of each invoice that was requested, even if the API did not answer. */
  readonly invoices = new Map<string, string>()
  readonly shown: ShownAddress[] = []
  readonly orders: ModelOrder[] = []
  /** The asset and the address of each order that a merchant prepared, even if the API never took its request. */
  readonly addressed = new Set<string>()
  readonly treasuryOrders: ModelTreasuryOrder[] = []
  /** The answers of the price source, oldest first. */
  readonly readings: PriceReading[] = []
  /** When the API was started, oldest first. A request that was sent before a start has ended by then. */
  readonly apiStartsMs: number[] = []
  /** The requests of payers who asked again for the address of an invoice, oldest first. */
  readonly askedQuotes: AskedQuote[] = []
  /** The recipients that behaved unusually at any time. Only payments to them may fail. */
  readonly unusual = new Set<string>()
  /**
   * The senders on a sanctions list. No merchant is credited with their payments, and the money must not
   * leave its address.
   */
  readonly listed = new Set<string>()
  /**
   * The senders that the service may have been unable to screen for a while, each with its network. Their payments
   * may be in quarantine until they are screened again.
   */
  readonly unscreened = new Set<string>()
  /**
   * The senders, each with its network, that the service could not screen although their oracle had answered in time
   * and recently.
   */
  readonly wronglyUnscreened = new Set<string>()
  /** The orders that may fail, because payers took back payments in blocks that were final. */
  readonly takenBack = new Set<ModelOrder>()
  /** The requests to delete invoices, oldest first. */
  readonly deletions: Deletion[] = []
  /**
   * Whether the database was restored to an earlier state. Records that are newer than that state may be
   * missing. Even then, no order may be paid twice.
   */
  isRestored = false
  /**
   * Whether Coffer may have believed invented payments. The books may then be wrong, but no merchant may be
   * paid too much.
   */
  isDeceived = false
  /** The names of the assets in which a node invented payments. */
  readonly invented = new Set<string>()
  /** The approval limit and the decisions of the operator. Undefined if no order needs an operator. */
  approvals: Approvals | undefined
  /**
   * The network on which the operator has withdrawn all its coin, and since when. Orders on it that are requested later
   * may wait, because nothing pays for their gas. Undefined if it has coin on all networks.
   */
  withoutCapital: { readonly network: string; readonly fromMs: number } | undefined
  /** The rows that an attacker changed. */
  readonly tamperings: Tampering[] = []
  /** Number of moves that let a whole day pass. */
  days = 0
}

/**
 * Returns the fee of a deposit or a withdrawal in a sandbox. It is one percent, plus 0.1 for stablecoins,
 * rounded up.
 */
export function feeOf(grossMinor: bigint, { decimals, isStable }: ModelAsset): bigint {
  const percentMinor = (grossMinor + 99n) / 100n
  const flatMinor = isStable ? 10n ** BigInt(decimals) / 10n : 0n
  const wantedMinor = percentMinor + flatMinor < grossMinor ? percentMinor + flatMinor : grossMinor
  // Balances have at most eight decimal places. The remainder below the eighth place is added to the fee.
  const step = decimals > 8 ? 10n ** BigInt(decimals - 8) : 1n
  const netMinor = ((grossMinor - wantedMinor) / step) * step
  return grossMinor - netMinor
}

/** The payments of one invoice that its merchant is credited with. */
interface CreditedPayments {
  readonly merchantId: string
  readonly payments: readonly TrueTransfer[]
}

/** The part of the model that says which payments are credited. */
export type Crediting = Pick<Model, 'shown' | 'listed' | 'creditsWrongNetwork' | 'creditRequests'>

/**
 * Returns the payments in an asset that merchants must be credited with, for each invoice. An invoice counts only if
 * its payments together reach the minimum. A payment on a network that the invoice does not offer counts only if its
 * merchant credits such payments at once, or asked for this one. Payments of listed senders do not count.
 */
export function creditedPayments(
  model: Crediting,
  asset: ModelAsset,
  transfers: readonly TrueTransfer[],
  certainty: Certainty = 'certain',
): readonly CreditedPayments[] {
  const { shown, listed, creditsWrongNetwork } = model
  const counted = transfers.filter(
    (transfer) => isOf(asset, transfer) && !transfer.isFromUs && !listed.has(transfer.sender),
  )
  return [...groupBy(shown, ({ invoiceId }) => invoiceId).values()].flatMap((ofInvoice) => {
    const addresses = new Set(ofInvoice.map(({ address }) => address))
    const payments = counted.filter(({ recipient }) => addresses.has(recipient))
    const [first] = ofInvoice
    if (first === undefined) return []
    const { merchantId } = first
    if (isOnWrongNetwork(first, asset) && !creditsWrongNetwork.has(merchantId)) {
      const asked = payments.filter((one) => isCreditedOnRequest(model, asset, one, certainty))
      return [{ merchantId, payments: asked }]
    }
    return totalOf(payments) < asset.minimumMinor ? [] : [{ merchantId, payments }]
  })
}

/** Returns the amount of an asset that each merchant must be credited with: its payments minus the fees. */
export function creditsOf(
  model: Crediting,
  asset: ModelAsset,
  transfers: readonly TrueTransfer[],
  certainty: Certainty = 'certain',
): ReadonlyMap<string, bigint> {
  const credits = new Map<string, bigint>()
  for (const { merchantId, payments } of creditedPayments(model, asset, transfers, certainty)) {
    const netMinor = sum(payments.map(({ amountMinor }) => amountMinor - feeOf(amountMinor, asset)))
    credits.set(merchantId, (credits.get(merchantId) ?? 0n) + netMinor)
  }
  return credits
}

/** Returns true if the hot wallet had no coin to pay for gas when the order was requested. */
export function isWithoutGas(
  { withoutCapital }: Pick<Model, 'withoutCapital'>,
  { requestedMs, asset }: Pick<ModelOrder, 'requestedMs' | 'asset'>,
): boolean {
  return asset.network === withoutCapital?.network && requestedMs >= withoutCapital.fromMs
}

/** Returns whether a transfer is in this asset. */
export function isOf(asset: ModelAsset, { network, contract }: TrueTransfer): boolean {
  return network === asset.network && contract === asset.contract
}
