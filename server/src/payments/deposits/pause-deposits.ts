import { recordAudit } from '../../platform/audit/store.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { mostConfirmations, type PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { deletePause, savePause } from './pause-store.ts'

/** The depth in blocks from which a reorganisation is treated as an attack or a fault. */
const pausingDepth = 3

/**
 * Pauses crediting on a UTXO network after a reorganisation of `pausingDepth` blocks or more. The pause ends
 * a number of blocks above the common ancestor. This number is twice the confirmations that the largest
 * deposits need, or twice the number of undone blocks if that is more.
 * @returns the height at which the pause ends, or undefined if nothing is paused
 */
export async function pauseDeposits(
  methods: PaymentMethods,
  tx: Tx,
  { network, depth, ancestorHeight }: { network: string; depth: number; ancestorHeight: number },
): Promise<number | undefined> {
  if (depth < pausingDepth) return undefined
  const untilHeight = ancestorHeight + 2 * Math.max(mostConfirmations(methods, network), depth)
  await savePause(tx, { network, depth, untilHeight })
  return untilHeight
}

/**
 * Ends a pause by an operator's decision. Deposits that have enough confirmations are credited when the next
 * block is booked.
 * @returns whether the network was paused
 */
export async function resumeDeposits(
  tx: Tx,
  network: string,
  by: { readonly accountId?: string; readonly reason: string },
): Promise<boolean> {
  if (!(await deletePause(tx, network))) return false
  await recordAudit(tx, {
    ...(by.accountId !== undefined && { accountId: by.accountId }),
    action: 'deposits.resumed',
    subject: network,
    details: { reason: by.reason },
  })
  return true
}
