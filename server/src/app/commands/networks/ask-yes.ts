import { createInterface } from 'node:readline/promises'
import { UsageError } from '../command.ts'

/**
 * Asks a person at the terminal for a yes. A script gives it with the option.
 * @throws UsageError if nobody can be asked
 */
export async function askYes(question: string, isGiven: boolean): Promise<boolean> {
  if (isGiven) return true
  if (process.stdin.isTTY !== true) throw new UsageError('give --yes, because nobody can be asked here')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim())
  } finally {
    lines.close()
  }
}
