import { AlertError, fail } from '../../../core/errors.ts'
import { macsOf } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { NewEvent } from '../../../platform/outbox/event.ts'
import { type ClaimPayout, claimPaidEvent } from '../events.ts'
import type { Invoice } from '../invoice.ts'
import { saveStatuses } from '../status-store.ts'
import { lockInvoices } from '../store.ts'
import { opensClaim } from './claim.ts'
import { hasClaimMac } from './claim-mac.ts'
import { type LockedClaim, lockClaim, saveClaimed } from './store.ts'

/**
 * Marks a withdraw invoice as claimed, in the transaction that places the hold of its withdrawal. Only one of
 * several concurrent requests succeeds.
 * @throws Problem not-found for a wrong token, exactly as for a missing invoice; invoice-not-payable if the
 * invoice is already claimed or paid, or has ended
 * @throws AlertError if the MAC of the claim does not match
 */
export async function takeClaim(tx: Tx, invoiceId: string, token: string): Promise<Invoice> {
  const found = await lockClaim(tx, invoiceId)
  if (found === undefined || !opensClaim(found.claimHash, token)) throw fail('not-found', 'No such invoice.')
  requireGenuine(tx, found)
  const { invoice, now } = found.context
  if (invoice.claimedAt !== undefined)
    throw fail('invoice-not-payable', 'The invoice has already been claimed.')
  const isOver = invoice.expiresAt !== undefined && invoice.expiresAt <= now
  if (invoice.state !== 'pending' || isOver) {
    throw fail('invoice-not-payable', 'The invoice can no longer be claimed: it has ended or expired.')
  }
  await saveClaimed(tx, invoiceId, true)
  return invoice
}

function requireGenuine(tx: Tx, { context: { invoice }, claimHash, mac }: LockedClaim): void {
  const { id, merchantId, amountUsd } = invoice
  if (hasClaimMac(macsOf(tx), { invoiceId: id, merchantId, amountUsd, claimHash }, mac)) return
  throw new AlertError(
    'claim-tampered',
    `the claim of invoice ${id} was altered or forged: it has no valid MAC of BOOKS_KEY_FILE`,
  )
}

/**
 * Makes a withdraw invoice claimable again after its withdrawal failed or was cancelled. The token stays
 * valid until the invoice expires.
 */
export async function reopenClaim(tx: Tx, invoiceId: string): Promise<void> {
  await saveClaimed(tx, invoiceId, false)
}

/**
 * Marks a withdraw invoice as paid, in the transaction in which its withdrawal completes.
 * @returns the event to append in that transaction; none if the invoice was already paid, or is deleted
 */
export async function completeClaim(
  tx: Tx,
  invoiceId: string,
  payout: ClaimPayout,
): Promise<readonly NewEvent[]> {
  const [context] = await lockInvoices(tx, [invoiceId])
  if (context === undefined || context.invoice.state === 'paid') return []
  const { invoice, now } = context
  const row = {
    id: invoiceId,
    state: 'paid',
    exceptions: [],
    paidPeriods: 1,
    paidAt: now,
    amlOk: true,
  } as const
  await saveStatuses(tx, [row])
  return invoice.deletedAt === undefined ? [claimPaidEvent(invoice, payout, now)] : []
}
