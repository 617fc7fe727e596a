/** Opens the authentication of the API, as `app/access.ts` does. */
import { systemClock } from '../../src/core/clock.ts'
import type { Log } from '../../src/core/log.ts'
import { Secret } from '../../src/core/settings.ts'
import { authenticateBearer } from '../../src/merchants/accounts/authenticate-bearer.ts'
import { openTokens } from '../../src/merchants/accounts/tokens.ts'
import { authenticateKey, openKeyLookUps } from '../../src/merchants/authenticate-key.ts'
import { LastUsed } from '../../src/merchants/last-used.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import { type Authenticator, authenticator } from '../../src/platform/http/auth.ts'

/** The account that owns all merchants, and its session. */
export interface Owner {
  readonly accountId: string
  readonly sessionId: string
}

/** @param owner the account for which every token counts as issued; signatures of tokens have tests of their own */
export function openAuthenticator(
  { db, log }: { readonly db: Db; readonly log: Log },
  owner: Owner,
): Authenticator {
  const lastUsed = new LastUsed({ db, clock: systemClock, log })
  const keyLookUps = openKeyLookUps(db)
  const issued = openTokens({ jwtSecret: new Secret('5a'.repeat(32)), clock: systemClock })
  const tokens = { ...issued, read: async () => owner }
  return authenticator({
    authenticateBearer: (token, merchantId) => authenticateBearer({ db, tokens }, token, merchantId),
    authenticateCookie: async () => undefined,
    authenticateKey: (key, merchantId, address) =>
      authenticateKey({ keyLookUps, lastUsed }, key, merchantId, address),
  })
}
