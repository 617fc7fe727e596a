import type { Queryable } from '../../platform/db/pool.ts'
import type { Authentication } from '../../platform/http/auth.ts'
import { findSessionAccess } from './session-store.ts'
import type { Tokens } from './tokens.ts'

/** Who a Bearer token is and what it may do with `merchantId`; undefined when it is no good or its session ended. */
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
