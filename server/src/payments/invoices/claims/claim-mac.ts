/** The MAC over what a claim pays out: whose money, how much of it, and to the holder of which token. */
import type { BooksMacs } from '../../../core/books-macs.ts'

export interface ClaimFacts {
  readonly invoiceId: string
  readonly merchantId: string
  /** In 10^-8 USD. */
  readonly amountUsd: bigint
  /** SHA-256 of its token. */
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
