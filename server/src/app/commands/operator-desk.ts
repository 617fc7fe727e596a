import { type Db, openDb } from '../../platform/db/pool.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { withBooksKeyIfThere } from '../keys/open-books-key.ts'
import { openLog } from '../log.ts'
import { readMethods } from '../open-chains.ts'
import { withDatabase } from '../open-database.ts'
import { type Config, readConfig } from '../settings/config.ts'
import { type Command, type Terminal, UsageError } from './command.ts'
import { readWords } from './read-words.ts'

/** What an operator's command works with. */
export interface Desk {
  readonly db: Db
  readonly methods: PaymentMethods
  readonly config: Config
}

/** Runs an operator's command beside a running Coffer or on one that is stopped. */
export async function withMethods<T>(
  { environment }: Pick<Terminal, 'environment'>,
  work: (desk: Desk) => Promise<T>,
): Promise<T> {
  const config = readConfig(environment)
  const log = openLog(config.logLevel)
  return withDatabase(config, log, async (urls) => {
    const bare = openDb({ url: urls.app, connections: 2, log })
    try {
      const db = await withBooksKeyIfThere(config, bare)
      return await work({ db, config, methods: await readMethods(config, db) })
    } finally {
      await bare.close()
    }
  })
}

type Options = Readonly<Record<string, { readonly type: 'string' }>>

/** What an operator does with figures that are set apart from the defaults. Each returns the exit code. */
export type FigureActions<V> = Readonly<
  Record<'list' | 'set' | 'unset', (desk: Desk, values: V, terminal: Terminal) => Promise<number>>
>

/** A command whose first word is one of `actions`. */
export function actingOnFigures<O extends Options>(
  options: O,
  actions: FigureActions<{ readonly [name in keyof O]?: string | undefined }>,
): Command['run'] {
  return async (words, terminal) => {
    const { values, positionals } = readWords(words, { options, positionals: 1 })
    const [word] = positionals
    if (word !== 'list' && word !== 'set' && word !== 'unset') throw new UsageError('say list, set or unset')
    return withMethods(terminal, (desk) => actions[word](desk, values, terminal))
  }
}

/** What an operator's words come to; returns the exit code. */
export type Act = (desk: Desk, terminal: Terminal) => Promise<number>

/**
 * A command of a verb, what it is about, and `--reason`.
 * @param actOf throws UsageError before anything is opened
 */
export function deciding(
  actOf: (words: readonly string[], reason: string | undefined) => Act,
): Command['run'] {
  return async (words, terminal) => {
    const options = { reason: { type: 'string' } } as const
    const { values, positionals } = readWords(words, { options, positionals: 2 })
    const act = actOf(positionals, values.reason)
    return withMethods(terminal, (desk) => act(desk, terminal))
  }
}
