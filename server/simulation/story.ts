/** Describes a run in a few lines for a person. */

import type { Run } from './simulate.ts'
import type { Task } from './task.ts'

const linesMax = 30
const findingsShown = 6
const findingChars = 240

/** Returns the last moves of a run and the errors that it found. */
export function storyOf(run: Run, movesBefore: number): readonly string[] {
  const { seed, story, findings } = run
  const shown = story.slice(-(linesMax - findingsShown - 3))
  const skipped = story.length - shown.length
  const reported = findings.slice(0, findingsShown).map((finding) => `  => ${firstLine(finding)}`)
  const more = findings.length - reported.length
  return [
    `Seed ${seed}, reduced from ${movesBefore} moves to ${story.length}:`,
    ...(skipped > 0 ? [`  (${skipped} moves before)`] : []),
    ...shown.map((line, index) => `  ${skipped + index + 1}. ${line}`),
    ...reported,
    ...(more > 0 ? [`  => and ${more} more`] : []),
  ]
}

/** Returns the line with the command that repeats a seed. */
export function commandOf({ seed, planted }: Pick<Task, 'seed' | 'planted'>): string {
  const plant = planted === undefined ? '' : ` --plant ${planted}`
  return `Repeat it: npm run simulate -- --seed ${seed}${plant} --trace`
}

function firstLine(finding: string): string {
  return (finding.split('\n')[0] ?? '').slice(0, findingChars)
}
