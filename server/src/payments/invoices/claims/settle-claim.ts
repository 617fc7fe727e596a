import { AlertError, fail } from '../../../core/errors.ts'
import { macsOf } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { NewEvent } from '../../../platform/outbox/event.ts'
import { type ClaimPayout, claimPaidEvent } from '../events.ts'
import type { Invoice } from '../invoice.ts'
import { saveStandings } from '../standing-store.ts'
import { lockInvoices } from '../store.ts'
import { opensClaim } from './claim.ts'
import { hasClaimMac } from './claim-mac.ts'
import { type LockedClaim, lockClaim, saveClaimed } from './store.ts'

/**
 * Takes the claim of a withdraw invoice, in the transaction that places the hold for its payout: of any number at
 * once one gets it.
 * @throws Problem not-found for a wrong token, exactly as for a missing invoice; invoice-not-payable when it is
 * claimed already, paid or over
 * @throws AlertError where no process of ours made the claim as it is
 */
export async function takeClaim(tx: Tx, invoiceId: string, token: string): Promise<Invoice> {
  const found = await lockClaim(tx, invoiceId)
  if (found === undefined || !opensClaim(found.claimHash, token)) throw fail('not-found', 'No such invoice.')
  requireGenuine(tx, found)
  const { invoice, now } = found.context
  if (invoice.claimedAt !== undefined) throw fail('invoice-not-payable', 'The claim has been taken already.')
  const isOver = invoice.expiresAt !== undefined && invoice.expiresAt <= now
  if (invoice.state !== 'pending' || isOver) {
    throw fail('invoice-not-payable', 'The time in which this could be claimed is over.')
  }
  await saveClaimed(tx, invoiceId, true)
  return invoice
}

function requireGenuine(tx: Tx, { context: { invoice }, claimHash, mac }: LockedClaim): void {
  const { id, merchantId, amountUsd } = invoice
  if (hasClaimMac(macsOf(tx), { invoiceId: id, merchantId, amountUsd, claimHash }, mac)) return
  throw new AlertError(
    'claim-tampered',
    `the claim of invoice ${id} is not as it was made: it carries no MAC of BOOKS_KEY_FILE`,
  )
}

/** Opens a claim again whose payout failed or was cancelled; the token is good as before, within the invoice's time. */
export async function reopenClaim(tx: Tx, invoiceId: string): Promise<void> {
  await saveClaimed(tx, invoiceId, false)
}

/**
 * Makes a withdraw invoice paid, in the transaction in which its payout completes.
 * @returns the event to append there; none when it is paid already, or deleted
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
  await saveStandings(tx, [row])
  return invoice.deletedAt === undefined ? [claimPaidEvent(invoice, payout, now)] : []
}
