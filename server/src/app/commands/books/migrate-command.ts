import { migrate } from '../../../platform/db/migrate.ts'
import { openLog } from '../../log.ts'
import { type DatabaseUrls, requireOwnerRole, userOf, withDatabase } from '../../open-database.ts'
import { readConfig } from '../../settings/config.ts'
import type { Command } from '../command.ts'
import { readWords } from '../read-words.ts'

export const migrateCommand: Command = {
  usage: '',
  help: [
    'Runs the migrations that the database lacks, as the role of MIGRATION_DATABASE_URL, and grants the role of',
    'DATABASE_URL its privileges: it may read and write, but may not change what is posted in the books.',
    'A sandbox migrates at every start; in production only this command does.',
  ],
  run: async (words, terminal) => {
    readWords(words)
    const config = readConfig(terminal.environment)
    requireOwnerRole(config)
    const log = openLog(config.logLevel)
    const work = async (urls: DatabaseUrls) => {
      const { applied } = await migrate({
        ownerUrl: urls.owner,
        appRole: userOf(urls.app),
        log,
      })
      terminal.print(applied.length === 0 ? 'Nothing to do.' : `Applied: ${applied.join(', ')}`)
      return 0
    }
    return withDatabase(config, log, work, { mayMake: true })
  },
}
