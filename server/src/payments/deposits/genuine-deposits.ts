/**
 * Checks the MAC of each deposit before the deposit is credited. The database alone does not prove what was
 * paid to whom.
 */

import { AlertError } from '../../core/errors.ts'
import { noteTamperings } from '../../platform/audit/tampering-store.ts'
import { macsOf, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Deposit } from './deposit.ts'
import { hasDepositMac } from './deposit-mac.ts'

/**
 * Returns the deposits whose MAC proves that one of our watchers recorded them. The other deposits are
 * recorded as tampering, which halts payouts, and are never credited.
 */
export async function leaveOutForged(tx: Tx, deposits: readonly Deposit[]): Promise<readonly Deposit[]> {
  if (deposits.length === 0) return deposits
  const macs = macsOf(tx)
  const forged = deposits.filter((deposit) => !hasDepositMac(macs, deposit))
  if (forged.length === 0) return deposits
  await noteTamperings(
    tx,
    forged.map((deposit) => ({ subject: `deposit ${deposit.id}`, detail: detailOf(deposit) })),
  )
  return deposits.filter((deposit) => !forged.includes(deposit))
}

/**
 * Checks the MAC of one deposit before an operator's decision about this deposit is carried out.
 * @throws AlertError if the MAC does not match
 */
export function requireGenuine(on: Queryable, deposit: Deposit): void {
  if (!hasDepositMac(macsOf(on), deposit)) throw new AlertError('deposit-tampered', detailOf(deposit))
}

function detailOf({ id, network, txHash }: Deposit): string {
  return `the deposit ${id} (${txHash} on ${network}) was altered or forged: it has no valid MAC of BOOKS_KEY_FILE`
}
