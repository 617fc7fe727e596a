/** Lets a child process of a test report its events: one line of JSON each, on its standard output. */
import { writeSync } from 'node:fs'
import type { Log } from '../../src/core/log.ts'

/** Writes synchronously, since the process may be killed at the next moment. */
export function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

const write = ({ err, ...fields }: Record<string, unknown>, message: string) =>
  say({ message, ...fields, ...(err instanceof Error && { error: err.name, reason: err.message }) })

/** A log that reports its lines to the test as well. */
export const saidLog: Log = { info: write, warn: write, error: write }
