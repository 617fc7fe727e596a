/** The MAC of an attribution. It proves that an operator decided who owns a deposit. */

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
 * Returns the attributions with a valid MAC, which only our processes can write. The other attributions are
 * recorded as tampering, which halts payouts, and are not booked.
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
    forged.map(({ depositId }) => ({
      subject: `attribution ${depositId}`,
      detail: `the attribution of transaction ${depositId} was altered or forged: it has no valid MAC of BOOKS_KEY_FILE`,
    })),
  )
  return attributions.filter((attribution) => !forged.includes(attribution))
}

function macText({ depositId, merchantId, terms }: Attribution): string {
  return JSON.stringify([
    'coffer/attribution/1',
    depositId.toLowerCase(),
    merchantId?.toLowerCase() ?? null,
    String(terms.percentBasisPoints),
    String(terms.flatMinor),
  ])
}
