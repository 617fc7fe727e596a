/** Prints the numbered steps of the demo as they happen. */

export interface Narrator {
  /**
   * Runs a step. Prints the number, the title and the duration of the step, and the lines that `work`
   * returns. If `work` rejects, prints the reason in place of the lines.
   * @throws StepFailed if `work` rejects
   */
  step<T>(title: string, work: () => Promise<Narrated<T>>): Promise<T>
  /** Prints that a step is skipped, and why. */
  skip(title: string, reason: string): void
  /** Prints a line between the steps. */
  say(line: string): void
  readonly steps: number
}

/** The result of a step: lines to print, and the value that the next steps need. */
export interface Narrated<T> {
  readonly lines: readonly string[]
  readonly value: T
}

export interface NarratorParts {
  print(line: string): void
  readonly isColoured: boolean
}

const titleColumns = 32
const timeColumns = 7

export function openNarrator({ print, isColoured }: NarratorParts): Narrator {
  const paint = (code: number, text: string) => (isColoured ? `\u001b[${code}m${text}\u001b[0m` : text)
  const dim = (text: string) => paint(2, text)
  let steps = 0
  const report = (title: string, startedAt: number, lines: readonly string[]) => {
    const [first = '', ...rest] = lines
    const seconds = `${((performance.now() - startedAt) / 1000).toFixed(2)} s`.padStart(timeColumns)
    print(`${dim(String(steps).padStart(3))}  ${title.padEnd(titleColumns)}${dim(seconds)}   ${first}`)
    for (const line of rest) print(`${' '.repeat(5 + titleColumns + timeColumns)}   ${line}`)
  }
  return {
    get steps() {
      return steps
    },
    skip: (title, reason) =>
      print(`${dim('  -')}  ${title.padEnd(titleColumns + timeColumns)}   skipped: ${reason}`),
    say: (line) => print(line),
    async step(title, work) {
      steps += 1
      const startedAt = performance.now()
      try {
        const { lines, value } = await work()
        report(title, startedAt, lines)
        return value
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        report(title, startedAt, [`${paint(31, 'FAILED')}  ${reason}`])
        throw new StepFailed(title, { cause: error })
      }
    },
  }
}

/** The error of a step that failed. The narrator has already printed the reason. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed'
}
