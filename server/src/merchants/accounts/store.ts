import sql from 'sql-template-tag'
import { newId } from '../../core/ids.ts'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Account } from './account.ts'

/**
 * Stores an account and returns its id.
 * @throws the unique violation of `account_email_unique` if the email already has an account.
 */
export async function insertAccount(
  on: Queryable,
  account: { email: string; passwordHash: string; isOperator: boolean },
): Promise<string> {
  const id = newId()
  await on.query(sql`
    insert into account (id, email, password_hash, is_operator)
    values (${id}, ${account.email}, ${account.passwordHash}, ${account.isOperator})`)
  return id
}

/**
 * Returns whether any account exists. Until this transaction ends, no other transaction can add the first
 * account.
 */
export async function lockForFirstAccount(tx: Tx): Promise<boolean> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('coffer/first-account', 0))`)
  return hasAccount(tx)
}

export async function hasAccount(on: Queryable): Promise<boolean> {
  return (await one(on, sql`select 1 from account limit 1`)) !== undefined
}

export async function findLogin(
  on: Queryable,
  email: string,
): Promise<{ account: Account; passwordHash: string } | undefined> {
  const row = await one<{ id: string; email: string; is_operator: boolean; password_hash: string }>(
    on,
    sql`select id, email, is_operator, password_hash from account where email = ${email}`,
  )
  if (row === undefined) return undefined
  const account = { id: row.id, email: row.email, isOperator: row.is_operator }
  return { account, passwordHash: row.password_hash }
}

/**
 * Returns the email and password hash of the account that is logged in with this session; undefined for the
 * session of an API access token.
 */
export function findOwnLogin(
  on: Queryable,
  { accountId, sessionId }: { accountId: string; sessionId: string },
): Promise<{ email: string; passwordHash: string } | undefined> {
  return one<{ email: string; passwordHash: string }>(
    on,
    sql`
      select email, password_hash as "passwordHash" from account
      join session on session.account_id = account.id and session.id = ${sessionId} and type = 'login'
      where account.id = ${accountId}`,
  )
}

export interface SessionAccount {
  readonly account: Account
  readonly expiresAt: Date
  readonly hasSecondFactor: boolean
}

/** Returns the account of a session and the session's expiry; undefined if the session was revoked. */
export async function findSessionAccount(
  on: Queryable,
  { accountId, sessionId }: { accountId: string; sessionId: string },
): Promise<SessionAccount | undefined> {
  const row = await one<{ email: string; isOperator: boolean; expiresAt: Date; hasSecondFactor: boolean }>(
    on,
    sql`
      select a.email, a.is_operator as "isOperator", s.expires_at as "expiresAt",
        exists (
          select 1 from second_factor f where f.account_id = a.id and f.confirmed_at is not null
        ) as "hasSecondFactor"
      from account a join session s on s.account_id = a.id and s.id = ${sessionId} and s.revoked_at is null
      where a.id = ${accountId}`,
  )
  if (row === undefined) return undefined
  const { email, isOperator, expiresAt, hasSecondFactor } = row
  return { account: { id: accountId, email, isOperator }, expiresAt, hasSecondFactor }
}

/** Blocks new logins and API access tokens of the account until the transaction ends. */
export async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`select 1 from account where id = ${accountId} for no key update`)
}

/** Replaces the password hash. Returns false if the stored hash is no longer `oldHash`. */
export async function replacePassword(
  tx: Tx,
  change: { accountId: string; oldHash: string; newHash: string },
): Promise<boolean> {
  const row = await one(
    tx,
    sql`
      update account set password_hash = ${change.newHash}
      where id = ${change.accountId} and password_hash = ${change.oldHash} returning 1`,
  )
  return row !== undefined
}

/** Returns the account with this email. If `email` is undefined, returns the oldest operator. */
export async function findAccount(on: Queryable, email: string | undefined): Promise<Account | undefined> {
  const row = await one<{ id: string; email: string; is_operator: boolean }>(
    on,
    sql`
      select id, email, is_operator from account
      where case when ${email ?? null}::text is null then is_operator else email = ${email ?? null} end
      order by created_at, id limit 1`,
  )
  return row === undefined ? undefined : { id: row.id, email: row.email, isOperator: row.is_operator }
}
