import sql from 'sql-template-tag'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'

export interface StoredFactor {
  readonly sealedSecret: Buffer
  readonly confirmedAt: Date | null
  readonly usedStep: number
  /** Time of the database in seconds since 1970. */
  readonly epochS: number
}

export function findFactor(tx: Tx, accountId: string): Promise<StoredFactor | undefined> {
  return one<StoredFactor>(
    tx,
    sql`
      select sealed_secret as "sealedSecret", confirmed_at as "confirmedAt", used_step::float8 as "usedStep",
        extract(epoch from coffer_clock())::float8 as "epochS"
      from second_factor where account_id = ${accountId}`,
  )
}

export async function hasConfirmedFactor(on: Queryable, accountId: string): Promise<boolean> {
  const row = await one(
    on,
    sql`select 1 from second_factor where account_id = ${accountId} and confirmed_at is not null`,
  )
  return row !== undefined
}

export interface FactorState {
  readonly confirmedAt: Date | null
  readonly recoveryCodesLeft: number
}

export async function readFactorState(on: Queryable, accountId: string): Promise<FactorState> {
  const row = await one<FactorState>(
    on,
    sql`
      select f.confirmed_at as "confirmedAt", count(c.code_hash) as "recoveryCodesLeft"
      from second_factor f
      left join recovery_code c on c.account_id = f.account_id and c.used_at is null
      where f.account_id = ${accountId} group by f.account_id`,
  )
  return row ?? { confirmedAt: null, recoveryCodesLeft: 0 }
}

/**
 * Stores a secret that is not confirmed yet. An earlier unconfirmed secret is replaced. Returns false if a
 * second factor is enabled.
 */
export async function insertShownFactor(tx: Tx, accountId: string, sealedSecret: Buffer): Promise<boolean> {
  const row = await one(
    tx,
    sql`
      insert into second_factor as f (account_id, sealed_secret) values (${accountId}, ${sealedSecret})
      on conflict (account_id) do update
        set sealed_secret = excluded.sealed_secret, created_at = coffer_now(), used_step = 0
        where f.confirmed_at is null
      returning 1`,
  )
  return row !== undefined
}

/**
 * Enables the second factor whose secret was shown, and stores the time step of the code that confirmed it.
 * Returns false if a newer secret was shown meanwhile.
 */
export async function confirmFactor(
  tx: Tx,
  { accountId, sealedSecret, step }: { accountId: string; sealedSecret: Buffer; step: number },
): Promise<boolean> {
  const row = await one(
    tx,
    sql`
      update second_factor set confirmed_at = coffer_now(), used_step = ${step}
      where account_id = ${accountId} and sealed_secret = ${sealedSecret} and confirmed_at is null
      returning 1`,
  )
  return row !== undefined
}

/**
 * Marks a time step as used. Returns false if this step or a later one was used before. A code therefore
 * works once, even if two requests use it at the same time.
 */
export async function takeStep(tx: Tx, accountId: string, step: number): Promise<boolean> {
  const row = await one(
    tx,
    sql`
      update second_factor set used_step = ${step}
      where account_id = ${accountId} and used_step < ${step} returning 1`,
  )
  return row !== undefined
}

/** Deletes the second factor and returns whether there was one. */
export async function deleteFactor(tx: Tx, accountId: string): Promise<boolean> {
  const row = await one(tx, sql`delete from second_factor where account_id = ${accountId} returning 1`)
  return row !== undefined
}

/** Replaces all recovery codes of the account. */
export async function replaceRecoveryCodes(
  tx: Tx,
  accountId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await tx.query(sql`delete from recovery_code where account_id = ${accountId}`)
  await tx.query(sql`
    insert into recovery_code (account_id, code_hash) select ${accountId}, unnest(${hashes}::bytea[])`)
}

/** Marks a recovery code as used. Returns false if the account has no such unused code. */
export async function useRecoveryCode(tx: Tx, accountId: string, codeHash: Buffer): Promise<boolean> {
  const row = await one(
    tx,
    sql`
      update recovery_code set used_at = coffer_now()
      where account_id = ${accountId} and code_hash = ${codeHash} and used_at is null returning 1`,
  )
  return row !== undefined
}

export function readSealedFactorsAfter(
  on: Queryable,
  after: string,
  rows: number,
): Promise<readonly { readonly accountId: string; readonly sealedSecret: Buffer }[]> {
  return on.query(sql`
    select account_id as "accountId", sealed_secret as "sealedSecret"
    from second_factor where account_id > ${after} order by account_id limit ${rows}`)
}

/**
 * Replaces the encrypted secret `former` by `current`. Changes nothing if the stored secret is no longer
 * `former`.
 */
export async function replaceSealedFactor(
  on: Queryable,
  change: { readonly accountId: string; readonly former: Buffer; readonly current: Buffer },
): Promise<void> {
  await on.query(sql`
    update second_factor set sealed_secret = ${change.current}
    where account_id = ${change.accountId} and sealed_secret = ${change.former}`)
}
