import { type Db, openDb } from '../../platform/db/pool.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { withBooksKeyIfThere } from '../keys/open-books-key.ts'
import { openLog } from '../log.ts'
import { readMethods } from '../open-chains.ts'
import { withDatabase } from '../open-database.ts'
import { type Config, readConfig } from '../settings/config.ts'
import { type Command, type Terminal, UsageError } from './command.ts'
import { readWords } from './read-words.ts'

/** The opened parts that an operator's command needs. */
export interface CommandContext extends BooksContext {
  readonly methods: PaymentMethods
}

/** The parts that a command needs which works even if the operator's own rows cannot be verified. */
export interface BooksContext {
  readonly db: Db
  readonly config: Config
}

/** Runs an operator's command with an open database. Coffer may be running or stopped. */
export function withMethods<T>(
  terminal: Pick<Terminal, 'environment'>,
  work: (context: CommandContext) => Promise<T>,
): Promise<T> {
  return withBooks(terminal, async ({ db, config }) =>
    work({ db, config, methods: await readMethods(config, db) }),
  )
}

/** Runs a command that does not need the payment methods. */
export async function withBooks<T>(
  { environment }: Pick<Terminal, 'environment'>,
  work: (context: BooksContext) => Promise<T>,
): Promise<T> {
  const config = readConfig(environment)
  const log = openLog(config.logLevel)
  return withDatabase(config, log, async (urls) => {
    const bare = openDb({ url: urls.app, connections: 2, log })
    try {
      const db = await withBooksKeyIfThere(config, bare)
      return await work({ db, config })
    } finally {
      await bare.close()
    }
  })
}

type Options = Readonly<Record<string, { readonly type: 'string' }>>

/**
 * The actions on values that an operator may set instead of the defaults, such as fees. Each action returns
 * the exit code.
 */
export type FigureActions<V> = Readonly<
  Record<
    'list' | 'set' | 'unset',
    (context: CommandContext, values: V, terminal: Terminal) => Promise<number>
  >
>

/** Returns a command whose first argument is the name of one of `actions`. */
export function actingOnFigures<O extends Options>(
  options: O,
  actions: FigureActions<{ readonly [name in keyof O]?: string | undefined }>,
): Command['run'] {
  return async (words, terminal) => {
    const { values, positionals } = readWords(words, { options, positionals: 1 })
    const [word] = positionals
    if (word !== 'list' && word !== 'set' && word !== 'unset')
      throw new UsageError('expected list, set or unset')
    return withMethods(terminal, (context) => actions[word](context, values, terminal))
  }
}

/** The action that an operator's arguments select. It returns the exit code. */
export type Act = (context: CommandContext, terminal: Terminal) => Promise<number>

/**
 * Returns a command with these arguments: a verb, the object of the verb, and `--reason`.
 * @param actOf returns the action that the arguments select. If the arguments are wrong, it throws UsageError
 *   before the database is opened.
 * @param wordsMax the most words, with the verb, that a command line may have besides its options
 */
export function deciding(
  actOf: (words: readonly string[], reason: string | undefined) => Act,
  wordsMax = 2,
): Command['run'] {
  return async (words, terminal) => {
    const options = { reason: { type: 'string' } } as const
    const { values, positionals } = readWords(words, { options, positionals: wordsMax })
    const act = actOf(positionals, values.reason)
    return withMethods(terminal, (context) => act(context, terminal))
  }
}
