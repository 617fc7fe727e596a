import { findCarriers, readBooksKeys } from '../../../oversight/books-key/books-key-store.ts'
import { forgetKey } from '../../../oversight/books-key/forget-key.ts'
import { type Db, openDb } from '../../../platform/db/pool.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { openLog } from '../../log.ts'
import { withDatabase } from '../../open-database.ts'
import { readConfig } from '../../settings/config.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { readWords } from '../read-words.ts'

export const booksKeyCommand: Command = {
  usage: 'list | forget <id> --reason TEXT',
  help: [
    'Connects as the role of MIGRATION_DATABASE_URL, since the role of DATABASE_URL may change none of this.',
    '',
    '  coffer books-key list                                lists the keys that the database knows, and which records have MACs',
    '                                                        under each',
    '  coffer books-key forget 1a2b3c4d --reason "made up"  removes from the list a key under which nothing has a MAC: every start',
    '                                                        requires all keys of that list, whoever wrote them there',
    '',
    'Each decision is recorded. docs/books-key.md explains when to use which.',
  ],
  run,
}

async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readWords(words, {
    options: { reason: { type: 'string' } },
    positionals: 2,
  })
  const act = actOf(positionals, values.reason)
  const config = readConfig(terminal.environment)
  const log = openLog(config.logLevel)
  return withDatabase(config, log, async (urls) => {
    const owner = openDb({ url: urls.owner, connections: 2, log })
    try {
      return await act(owner, terminal)
    } finally {
      await owner.close()
    }
  })
}

/** @param owner the connection of the role that owns the tables */
type Act = (owner: Db, terminal: Terminal) => Promise<number>

function actOf([verb, subject]: readonly string[], reason: string | undefined): Act {
  if (verb === 'list' && subject === undefined) return list
  if (verb !== 'forget' || subject === undefined)
    throw new UsageError('expected list, or forget with the id of a key')
  if (reason === undefined || reason === '') throw new UsageError('a reason is required: --reason "..."')
  return (owner, terminal) => forget(owner, terminal, subject, reason)
}

async function list(owner: Db, { print, note }: Terminal): Promise<number> {
  const { ids } = await readBooksKeys(owner)
  if (ids.length === 0) note('The database knows no key of the books.')
  for (const id of ids) {
    const carriers = await inTransaction(owner, (tx) => findCarriers(tx, id))
    print(`${id}  ${carriers.length === 0 ? 'no MACs under this key' : carriers.join(', ')}`)
  }
  return 0
}

async function forget(owner: Db, { note }: Terminal, id: string, reason: string): Promise<number> {
  const outcome = await inTransaction(owner, (tx) => forgetKey(tx, id, reason))
  switch (outcome.type) {
    case 'forgotten':
      note('The key was removed from the list. A process that has this key adds it again when it starts.')
      return 0
    case 'unknown':
      note(`The database knows no key ${id}.`)
      return 1
    case 'carried':
      note(
        `There are ${outcome.carriers.join(', ')} with MACs under key ${id}: add the key to BOOKS_KEY_FILE again. If the ` +
          'key was never yours, first remove the records that were inserted (docs/books-key.md).',
      )
      return 1
  }
}
