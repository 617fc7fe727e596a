import { fail } from '../../core/errors.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { findLookalike } from './store.ts'

/** A destination that a merchant chose, in canonical form. */
export interface ChosenDestination {
  readonly id: string
  readonly merchantId: string
  readonly address: string
  readonly accountId: string | undefined
  /** Whether the merchant confirms that it has compared the whole address. */
  readonly isConfirmed: boolean
}

/**
 * Rejects an address that the merchant has not paid, but that begins and ends like an address that the
 * merchant has paid. If the merchant confirms the address, it is accepted. Attackers generate such addresses
 * so that victims copy them from a list of transactions (address poisoning). The audit log records the
 * rejection and the confirmation.
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
    `${display(address)} begins and ends like ${display(lookalike)}, which was paid before, but is a different address. ` +
    'Compare every character; if it is right, send "confirmLookalike": true.'
  throw fail('lookalike-address', detail, {
    errors: [{ pointer: '/address', detail: 'resembles an address that was paid before' }],
  })
}
