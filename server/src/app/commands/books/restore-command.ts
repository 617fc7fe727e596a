import { resolve } from 'node:path'
import type { Log } from '../../../core/log.ts'
import type { BackupProgress } from '../../../platform/db/backup-format.ts'
import { type CheckedBackup, checkBackup } from '../../../platform/db/check-backup.ts'
import { replaceDatabase } from '../../../platform/db/embedded/replace-database.ts'
import { restore } from '../../../platform/db/restore.ts'
import { openLog } from '../../log.ts'
import { type DatabaseUrls, requireOwnerRole, userOf, withStoppedDatabase } from '../../open-database.ts'
import { type Config, readConfig } from '../../settings/config.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { readWords } from '../read-words.ts'

export const restoreCommand: Command = {
  usage: '<folder> [--replace]',
  help: [
    'Loads a folder that "coffer backup" wrote, with this or an older version of Coffer. A damaged backup is rejected before',
    'anything is changed, and the backup is loaded completely or not at all. The target must be empty; with --replace the',
    'existing embedded database is renamed, not deleted, once the backup is loaded completely. In production, MIGRATION_DATABASE_URL',
    'must name the role that owns the tables.',
    'Addresses given to customers after the backup was taken are never given out again, and everyone has to log in again.',
    'They are not in the backup: run "coffer recover" before the first start, so that payments to them are found.',
  ],
  run,
}

async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  const { folder, isReplacing } = readFolder(words)
  const config = readConfig(terminal.environment)
  if (isReplacing) refuseToReplaceConfigured(config)
  requireOwnerRole(config)
  const log = openLog(config.logLevel)
  const backup = await checkBackup(folder)
  await withStoppedDatabase(config, log, async (urls) => {
    const load = (into: DatabaseUrls) => loadInto(into, { backup, log, terminal })
    if (!isReplacing) return load(urls)
    terminal.note(`· the previous database is kept as ${await replaceDatabase(urls, load)}`)
  })
  const { takenAt } = backup.manifest
  terminal.print(`Restored as of ${takenAt}. "coffer verify" proves the books.`)
  terminal.print(
    `API keys are as they were then: one revoked since ${takenAt} works again, one generated since does not. ` +
      'Everyone is logged out, and every access token is revoked.',
  )
  terminal.print(
    `Before you start Coffer: coffer recover --since ${takenAt}\n` +
      'It watches the addresses that customers were given since. Without it, payments to them are not found.',
  )
  return 0
}

interface Loading {
  readonly backup: CheckedBackup
  readonly log: Log
  readonly terminal: Terminal
}

function loadInto(urls: DatabaseUrls, { backup, log, terminal }: Loading): Promise<void> {
  const onProgress = ({ table, rows }: BackupProgress) => terminal.note(`· ${table}: ${rows} rows`)
  return restore({ backup, ownerUrl: urls.owner, appRole: userOf(urls.app), log, onProgress })
}

function refuseToReplaceConfigured({ databaseUrl }: Config): void {
  if (databaseUrl === undefined) return
  throw new UsageError(
    '--replace works for the embedded database only; set DATABASE_URL to an empty database instead',
  )
}

function readFolder(words: readonly string[]): { folder: string; isReplacing: boolean } {
  const { values, positionals } = readWords(words, {
    options: { replace: { type: 'boolean' } },
    positionals: 1,
  })
  const [folder] = positionals
  if (folder === undefined) throw new UsageError('the folder to load is required')
  return { folder: resolve(folder), isReplacing: values.replace ?? false }
}
