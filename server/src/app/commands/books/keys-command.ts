import { openDb } from '../../../platform/db/pool.ts'
import { keysUsage } from '../../../signer/command/usage.ts'
import { readSecrets } from '../../keys/generated-secrets.ts'
import { type EncryptionKeys, refuseForeignEncryptionKey } from '../../keys/open-keys.ts'
import { rotateEncryption } from '../../keys/rotate-encryption.ts'
import { openLog } from '../../log.ts'
import { withDatabase } from '../../open-database.ts'
import { type Config, readConfig } from '../../settings/config.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { readWords } from '../read-words.ts'

/**
 * The part of `coffer keys` that works on the database. The other verbs belong to a separate program, which
 * has the seed.
 */
export const keysCommand: Command = {
  usage: keysUsage.usage,
  help: keysUsage.help,
  run: async (words, terminal) => {
    const [verb] = readWords(words, { positionals: 1 }).positionals
    if (verb !== 'rotate-encryption') throw new UsageError('expected rotate-encryption')
    return rotate(terminal)
  },
}

async function rotate(terminal: Terminal): Promise<number> {
  const config = readConfig(terminal.environment)
  const keys = await encryptionKeysOf(config)
  const log = openLog(config.logLevel)
  return withDatabase(config, log, async (urls) => {
    const db = openDb({ url: urls.app, connections: 1, log })
    try {
      await refuseForeignEncryptionKey({ config, db }, keys)
      const onProgress = (line: string) => terminal.note(`· ${line}`)
      const { changed, foreign } = await rotateEncryption({ db, keys, onProgress })
      terminal.print(`${changed} changed. Nothing is encrypted under ENCRYPTION_KEY_PREVIOUS any more.`)
      terminal.print(
        'Unset it once every process has been started with the new ENCRYPTION_KEY. Keep it for older backups.',
      )
      if (foreign > 0)
        terminal.note(`${foreign} values are encrypted under neither key, and were not before.`)
      return foreign === 0 ? 0 : 1
    } finally {
      await db.close()
    }
  })
}

async function encryptionKeysOf(config: Config): Promise<EncryptionKeys> {
  const { encryptionKeyPrevious } = config
  const encryptionKey = config.encryptionKey ?? (await readSecrets(config.dataDir))?.encryptionKey
  if (encryptionKey === undefined || encryptionKeyPrevious === undefined) {
    throw new UsageError('set ENCRYPTION_KEY to the new key and ENCRYPTION_KEY_PREVIOUS to the previous one')
  }
  return { encryptionKey, encryptionKeyPrevious }
}
