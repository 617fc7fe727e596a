/** Whoever credits a deposit looks at its MAC first: the database alone does not say what was paid to whom. */

import { AlertError } from '../../core/errors.ts'
import { noteTamperings } from '../../platform/audit/tampering-store.ts'
import { macsOf, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Transaction } from './deposit.ts'
import { hasDepositMac } from './deposit-mac.ts'

/**
 * The deposits that are as a watcher of ours recorded them. The others are noted, which halts payouts, and are left as
 * they are: nothing is credited by them, and nobody waits for them.
 */
export async function leaveOutForged(
  tx: Tx,
  deposits: readonly Transaction[],
): Promise<readonly Transaction[]> {
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

/** For what one operator decides on one deposit. @throws AlertError */
export function requireGenuine(on: Queryable, deposit: Transaction): void {
  if (!hasDepositMac(macsOf(on), deposit)) throw new AlertError('deposit-tampered', detailOf(deposit))
}

function detailOf({ id, network, txHash }: Transaction): string {
  return `the deposit ${id} (${txHash} on ${network}) is not as it was recorded: it carries no MAC of BOOKS_KEY_FILE`
}
