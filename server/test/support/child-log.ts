/** How a process that a test started tells what happens in it: a line of JSON each, on its standard output. */
import { writeSync } from 'node:fs'
import type { Log } from '../../src/core/log.ts'

/** Written at once, since the process may be about to die. */
export function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

const write = ({ err, ...fields }: Record<string, unknown>, message: string) =>
  say({ message, ...fields, ...(err instanceof Error && { error: err.name, reason: err.message }) })

/** What it logs is said too. */
export const saidLog: Log = { info: write, warn: write, error: write }
