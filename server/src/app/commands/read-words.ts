import { type ParseArgsConfig, parseArgs } from 'node:util'
import { UsageError } from './command.ts'

type Options = NonNullable<ParseArgsConfig['options']>

export interface Expected<O extends Options> {
  readonly options?: O
  /** The maximum number of arguments that are not options; 0 if absent. */
  readonly positionals?: number
}

/**
 * Parses the arguments after a command's name.
 * @throws UsageError if an option is unknown or lacks its value, or if there are too many arguments
 */
export function readWords<const O extends Options = Record<never, never>>(
  words: readonly string[],
  { options, positionals = 0 }: Expected<O> = {},
) {
  const parsed = parse(words, options ?? ({} as O))
  const surplus = parsed.positionals[positionals]
  if (surplus !== undefined) throw new UsageError(`unexpected argument "${surplus}"`)
  return parsed
}

function parse<O extends Options>(words: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
