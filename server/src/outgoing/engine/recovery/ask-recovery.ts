import { recordAudit } from '../../../platform/audit/store.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { requestRecoveries } from './recovery-store.ts'

/** An operator who restored a snapshot of the machine says so: no chain and no log may show it. */
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
