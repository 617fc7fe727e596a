import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { setDatabaseAside } from '../db/embedded/set-aside.ts'
import { migrate } from '../db/migrate.ts'
import { restore } from '../db/restore.ts'
import { type Command, type Terminal, UsageError } from './command.ts'
import { type Config, readConfig } from './config.ts'
import { openLog } from './log.ts'
import { type DatabaseUrls, userOf, withStoppedDatabase } from './open-database.ts'

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'load a backup into an empty database; Coffer must be stopped',
  usage: '<folder> [--replace]',
  help: [
    'Loads a folder that "coffer backup" wrote. A damaged backup is refused before anything is touched, and it is',
    'all or nothing. The target must be empty; with --replace the embedded database that is there is set aside first,',
    'renamed and not deleted.',
    'Addresses given to customers after the backup was taken are never given out again.',
  ],
  run,
}

async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  const { folder, isReplacing } = readWords(words)
  const config = readConfig(terminal.environment)
  const log = openLog(config.logLevel)
  return withStoppedDatabase(config, log, async (urls) => {
    if (isReplacing) await replace(config, urls, terminal)
    await migrate({ ownerUrl: urls.owner, appRole: userOf(urls.app), log })
    const onProgress = ({ table, rows }: { table: string; rows: number }) =>
      terminal.note(`· ${table}: ${rows} rows`)
    const manifest = await restore({ url: urls.superuser, folder, onProgress })
    terminal.print(`Restored as of ${manifest.takenAt}. "coffer verify" proves the books.`)
    return 0
  })
}

async function replace(config: Config, urls: DatabaseUrls, terminal: Terminal): Promise<void> {
  if (config.databaseUrl !== undefined) {
    throw new UsageError(
      '--replace is for the embedded database; give DATABASE_URL an empty database instead',
    )
  }
  terminal.note(`· the database that was there is kept as ${await setDatabaseAside(urls.superuser)}`)
}

function readWords(words: readonly string[]): { folder: string; isReplacing: boolean } {
  const { values, positionals } = parse(words)
  const [folder, ...more] = positionals
  if (folder === undefined || more.length > 0) throw new UsageError('name the one folder to load')
  return { folder: resolve(folder), isReplacing: values.replace ?? false }
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], allowPositionals: true, options: { replace: { type: 'boolean' } } })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
