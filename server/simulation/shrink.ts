/** Shortens a failing run. It leaves out moves as long as the same error is still found. */
import type { Move } from './moves.ts'
import type { Run } from './simulate.ts'

/** Runs a seed with only these moves. */
export type RunWith = (moves: readonly Move[]) => Promise<Run>

/**
 * Returns the shortest failing run that was found. It first leaves out halves of the moves and then smaller
 * and smaller parts (delta debugging). At last it tries to leave out the steps before each move.
 * @param triesMax maximum number of runs
 */
export async function shrink(failing: Run, runWith: RunWith, triesMax: number): Promise<Run> {
  let best = failing
  let tries = 0
  const attempt = async (moves: readonly Move[]): Promise<boolean> => {
    if (tries >= triesMax) return false
    tries += 1
    const run = await runWith(moves)
    if (!isSameFault(run, failing)) return false
    best = run
    return true
  }
  for (let size = Math.ceil(best.moves.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = best.moves.length - size; at > -size; at -= size) {
      const from = Math.max(0, at)
      await attempt([...best.moves.slice(0, from), ...best.moves.slice(at + size)])
    }
  }
  for (const [index, move] of best.moves.entries()) {
    if (move.steps > 0)
      await attempt(best.moves.map((one, at) => (at === index ? { ...one, steps: 0 } : one)))
  }
  return best
}

/**
 * Returns whether `run` found the first error of `failing` too. Amounts and ids may differ in a shorter run,
 * so they are not compared.
 */
function isSameFault(run: Run, failing: Run): boolean {
  const kinds = new Set(run.findings.map(kindOf))
  return failing.findings.slice(0, 1).some((finding) => kinds.has(kindOf(finding)))
}

/** Returns the text of an error without amounts, addresses and ids. */
export function kindOf(finding: string): string {
  return (finding.split('\n')[0] ?? '').replace(/0x[0-9a-f]+|[0-9a-f]{8}-[0-9a-f-]+|\d+/g, '#')
}
