import { fail, type Problem } from '../../core/errors.ts'
import type { Screening } from '../../payments/screening/screen.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'

/** A withdrawal as it was asked for. */
export interface RefusedWish {
  readonly id: string
  readonly merchantId: string | undefined
  readonly address: string
  /** Who asked; absent for a key and for a payee. */
  readonly accountId: string | undefined
}

/**
 * Refuses a destination that is named by a sanctions list or by the network's oracle, before anything is held. One that
 * cannot be told at the moment is let through: its withdrawal waits until it can, before it is approved.
 * @throws Problem listed-address
 */
export async function refuseListed(
  { db, screening }: { readonly db: Db; readonly screening: Screening },
  network: string,
  wish: RefusedWish,
): Promise<void> {
  if ((await screening.screen(db, network, wish.address)) !== 'listed') return
  await recordRefusal(db, wish)
  throw listed()
}

export function listed(): Problem {
  const detail = 'The address is on a sanctions list, so no money can be sent to it.'
  return fail('listed-address', detail, {
    errors: [{ pointer: '/address', detail: 'is on a sanctions list' }],
  })
}

export async function recordRefusal(db: Db, wish: RefusedWish): Promise<void> {
  const { id, merchantId, address, accountId } = wish
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
