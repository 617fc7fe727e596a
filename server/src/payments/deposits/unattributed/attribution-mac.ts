/** The MAC over an operator's word on whose the money of a transaction is. */

import type { BooksMacs } from '../../../core/books-macs.ts'
import { noteTamperings } from '../../../platform/audit/tampering-store.ts'
import { macsOf, type Queryable } from '../../../platform/db/pool.ts'
import type { Attribution } from '../journals.ts'

export interface MacedAttribution extends Attribution {
  readonly mac: string
}

export function attributionMac(macs: BooksMacs, attribution: Attribution): string {
  return macs.attribution.mac(macText(attribution))
}

export function hasAttributionMac(macs: BooksMacs, attribution: MacedAttribution): boolean {
  return macs.attribution.verify(macText(attribution), attribution.mac)
}

/**
 * The attributions that a process of ours wrote. The others are noted, which halts payouts, and nothing is booked by them.
 */
export async function leaveOutForgedAttributions(
  on: Queryable,
  attributions: readonly MacedAttribution[],
): Promise<readonly MacedAttribution[]> {
  if (attributions.length === 0) return attributions
  const macs = macsOf(on)
  const forged = attributions.filter((attribution) => !hasAttributionMac(macs, attribution))
  await noteTamperings(
    on,
    forged.map(({ transactionId }) => ({
      subject: `attribution ${transactionId}`,
      detail: `nobody said whose the money of transaction ${transactionId} is: its attribution carries no MAC of BOOKS_KEY_FILE`,
    })),
  )
  return attributions.filter((attribution) => !forged.includes(attribution))
}

function macText({ transactionId, merchantId, terms }: Attribution): string {
  return JSON.stringify([
    'coffer/attribution/1',
    transactionId.toLowerCase(),
    merchantId?.toLowerCase() ?? null,
    String(terms.percentBasisPoints),
    String(terms.flatMinor),
  ])
}
