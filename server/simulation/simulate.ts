/**
 * Runs one seed. It opens an installation, makes the moves, waits until nothing changes any more, and
 * compares the result with the model.
 */
import { createHash } from 'node:crypto'
import { findDeletedBalances, restoreDeleted } from './access/rest-access.ts'
import { attackAtRest } from './attacker/attack-moves.ts'
import type { DatabaseServer } from './database-server.ts'
import { Dice } from './dice.ts'
import { drawFeatures } from './features.ts'
import { findHalted } from './liveness/probe.ts'
import { type Move, planMoves, play } from './moves.ts'
import { checkNow, findFaults } from './run/faults.ts'
import { prepare } from './run/prepare.ts'
import { readReached } from './run/reached.ts'
import { comeToRest, decideRemaining } from './run/rest.ts'
import { runAlone } from './run/work.ts'
import { withdrawAll } from './treasury/withdraw-all.ts'
import { findEventFaults } from './world/check-events.ts'
import { findUnnoticedPromotion } from './world/history.ts'
import { Installation } from './world/installation.ts'
import { creditAtRest } from './wrong-network/credit-at-rest.ts'

export interface RunParams {
  readonly server: DatabaseServer
  readonly seed: number
  /** The moves to make; by default the planned moves of the seed. */
  readonly moves?: readonly Move[] | undefined
  /** Called with a line of text for each step and for each move. */
  readonly onTrace?: ((line: string) => void) | undefined
}

export interface Run {
  readonly seed: number
  readonly moves: readonly Move[]
  /** The errors that were found, one sentence each; empty if there are none. */
  readonly findings: readonly string[]
  /** The descriptions of the moves, one sentence each. */
  readonly story: readonly string[]
  /** The hash of all steps and moves. Two runs with the same hash did the same. */
  readonly trace: string
  readonly counts: Counts
}

/** Counts what happened in runs. */
export interface Counts {
  steps: number
  locks: number
  deadlocks: number
  lockTimeouts: number
  /** Number of seeds whose merchants were permuted. */
  permuted: number
  readonly moves: Record<string, number>
  readonly states: Record<string, number>
}

const movesPerSeed = 45
/** Number of moves between two checks of what must be true at any moment. */
const movesPerLook = 3

export async function runSeed({
  server,
  seed,
  moves = planMoves(seed, movesPerSeed),
  onTrace,
}: RunParams): Promise<Run> {
  const trace = createTrace(onTrace)
  const world = await Installation.open({ server, seed, features: drawFeatures(seed), onStep: trace.note })
  const story: string[] = []
  const findingsNow: string[] = []
  try {
    await prepare(world)
    const jobDice = new Dice(seed ^ 0x10b5)
    for (const move of moves) {
      for (let step = 0; step < move.steps; step += 1) await advance(world, jobDice)
      const line = await play(world, move)
      story.push(line)
      trace.note(`== ${line}`)
      if (story.length % movesPerLook === 0) findingsNow.push(...(await checkNow(world)))
    }
    await comeToRest(world, jobDice)
    if (await creditAtRest(world, jobDice)) await comeToRest(world, jobDice)
    if (await decideRemaining(world, jobDice)) await comeToRest(world, jobDice)
    findingsNow.push(...(await findDeletedBalances(world)))
    if (await restoreDeleted(world)) await comeToRest(world, jobDice)
    if (await attackAtRest(world, jobDice)) await comeToRest(world, jobDice)
    await withdrawAll(world, jobDice, () => comeToRest(world, jobDice))
    const halted = await findHalted(world, () => comeToRest(world, jobDice))
    const findings = [
      ...halted,
      ...new Set(findingsNow),
      ...(await findFaults(world)),
      ...(await findEventFaults(world, runAlone)),
      ...(world.events === undefined ? [] : await findUnnoticedPromotion(world.sessions)),
    ]
    return { seed, moves, findings, story, trace: trace.digest(), counts: await countsOf(world, moves) }
  } catch (error) {
    const findings = [
      `the run broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    ]
    return { seed, moves, findings, story, trace: trace.digest(), counts: await countsOf(world, moves) }
  } finally {
    await world.close()
  }
}

/** Runs one waiting step of a process, or starts a job. */
async function advance(world: Installation, dice: Dice): Promise<void> {
  const { scheduler } = world
  if (scheduler.runnable > 0 && dice.chance(0.8)) {
    await scheduler.advance()
    return
  }
  const process = dice.pick(world.processes)
  await world.startJob(process, dice.pick(process.jobs))
  if (scheduler.runnable === 0 && scheduler.underWay > 0 && world.time.nextInMs !== undefined)
    await world.passToTimer()
}

function createTrace(onTrace: RunParams['onTrace']) {
  const hash = createHash('sha256')
  return {
    note: (line: string) => {
      hash.update(`${line}\n`)
      onTrace?.(line)
    },
    digest: () => hash.digest('hex'),
  }
}

/** Counts what happened in a run. */
async function countsOf(world: Installation, moves: readonly Move[]): Promise<Counts> {
  const { steps, locks, deadlocks, lockTimeouts } = world.scheduler
  const counted: Record<string, number> = {}
  for (const { kind } of moves) counted[kind] = (counted[kind] ?? 0) + 1
  const states = { ...(await readReached(world)) }
  return { steps, locks, deadlocks, lockTimeouts, permuted: 0, moves: counted, states }
}
