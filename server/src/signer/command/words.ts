/** The words that a command is given, and the process around it. */
import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Streams, and no environment. */
export interface SignerTerminal {
  readonly input: NodeJS.ReadableStream
  readonly isTerminal: boolean
  print(line: string): void
  note(line: string): void
}

export class WordsError extends Error {
  override readonly name = 'WordsError'
}

/** @throws WordsError for a word that no option is for */
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

/** @throws WordsError where it was left out */
export function requiredWord(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new WordsError(`--${name} is missing`)
  return value
}

const reasonCharsMax = 500

/** Why an operator decides something, which is kept for ever. @throws WordsError */
export function readReason(value: string | undefined): string {
  const reason = requiredWord(value, 'reason').trim()
  if (reason !== '' && reason.length <= reasonCharsMax) return reason
  throw new WordsError(`--reason must be a text of 1 to ${reasonCharsMax} characters`)
}
