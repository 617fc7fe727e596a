import { newId } from '../../../src/core/ids.ts'
import type { Queryable } from '../../../src/platform/db/pool.ts'
import { fromNow } from '../records/values.ts'
import { sessionRecords } from './records.ts'

/** Adds logins of a person that began two hours ago and end tomorrow. */
export async function addLogins(on: Queryable, accountId: string, count: number): Promise<void> {
  const login = {
    accountId,
    type: 'login',
    expiresAt: fromNow('1 day'),
    createdAt: fromNow('-2 hours'),
  }
  await sessionRecords.add(on, ...Array.from({ length: count }, () => ({ id: newId(), ...login })))
}

/** Adds access tokens of a person that end tomorrow. */
export async function addTokens(on: Queryable, accountId: string, count: number): Promise<void> {
  const token = { accountId, type: 'access_token', name: 'x', expiresAt: fromNow('1 day') }
  await sessionRecords.add(on, ...Array.from({ length: count }, () => ({ id: newId(), ...token })))
}
