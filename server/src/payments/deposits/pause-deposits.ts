import { recordAudit } from '../../platform/audit/store.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { mostConfirmations, type PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { deletePause, savePause } from './pause-store.ts'

/** A reorganisation as deep as that happens by attack or by a fault, not by chance. */
const pausingDepth = 3

/**
 * Credits nothing on a network of outpoints for a while if so many blocks were taken back: until there are twice as many
 * blocks above the common ancestor as the largest deposits wait for, or as were taken back if that is more.
 * @returns until which height, or undefined where nothing is paused
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
 * An operator lets a network credit again; what has its confirmations is credited with the next block.
 * @returns whether it was paused
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
