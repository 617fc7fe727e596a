import { resolve } from 'node:path'
import { backup } from '../../../platform/db/backup.ts'
import { openDb } from '../../../platform/db/pool.ts'
import { openLog } from '../../log.ts'
import { withDatabase } from '../../open-database.ts'
import { readConfig } from '../../settings/config.ts'
import type { Command } from '../command.ts'
import { readWords } from '../read-words.ts'

export const backupCommand: Command = {
  usage: '[folder]',
  help: [
    'Writes coffer-backup-<time> into the folder (by default DATA_DIR/backups): a consistent snapshot of every table,',
    'with checksums. Coffer keeps running meanwhile.',
    'Keep DATA_DIR/secrets.json (or your own ENCRYPTION_KEY) in another safe location: without it, the webhook secrets',
    'in a backup cannot be decrypted and its addresses cannot be verified.',
  ],
  run: async (words, terminal) => {
    const [folder] = readWords(words, { positionals: 1 }).positionals
    const config = readConfig(terminal.environment)
    const into = folder === undefined ? resolve(config.dataDir, 'backups') : resolve(folder)
    const log = openLog(config.logLevel)
    return withDatabase(config, log, async (urls) => {
      const db = openDb({ url: urls.owner, connections: 1, log })
      try {
        const path = await backup(db, into, ({ table, rows }) => terminal.note(`· ${table}: ${rows} rows`))
        terminal.print(path)
        return 0
      } finally {
        await db.close()
      }
    })
  },
}
