/** The requests of merchants to be credited with payments on a network that their invoice does not offer. */
import type { ModelAsset } from '../model/asset.ts'
import type { TrueTransfer } from '../model/true-transfer.ts'

type Payment = Pick<TrueTransfer, 'network' | 'txHash' | 'recipient' | 'contract'>

/** What the model knows of the requests to credit one payment. */
export interface CreditRequest {
  /** Number of requests, without those that the API rejected. Some of them may have had no effect. */
  open: number
  /** Whether the API has confirmed the credit. */
  isConfirmed: boolean
}

/** The part of the model that knows the requests, by `paymentKeyOf`. */
interface KnownRequests {
  readonly creditRequests: Map<string, CreditRequest>
}

/** Identifies a payment. The same transaction may be mined on two networks. */
export function paymentKeyOf({ network, txHash, recipient, contract }: Payment): string {
  return [network, txHash, recipient, contract ?? 'coin'].join(' ')
}

/** Returns the requests to credit a payment, to change them. */
export function creditRequestOf({ creditRequests }: KnownRequests, payment: Payment) {
  const key = paymentKeyOf(payment)
  const known = creditRequests.get(key) ?? { open: 0, isConfirmed: false }
  creditRequests.set(key, known)
  return known
}

/** Returns whether payments in this asset to the address are on a network that the invoice does not offer. */
export function isOnWrongNetwork(
  { network }: { readonly network: string },
  payment: Pick<ModelAsset | TrueTransfer, 'network'>,
): boolean {
  return network !== payment.network
}

/**
 * Returns whether a merchant is credited with a payment on the wrong network because it asked for it. The payment must
 * reach the minimum on its own.
 * @param certainty `possible` counts requests without an answer too
 */
export function isCreditedOnRequest(
  { creditRequests }: KnownRequests,
  { minimumMinor }: ModelAsset,
  payment: TrueTransfer,
  certainty: Certainty,
): boolean {
  const request = creditRequests.get(paymentKeyOf(payment))
  if (request === undefined || payment.amountMinor < minimumMinor) return false
  return request.isConfirmed || (certainty === 'possible' && request.open > 0)
}

/** Which credits count: those that the model knows, or also those that a request without an answer may have made. */
export type Certainty = 'certain' | 'possible'
