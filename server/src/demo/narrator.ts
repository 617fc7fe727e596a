/** Tells what happens, one numbered step after the other. */

export interface Narrator {
  /**
   * Runs a step and prints its number, title and time with the lines that `work` returns; when it fails, the same
   * with the reason.
   */
  step<T>(title: string, work: () => Promise<Told<T>>): Promise<T>
  /** Tells of a step that cannot be taken here, and why. */
  skip(title: string, reason: string): void
  /** A line between the steps. */
  say(line: string): void
  readonly steps: number
}

/** What a step did, for people, and what the next steps need of it. */
export interface Told<T> {
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
  const tell = (title: string, startedAt: number, lines: readonly string[]) => {
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
        tell(title, startedAt, lines)
        return value
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        tell(title, startedAt, [`${paint(31, 'FAILED')}  ${reason}`])
        throw new StepFailed(title, { cause: error })
      }
    },
  }
}

/** A step did not do what it should; it has been told why. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed'
}
