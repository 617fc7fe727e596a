/**
 * The MAC of a claim. It covers the merchant who pays, the amount, and the hash of the claim token. Whoever
 * holds the token gets the money.
 */
import type { BooksMacs } from '../../../core/books-macs.ts'

export interface ClaimFacts {
  readonly invoiceId: string
  readonly merchantId: string
  /** The amount of the invoice, in 10^-8 USD. */
  readonly amountUsd: bigint
  /** SHA-256 of the claim token. */
  readonly claimHash: Buffer
}

export function claimMac(macs: BooksMacs, facts: ClaimFacts): string {
  return macs.claim.mac(macText(facts))
}

export function hasClaimMac(macs: BooksMacs, facts: ClaimFacts, mac: string | undefined): boolean {
  return macs.claim.verify(macText(facts), mac ?? '')
}

function macText({ invoiceId, merchantId, amountUsd, claimHash }: ClaimFacts): string {
  return JSON.stringify([
    'coffer/claim/1',
    invoiceId.toLowerCase(),
    merchantId.toLowerCase(),
    String(amountUsd),
    claimHash.toString('hex'),
  ])
}
