/** Runs the work of the simulated processes: jobs, and functions in the process of the API. */
import { type Installation, isExpected } from '../world/installation.ts'
import type { ProcessName } from '../world/processes.ts'

/** Completes all requests and jobs that have begun, and then runs each job once. */
export async function runEverything(world: Installation): Promise<void> {
  await endWork(world)
  for (const name of world.processNames) await runJobs(world, name)
}

/** Runs each job of a process once, one after the other. */
export async function runJobs(world: Installation, name: ProcessName): Promise<void> {
  const process = world.process(name)
  for (const job of process.jobs) {
    await world.startJob(process, job)
    await endWork(world)
  }
}

/** Completes all requests and jobs that have begun. The pauses of processes end first. */
export async function endWork(world: Installation): Promise<void> {
  for (const { life } of world.processes) life.pausedMoves = 0
  while (world.scheduler.underWay > 0) if (!(await world.scheduler.advance())) await world.passToTimer()
}

/** Runs `work` in the process of the API until it ends. No new request or job starts meanwhile. */
export async function runAlone(world: Installation, work: () => Promise<void>): Promise<void> {
  let outcome: { readonly error?: unknown } | undefined
  const { life, ready } = world.process('api')
  const prepared = async () => {
    await readyAtLast(ready)
    await work()
  }
  await world.scheduler.start(life, 'alone', () =>
    prepared().then(
      () => {
        outcome = {}
      },
      (error: unknown) => {
        outcome = { error }
      },
    ),
  )
  while (outcome === undefined) if (!(await world.scheduler.advance())) await world.passToTimer()
  if (outcome.error !== undefined) throw outcome.error
}

/**
 * Waits until a process is ready. Its host starts the process again after an error that passes, such as a lock that
 * a process held which stopped.
 */
async function readyAtLast(ready: () => Promise<void>): Promise<void> {
  for (let isReady = false; !isReady; ) {
    try {
      await ready()
      isReady = true
    } catch (error) {
      if (!isExpected(error)) throw error
    }
  }
}
