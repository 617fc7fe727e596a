import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Secret } from '../core/settings.ts'
import { authenticateBearer } from '../merchants/accounts/authenticate-bearer.ts'
import { authenticateCookie } from '../merchants/accounts/dashboard-session.ts'
import { openPasswords, type Passwords } from '../merchants/accounts/passwords.ts'
import { ensureFirstAccount } from '../merchants/accounts/register-account.ts'
import { findSessionAccess } from '../merchants/accounts/session-store.ts'
import { openTokens, type Tokens } from '../merchants/accounts/tokens.ts'
import { authenticateKey, openKeyLookUps } from '../merchants/authenticate-key.ts'
import { LastUsed } from '../merchants/last-used.ts'
import type { Db } from '../platform/db/pool.ts'
import { type Authenticator, authenticator, type Caller } from '../platform/http/auth.ts'
import type { Config } from './settings/config.ts'
import { sessionLifetimes } from './settings/session-lifetimes.ts'

/** Authentication and read permissions of the API. */
export interface Access {
  readonly authenticator: Authenticator
  readonly passwords: Passwords
  readonly tokens: Tokens
  readonly lastUsed: LastUsed
  /** Decides whether a caller may read a merchant's data. Used for paths that do not name the merchant. */
  mayRead(caller: Caller, merchantId: string): Promise<boolean>
}

export interface AccessParts {
  readonly config: Config
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  /** `adminPassword` is the password of the first account; undefined if this process does not know it. */
  readonly secrets: { readonly jwtSecret: Secret; readonly adminPassword: Secret | undefined }
}

/**
 * Opens the authentication by Bearer token, cookie and API key. If the database has no account, creates the
 * first account.
 */
export async function openAccess({ config, db, clock, log, secrets }: AccessParts): Promise<Access> {
  const passwords = openPasswords()
  const tokens = openTokens({ jwtSecret: secrets.jwtSecret, clock })
  const lastUsed = new LastUsed({ db, clock, log })
  const keyLookUps = openKeyLookUps(db)
  const { adminPassword } = secrets
  if (adminPassword !== undefined) {
    await ensureFirstAccount({ db, passwords }, { email: config.adminEmail, password: adminPassword })
  }
  return {
    passwords,
    tokens,
    lastUsed,
    authenticator: authenticator({
      authenticateBearer: (token, merchantId) => authenticateBearer({ db, tokens }, token, merchantId),
      authenticateCookie: (sent, merchantId) =>
        authenticateCookie({ db, tokens, ...sessionLifetimes[config.mode] }, sent, merchantId),
      authenticateKey: (key, merchantId, address) =>
        authenticateKey({ keyLookUps, lastUsed }, key, merchantId, address),
    }),
    mayRead: async (caller, merchantId) => {
      if (caller.type === 'key') return caller.merchantId === merchantId
      return (await findSessionAccess(db, { ...caller, merchantId }))?.access === 'allowed'
    },
  }
}
