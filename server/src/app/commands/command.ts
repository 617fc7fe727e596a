import type { Environment } from '../../core/settings.ts'

/** The environment of a command, and the functions that print its output. */
export interface Terminal {
  readonly environment: Environment
  /** Writes a line of the result, for people and pipes. */
  print(line: string): void
  /** Writes a line of progress or an error. */
  note(line: string): void
}

/** A command without its name and summary, which are in `commands.ts`. */
export interface Command {
  /** The arguments that follow `coffer <name>`. */
  readonly usage: string
  /** The help text for newcomers, line by line. */
  readonly help: readonly string[]
  run(words: readonly string[], terminal: Terminal): Promise<number>
}

/** Thrown if a command's arguments are wrong. The message says which arguments are expected. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
