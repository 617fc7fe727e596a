import { type ParseArgsConfig, parseArgs } from 'node:util'
import { UsageError } from './command.ts'

type Options = NonNullable<ParseArgsConfig['options']>

export interface Expected<O extends Options> {
  readonly options?: O
  /** How many words may stand beside the options; none when absent. */
  readonly positionals?: number
}

/**
 * The words behind a command's name.
 * @throws UsageError for an option that is not among them, one without its value, and a word too many
 */
export function readWords<const O extends Options = Record<never, never>>(
  words: readonly string[],
  { options, positionals = 0 }: Expected<O> = {},
) {
  const parsed = parse(words, options ?? ({} as O))
  const surplus = parsed.positionals[positionals]
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is one word too many`)
  return parsed
}

function parse<O extends Options>(words: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
