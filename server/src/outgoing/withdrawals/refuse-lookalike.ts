import { fail } from '../../core/errors.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { findLookalike } from './store.ts'

/** A destination that its merchant chose, in canonical spelling. */
export interface ChosenDestination {
  readonly id: string
  readonly merchantId: string
  readonly address: string
  readonly accountId: string | undefined
  /** Whether the merchant says that it has compared the whole address. */
  readonly isConfirmed: boolean
}

/**
 * Refuses an address that begins and ends like one the merchant has paid and is another, until the merchant says that it
 * is meant: such addresses are made to be copied from a list of transactions. Both is written down.
 * @throws Problem lookalike-address
 */
export async function refuseLookalike(
  { db, display }: { readonly db: Db; display(address: string): string },
  { id, merchantId, address, accountId, isConfirmed }: ChosenDestination,
): Promise<void> {
  const lookalike = await findLookalike(db, merchantId, address)
  if (lookalike === undefined) return
  await inTransaction(db, (tx) =>
    recordAudit(tx, {
      ...(accountId !== undefined && { accountId }),
      merchantId,
      action: isConfirmed ? 'withdrawal.lookalike_confirmed' : 'withdrawal.lookalike_refused',
      subject: id,
      details: { address, looksLike: lookalike },
    }),
  )
  if (isConfirmed) return
  const detail =
    `${display(address)} begins and ends like ${display(lookalike)}, which was paid before, and is another address. ` +
    'Compare every character; if it is right, send "confirmLookalike": true.'
  throw fail('lookalike-address', detail, {
    errors: [{ pointer: '/address', detail: 'looks like an address that was paid before' }],
  })
}
