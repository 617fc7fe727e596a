import { openDb } from '../../../platform/db/pool.ts'
import { printSchema } from '../../../platform/db/print-schema.ts'
import { openLog } from '../../log.ts'
import { withDatabase } from '../../open-database.ts'
import { readConfig } from '../../settings/config.ts'
import type { Command } from '../command.ts'
import { readWords } from '../read-words.ts'

export const schemaCommand: Command = {
  usage: '',
  help: [
    'Prints the tables, constraints, indexes, functions and triggers of the database, in a fixed order.',
    'For developers: server/src/platform/db/schema/ has the same, by district.',
  ],
  run: async (words, terminal) => {
    readWords(words)
    const config = readConfig(terminal.environment)
    const log = openLog(config.logLevel)
    return withDatabase(config, log, async (urls) => {
      const db = openDb({ url: urls.owner, connections: 1, log })
      try {
        terminal.print((await printSchema(db)).trimEnd())
        return 0
      } finally {
        await db.close()
      }
    })
  },
}
