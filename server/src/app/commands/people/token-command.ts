import { systemClock } from '../../../core/clock.ts'
import type { Secret } from '../../../core/settings.ts'
import { logInFromShell } from '../../../merchants/accounts/log-in.ts'
import { openTokens } from '../../../merchants/accounts/tokens.ts'
import { openDb } from '../../../platform/db/pool.ts'
import { readSecrets } from '../../keys/generated-secrets.ts'
import { openLog } from '../../log.ts'
import { withDatabase } from '../../open-database.ts'
import { type Config, readConfig } from '../../settings/config.ts'
import type { Command } from '../command.ts'
import { readWords } from '../read-words.ts'

const lifetimeMs = 12 * 3_600_000

export const tokenCommand: Command = {
  usage: '[email]',
  help: [
    'Logs in without a password and prints a Bearer token that is valid for 12 hours; by default for the first account.',
    'Use it as:  curl -H "Authorization: Bearer $(npx coffer token)" http://127.0.0.1:3000/merchants',
  ],
  run: async (words, terminal) => {
    const [email] = readWords(words, { positionals: 1 }).positionals
    const config = readConfig(terminal.environment)
    const log = openLog(config.logLevel)
    return withDatabase(config, log, async (urls) => {
      const jwtSecret = await readJwtSecret(config)
      const db = openDb({ url: urls.app, connections: 1, log })
      try {
        const tokens = openTokens({ jwtSecret, clock: systemClock })
        const parts = {
          db,
          tokens,
          clock: systemClock,
          tokenLifetimeMs: lifetimeMs,
          sessionLifetimeMs: lifetimeMs,
        }
        const login = await logInFromShell(parts, email === undefined ? {} : { email })
        if (login === undefined) {
          terminal.note(
            email === undefined
              ? 'There is no account yet: start Coffer once.'
              : `There is no account ${email}.`,
          )
          return 1
        }
        terminal.print(login.token)
        return 0
      } finally {
        await db.close()
      }
    })
  },
}

/**
 * Returns the secret of the tokens and never creates one. Only a start of Coffer may create keys, because the
 * start checks whether the database already has data under other keys.
 */
async function readJwtSecret({ jwtSecret, dataDir }: Config): Promise<Secret> {
  const known = jwtSecret ?? (await readSecrets(dataDir))?.jwtSecret
  if (known !== undefined) return known
  throw new Error(
    `${dataDir} has no secrets.json: start Coffer once, or set JWT_SECRET to the value that Coffer uses`,
  )
}
