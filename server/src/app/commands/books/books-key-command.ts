import type { Log } from '../../../core/log.ts'
import { adoptBooks, NotAdoptableError } from '../../../oversight/adoption/adopt-books.ts'
import { findCarriers, readBooksKeys } from '../../../oversight/adoption/books-key-store.ts'
import { forgetKey } from '../../../oversight/adoption/forget-key.ts'
import { BrokenHistoryError } from '../../../oversight/adoption/reseal.ts'
import { type Db, openDb } from '../../../platform/db/pool.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { openKeyForAdoption } from '../../keys/open-books-key.ts'
import { openLog } from '../../log.ts'
import { readMethods } from '../../open-chains.ts'
import { withDatabase } from '../../open-database.ts'
import { type Config, readConfig } from '../../settings/config.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { readWords } from '../read-words.ts'
import { askSigner, withVerifyChains } from './verify-command.ts'

export const booksKeyCommand: Command = {
  usage: 'list | forget <id> --reason TEXT | adopt --reason TEXT',
  help: [
    'Works as the role of MIGRATION_DATABASE_URL: the role of DATABASE_URL can change none of this.',
    '',
    '  coffer books-key list                                which keys the database notes, and what carries MACs of each',
    '  coffer books-key forget 1a2b3c4d --reason "made up"  takes one off the list under which nothing carries a MAC: every start',
    '                                                        asks for the keys of that list, whoever wrote them there',
    '  coffer books-key adopt --reason "upgrade"             gives books of a version without MACs theirs, under the first key of',
    '                                                        BOOKS_KEY_FILE. Coffer must be stopped. All that "coffer verify"',
    '                                                        looks at must be in order, the chain too where its nodes are at hand',
    '',
    'Each decision is recorded. docs/books-key.md says when to use which.',
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
  return withDatabase(config, log, async (urls, isRunning) => {
    const owner = openDb({ url: urls.owner, connections: 2, log })
    try {
      return await act({ owner, config, log, isRunning }, terminal)
    } finally {
      await owner.close()
    }
  })
}

interface KeyDesk {
  /** As the role that owns the tables. */
  readonly owner: Db
  readonly config: Config
  readonly log: Log
  readonly isRunning: boolean
}

type Act = (desk: KeyDesk, terminal: Terminal) => Promise<number>

function actOf([verb, subject]: readonly string[], reason: string | undefined): Act {
  if (verb === 'list' && subject === undefined) return list
  const isComplete = verb === 'forget' ? subject !== undefined : verb === 'adopt' && subject === undefined
  if (!isComplete) throw new UsageError('say list, forget with the id of a key, or adopt')
  if (reason === undefined || reason === '') throw new UsageError('say why: --reason "..."')
  return subject === undefined
    ? (desk, terminal) => adopt(desk, terminal, reason)
    : (desk, terminal) => forget(desk, terminal, subject, reason)
}

async function list({ owner }: KeyDesk, { print, note }: Terminal): Promise<number> {
  const { ids } = await readBooksKeys(owner)
  if (ids.length === 0) note('No key of the books is noted.')
  for (const id of ids) {
    const carriers = await inTransaction(owner, (tx) => findCarriers(tx, id))
    print(`${id}  ${carriers.length === 0 ? 'nothing carries a MAC under it' : carriers.join(', ')}`)
  }
  return 0
}

async function forget({ owner }: KeyDesk, { note }: Terminal, id: string, reason: string): Promise<number> {
  const outcome = await inTransaction(owner, (tx) => forgetKey(tx, id, reason))
  switch (outcome.type) {
    case 'forgotten':
      note('It is forgotten. A process that has this key notes it again when it starts.')
      return 0
    case 'unknown':
      note(`The database notes no key ${id}.`)
      return 1
    case 'carried':
      note(
        `There are ${outcome.carriers.join(', ')} with MACs under key ${id}: put its key back into BOOKS_KEY_FILE. Where that ` +
          'key never was yours, take out what was put in first (docs/books-key.md).',
      )
      return 1
  }
}

async function adopt(
  { owner, config, log, isRunning }: KeyDesk,
  { print, note }: Terminal,
  reason: string,
): Promise<number> {
  const { macs, id } = await openKeyForAdoption(config)
  const methods = await readMethods(config, owner)
  return withVerifyChains({ config, log, isRunning }, async (chains) => {
    if (chains.length === 0) note('The chain is not running: looking at the database alone.')
    const attested = await askSigner(config)
    try {
      const adopted = await adoptBooks({
        owner,
        macs,
        keyId: id,
        reason,
        methods,
        chains,
        attested,
        report: print,
      })
      const { journals, deposits, quotes, addresses, capitalSources, formerHead, head } = adopted
      print(
        `Adopted under key ${id}: ${journals} journals, ${deposits} deposits, ${quotes} quotes, ${addresses} addresses.`,
      )
      for (const source of capitalSources)
        print(`What ${source} pays to hot wallets counts as the operator's own: make sure that it is yours.`)
      print(
        `The sealed history ended with ${formerHead}, and with ${head} from now on. Coffer can be started.`,
      )
      return 0
    } catch (error) {
      if (!(error instanceof NotAdoptableError || error instanceof BrokenHistoryError)) throw error
      note(error.message)
      return 1
    }
  })
}
