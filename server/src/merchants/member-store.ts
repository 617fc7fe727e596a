import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../platform/db/pool.ts'
import type { Tx } from '../platform/db/transaction.ts'
import type { Role } from '../platform/http/auth.ts'
import type { Member } from './member.ts'

const columns = sql`member.account_id as "accountId", account.email, member.role, member.created_at as "createdAt"`

/** Returns all members, oldest first. `limits.membersPerMerchant` bounds their number. */
export function listMembers(on: Queryable, merchantId: string): Promise<readonly Member[]> {
  return on.query<Member>(sql`
    select ${columns} from member join account on account.id = member.account_id
    where merchant_id = ${merchantId} order by member.created_at, member.account_id`)
}

/**
 * Returns all members of a merchant and blocks changes to its members until the transaction ends. It locks
 * the merchant's row, because locks on the rows of members would not prevent two owners from removing each
 * other at once.
 */
export async function lockMembers(tx: Tx, merchantId: string): Promise<readonly Member[]> {
  const merchant = await one(
    tx,
    sql`select 1 from merchant where id = ${merchantId} and deleted_at is null for no key update`,
  )
  return merchant === undefined ? [] : listMembers(tx, merchantId)
}

export async function insertMember(
  tx: Tx,
  { merchantId, accountId, role }: { merchantId: string; accountId: string; role: Role },
): Promise<Date> {
  const row = await one<{ created_at: Date }>(
    tx,
    sql`
      insert into member (account_id, merchant_id, role) values (${accountId}, ${merchantId}, ${role})
      returning created_at`,
  )
  if (row === undefined) throw new Error('an insert returned no row')
  return row.created_at
}

export async function updateMember(
  tx: Tx,
  { merchantId, accountId, role }: { merchantId: string; accountId: string; role: Role },
): Promise<void> {
  await tx.query(sql`
    update member set role = ${role} where merchant_id = ${merchantId} and account_id = ${accountId}`)
}

export async function deleteMember(
  tx: Tx,
  { merchantId, accountId }: { merchantId: string; accountId: string },
): Promise<void> {
  await tx.query(sql`delete from member where merchant_id = ${merchantId} and account_id = ${accountId}`)
}

/**
 * Returns the account that has been an owner of the merchant for longest. Limits for each account apply to
 * all merchants of this owner together.
 */
export async function findFirstOwner(on: Queryable, merchantId: string): Promise<string | undefined> {
  const row = await one<{ id: string }>(
    on,
    named(
      'find-first-owner',
      sql`select account_id as id from member where merchant_id = ${merchantId} and role = 'owner'
          order by created_at, account_id limit 1`,
    ),
  )
  return row?.id
}
