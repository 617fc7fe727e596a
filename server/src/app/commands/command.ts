import type { Environment } from '../../core/settings.ts'

/** What a command may use of the world; it returns the exit code. */
export interface Terminal {
  readonly environment: Environment
  /** Results, for people and pipes. */
  print(line: string): void
  /** Progress and complaints. */
  note(line: string): void
}

/** `commands.ts` has its name, and the line for the list. */
export interface Command {
  /** What follows `coffer <name>`. */
  readonly usage: string
  /** What a newcomer needs to know, line by line. */
  readonly help: readonly string[]
  run(words: readonly string[], terminal: Terminal): Promise<number>
}

/** The words after a command do not fit; the message says what would. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
