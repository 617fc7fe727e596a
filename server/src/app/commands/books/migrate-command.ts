import { migrate } from '../../../platform/db/migrate.ts'
import { openLog } from '../../log.ts'
import { type DatabaseUrls, userOf, withDatabase } from '../../open-database.ts'
import { readConfig } from '../../settings/config.ts'
import type { Command } from '../command.ts'
import { readWords } from '../read-words.ts'

export const migrateCommand: Command = {
  usage: '[--books-of-before]',
  help: [
    'Runs the migrations the database lacks, as the role of MIGRATION_DATABASE_URL, and gives the role of',
    'DATABASE_URL its rights: it can read and write, and cannot change what is posted in the books.',
    'The sandbox does this by itself at every start; in production nothing else does.',
    '',
    'A database with books of a version in which they carried no MACs is left as it is. --books-of-before migrates it',
    'all the same; nothing starts on it before "coffer books-key adopt" gave its books their MACs (docs/books-key.md).',
  ],
  run: async (words, terminal) => {
    const { values } = readWords(words, { options: { 'books-of-before': { type: 'boolean' } } })
    const mayAdoptBooks = values['books-of-before'] ?? false
    const config = readConfig(terminal.environment)
    if (config.mode === 'production' && config.migrationDatabaseUrl === undefined) {
      throw new Error('set MIGRATION_DATABASE_URL to the database as the role that is to own its tables')
    }
    const log = openLog(config.logLevel)
    const work = async (urls: DatabaseUrls) => {
      const { applied } = await migrate({
        ownerUrl: urls.owner,
        appRole: userOf(urls.app),
        log,
        mayAdoptBooks,
      })
      terminal.print(applied.length === 0 ? 'Nothing to do.' : `Applied: ${applied.join(', ')}`)
      return 0
    }
    return withDatabase(config, log, work, { mayMake: true })
  },
}
