/** Gives seeds to one worker process after the other. */
import { brokenSeed } from './check-seed.ts'
import type { Task, TaskResult } from './task.ts'

/** A worker process, which is a child process of Node. */
export interface WorkerProcess {
  on(event: 'message', listener: (message: TaskResult | 'ready') => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'exit', listener: (code: number | null, signal: string | null) => void): unknown
  send(message: Task | 'end'): unknown
}

export interface WorkParts {
  readonly start: () => WorkerProcess
  /** Returns the next task; undefined if there are no more. */
  readonly nextTask: () => Task | undefined
  readonly add: (result: TaskResult) => void
}

/**
 * Lets workers do tasks one by one until there are none. A worker that ends in the middle of a seed is a finding of
 * that seed, and another worker goes on.
 * @throws Error if a worker ends before it has taken a seed, or with an error after the last one
 */
export async function work(parts: WorkParts): Promise<void> {
  while (!(await workUntilEnd(parts))) {
    // The worker ended early. The next one takes the next seed.
  }
}

/**
 * Lets several workers do tasks at the same time. After an error, the other workers complete their tasks and end,
 * because the caller then stops their database.
 * @throws Error if a worker does (`work`)
 */
export async function workTogether(workers: readonly WorkParts[]): Promise<void> {
  let hasFailed = false
  const ends = await Promise.allSettled(
    workers.map((parts) => {
      const nextTask = () => (hasFailed ? undefined : parts.nextTask())
      return work({ ...parts, nextTask }).catch((error: unknown) => {
        hasFailed = true
        throw error
      })
    }),
  )
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** Returns whether the worker ended because there are no more tasks. */
function workUntilEnd({ start, nextTask, add }: WorkParts): Promise<boolean> {
  const worker = start()
  let task: Task | undefined
  let isDone = false
  let hasBegun = false
  return new Promise((resolve, reject) => {
    const give = () => {
      task = nextTask()
      isDone = task === undefined
      worker.send(task ?? 'end')
    }
    worker.on('message', (message) => {
      hasBegun = true
      if (message !== 'ready') {
        add(message)
        task = undefined
        // A worker whose simulation broke ends by itself.
        if (message.isBroken) return
      }
      give()
    })
    worker.on('error', reject)
    worker.on('exit', (code, signal) => {
      const why = `a worker ended with ${signal ?? code}`
      if (!hasBegun) reject(new Error(`${why} before its first seed`))
      else {
        if (task !== undefined) add(brokenSeed(task, why))
        if (isDone && code !== 0) reject(new Error(`${why} after its last seed`))
        else resolve(isDone)
      }
    })
  })
}
