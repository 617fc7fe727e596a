/** Reads the holds of orders from the books. */
import sql from 'sql-template-tag'
import { named, type Queryable } from '../../../platform/db/pool.ts'
import type { OrderHold } from './wanted.ts'

interface HoldRow {
  readonly id: string
  readonly kind: string
  readonly is_sealed: boolean
  /** [account, owner, asset, debit, credit] of each line. */
  readonly lines: readonly (readonly [string, string | null, string, string, string])[]
  readonly followed_by: readonly string[]
}

/**
 * Returns the holds of orders by the ids of the orders, read from one snapshot of the database. If no journal
 * ever held the money of an order, the result has no entry for the order.
 */
export async function readOrderHolds(
  on: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, OrderHold>> {
  if (ids.length === 0) return new Map()
  const rows = await on.query<HoldRow>(
    named(
      'read-order-holds',
      sql`
      select wanted.id, hold.kind,
        exists (select from journal_seal where journal_seal.journal_id = hold.id) as is_sealed,
        array(
          select jsonb_build_array(account.name, account.owner_id, account.asset, line.debit::text, line.credit::text)
          from journal_line line join ledger_account account on account.id = line.account_id
          where line.journal_id = hold.id order by line.ordinal
        ) as lines,
        array(
          select later.subject from journal later
          where later.subject in (
            'withdrawal:' || wanted.id || ':released',
            'withdrawal:' || wanted.id || ':retaken',
            'withdrawal:' || wanted.id || ':released-again'
          )
          union
          select reversal.subject from journal reversal where reversal.reverses = hold.id
          order by 1
        ) as followed_by
      from unnest(${[...new Set(ids)]}::uuid[]) wanted (id)
      join journal hold on hold.subject = 'withdrawal:' || wanted.id || ':requested'`,
    ),
  )
  return new Map(
    rows.map(({ id, kind, is_sealed: isSealed, lines, followed_by: followedBy }) => [
      id,
      {
        isSealed,
        kind,
        followedBy,
        lines: lines.map(([account, ownerId, asset, debit, credit]) => ({
          account,
          ownerId: ownerId ?? undefined,
          asset,
          debitMinor: BigInt(debit),
          creditMinor: BigInt(credit),
        })),
      },
    ]),
  )
}
