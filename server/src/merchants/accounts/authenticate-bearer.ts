import type { Queryable } from '../../platform/db/pool.ts'
import type { Authentication } from '../../platform/http/auth.ts'
import { findSessionAccess } from './session-store.ts'
import type { Tokens } from './tokens.ts'

/**
 * Returns the caller whom a Bearer token identifies, and the caller's access to `merchantId`. Returns
 * undefined if the token is invalid or its session has ended.
 */
export async function authenticateBearer(
  { db, tokens }: { readonly db: Queryable; readonly tokens: Tokens },
  token: string,
  merchantId: string | undefined,
): Promise<Authentication | undefined> {
  const claims = await tokens.read(token)
  if (claims === undefined) return undefined
  const found = await findSessionAccess(db, { ...claims, merchantId })
  if (found === undefined) return undefined
  const { isOperator, access, role } = found
  return {
    caller: { type: 'account', ...claims, isOperator },
    access,
    ...(role === undefined ? {} : { role }),
  }
}
