import { fail, type Problem } from '../../core/errors.ts'
import type { Screening } from '../../payments/screening/screen.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'

/** A request for a withdrawal, before an order is stored for it. */
export interface RefusedOrder {
  readonly id: string
  readonly merchantId: string | undefined
  readonly address: string
  /** The account that requested the withdrawal. Undefined for an API key and for a payee. */
  readonly accountId: string | undefined
}

/**
 * Rejects a destination that is on a sanctions list or that the network's sanctions oracle lists, before any
 * money is held. If screening gives no answer now, the order is accepted and waits for the answer before it
 * is approved.
 * @throws Problem listed-address
 */
export async function refuseListed(
  { db, screening }: { readonly db: Db; readonly screening: Screening },
  network: string,
  params: RefusedOrder,
): Promise<void> {
  if ((await screening.screen(db, network, params.address)) !== 'listed') return
  await recordRejection(db, params)
  throw listed()
}

export function listed(): Problem {
  const detail = 'The address is on a sanctions list, so no money can be sent to it.'
  return fail('listed-address', detail, {
    errors: [{ pointer: '/address', detail: 'is on a sanctions list' }],
  })
}

export async function recordRejection(db: Db, params: RefusedOrder): Promise<void> {
  const { id, merchantId, address, accountId } = params
  await inTransaction(db, (tx) =>
    recordAudit(tx, {
      ...(accountId !== undefined && { accountId }),
      ...(merchantId !== undefined && { merchantId }),
      action: 'withdrawal.refused',
      subject: id,
      details: { address, reason: 'listed-address' },
    }),
  )
}
