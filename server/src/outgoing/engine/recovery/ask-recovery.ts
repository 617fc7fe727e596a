import { recordAudit } from '../../../platform/audit/store.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { requestRecoveries } from './recovery-store.ts'

/**
 * Requests a recovery of every network, for an operator who restored a snapshot of the host. The operator
 * must ask for it, because the chain and the signer's log may show no sign of the restore.
 */
export async function askRecovery(
  tx: Tx,
  by: { readonly accountId?: string; readonly reason: string },
): Promise<void> {
  await requestRecoveries(tx, by.reason)
  await recordAudit(tx, {
    ...(by.accountId !== undefined && { accountId: by.accountId }),
    action: 'payouts.recovery_asked',
    subject: 'payouts',
    details: { reason: by.reason },
  })
}
