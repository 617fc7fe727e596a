/** Reads the arguments of a command. Also describes the input and output of its process. */
import { type ParseArgsConfig, parseArgs } from 'node:util'

/** The input and output of the process. The signer reads no environment variables. */
export interface SignerTerminal {
  readonly input: NodeJS.ReadableStream
  readonly isTerminal: boolean
  print(line: string): void
  note(line: string): void
}

export class WordsError extends Error {
  override readonly name = 'WordsError'
}

/**
 * Parses arguments as options.
 * @throws WordsError if an argument matches no option.
 */
export function readWords<const Options extends NonNullable<ParseArgsConfig['options']>>(
  words: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: false }).values
  } catch (error) {
    throw new WordsError(error instanceof Error ? error.message : String(error))
  }
}

/**
 * Returns the value of a required option.
 * @throws WordsError if the value is missing or empty.
 */
export function requiredWord(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new WordsError(`--${name} is missing`)
  return value
}

const reasonCharsMax = 500

/**
 * Returns an operator's reason for a decision, which is stored for ever.
 * @throws WordsError if the reason is missing or too long.
 */
export function readReason(value: string | undefined): string {
  const reason = requiredWord(value, 'reason').trim()
  if (reason !== '' && reason.length <= reasonCharsMax) return reason
  throw new WordsError(`--reason must be a text of 1 to ${reasonCharsMax} characters`)
}
