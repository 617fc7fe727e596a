/**
 * Decides which simulated work continues. Work parks (waits for the scheduler) before each database
 * statement, each call of a node or of the signer, and each change of a file. The scheduler runs one parked
 * step, waits until the work parks again or ends, and chooses the next step at random. Its random numbers
 * depend only on the seed, so the same seed repeats all choices.
 */
import { required } from '../../src/core/assert.ts'
import type { Dice } from '../dice.ts'
import type { Life } from './life.ts'

/** The operations on database sessions that the scheduler needs. */
export interface Sessions {
  /** Returns the sessions that hold a lock for which this session waits; empty if it waits for none. */
  readBlockers(pid: number): Promise<readonly number[]>
  /** Cancels the running statement of a session. */
  cancel(pid: number): Promise<void>
  /** Opens more sessions if too few are free for the next step. */
  keepSpare(): Promise<void>
}

export interface Step {
  readonly life: Life
  readonly label: string
  /** The process id of the database session that runs the step, if the step is a statement. */
  readonly pid?: number | undefined
  run(): Promise<unknown>
}

/** Work of one process from its start to its end: one batch of a job, or one request. */
interface Activation {
  readonly life: Life
  readonly name: string
  /** Number of steps that are parked or wait for a lock. */
  parked: number
  isOver: boolean
}

interface Parked extends Step {
  readonly activation: Activation | undefined
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** A statement that waits for a lock. */
interface Waiting {
  readonly parked: Parked
  readonly pid: number
  readonly sinceMs: number
  readonly outcome: Promise<Outcome>
  isOver: boolean
  /** The error that replaces PostgreSQL's error if the scheduler cancelled the statement. */
  cause: Error | undefined
}

type Outcome = { readonly value: unknown } | { readonly error: unknown }

/** Thrown if a step neither ends nor waits for a lock. This is a fault of the simulation itself. */
export class StuckError extends Error {
  override readonly name = 'StuckError'
}

/** Thrown if the work of a run never ends. This is a fault of the service, or of the simulation. */
export class EndlessError extends Error {
  override readonly name = 'EndlessError'
}

export interface SchedulerParts {
  readonly dice: Dice
  readonly sessions: Sessions
  /** The simulated time. It decides when a lock timeout expires. */
  readonly nowMs: () => number
  /** Returns whether any timer is running. */
  readonly hasTimers: () => boolean
  readonly lockTimeoutMs: number
  /** Called with each step before it runs. */
  readonly onStep?: (text: string) => void
  /** A run with more steps fails with EndlessError. */
  readonly stepsMax?: number | undefined
}

/**
 * Real time after which a statement without an answer is checked for a lock. It is doubled after each check, because
 * checks on a busy computer would delay the statement even more.
 */
const lockCheckMs = 2
const stuckMs = 20_000
/** About ten times the steps of the longest runs. A run with more steps contains work that never ends. */
const defaultStepsMax = 100_000
/**
 * If work neither parks nor ends for this many turns of the event loop, it is assumed to wait for other work.
 */
const sharedTurns = 200

export class Scheduler {
  readonly #parts: SchedulerParts
  /**
   * The work that the scheduler continued last. New steps are assigned to it. Other work may continue at the
   * same time if it waits for the same promise. Its steps are then assigned to this work too.
   * AsyncLocalStorage would assign them correctly, but it takes a tenth of a run's time.
   */
  #current: Activation | undefined
  #parked: Parked[] = []
  #waiting: Waiting[] = []
  readonly #activations = new Set<Activation>()
  /** Number of times that work has parked or ended. As long as it changes, work is still running. */
  #events = 0
  steps = 0
  locks = 0
  deadlocks = 0
  lockTimeouts = 0

  constructor(parts: SchedulerParts) {
    this.#parts = parts
  }

  /** Parks until the scheduler chooses this step. Then runs the step and returns its result. */
  step<T>({ life, label, pid, run }: Step & { run(): Promise<T> }): Promise<T> {
    const activation = this.#current
    return new Promise<T>((resolve, reject) => {
      // A killed process does nothing more. Its promises stay pending forever.
      if (!life.isAlive) return
      this.#events += 1
      if (activation !== undefined) activation.parked += 1
      this.#parked.push({ life, label, pid, run, activation, resolve: resolve as never, reject })
    })
  }

  /**
   * Starts work of a process. The work runs until its first step. After that, the scheduler decides when it
   * continues.
   */
  async start(life: Life, name: string, work: () => Promise<void>): Promise<void> {
    const activation: Activation = { life, name, parked: 0, isOver: false }
    this.#activations.add(activation)
    const end = () => {
      activation.isOver = true
      this.#activations.delete(activation)
      this.#events += 1
    }
    this.#current = activation
    void work().then(end, end)
    await this.#settle(activation)
  }

  /**
   * Returns a function that continues the work that runs now, for example when its timer ends. The promise of
   * the function resolves when the work has parked again or ended.
   */
  continuing(onEnd: () => void): () => Promise<void> {
    const activation = this.#current
    return () => {
      this.#current = activation
      onEnd()
      return this.#settle(activation)
    }
  }

  /** Returns whether work with this name has begun in this life and has not ended. */
  isUnderWay(life: Life, name: string): boolean {
    return [...this.#activations].some((one) => one.life === life && one.name === name)
  }

  /** Returns the number of steps that could run now. */
  get runnable(): number {
    return this.#choices().length
  }

  /** Returns the name of the work that runs now; undefined if no work runs. */
  get runningWork(): string | undefined {
    return this.#current?.name
  }

  /** Returns the life of the work that runs now; undefined if no work runs. */
  get runningLife(): Life | undefined {
    return this.#current?.life
  }

  /**
   * Returns the number of jobs and requests that have not ended, plus the number of waiting steps whose job
   * or request has ended. Such a step remains if, for example, a job did not wait for its call of a node.
   */
  get underWay(): number {
    const steps = [...this.#parked, ...this.#waiting.map(({ parked }) => parked)]
    const left = steps.filter(({ activation }) => activation === undefined || activation.isOver)
    return this.#activations.size + left.length
  }

  /**
   * Waits until any work has parked or ended. Work may still run although `advance` has returned, because its last step
   * can be assigned to other work (see `#current`).
   * @returns false if nothing has happened for a long time
   */
  async untilEvent(): Promise<boolean> {
    const before = this.#events
    const giveUpAt = performance.now() + stuckMs
    while (before === this.#events) {
      if (performance.now() > giveUpAt) return false
      await new Promise((resolve) => setImmediate(resolve))
    }
    await this.rest()
    return true
  }

  /** Returns the names of all work that has begun and has not ended, for messages. */
  get underWayNames(): readonly string[] {
    return [...this.#activations].map(({ life, name }) => `${life.name}: ${name}`)
  }

  /**
   * Runs one step. Returns false if no step can run.
   * @throws EndlessError if the run has had too many steps
   */
  async advance(): Promise<boolean> {
    const chosen = this.#choices()
    if (chosen.length === 0) return false
    const { stepsMax = defaultStepsMax } = this.#parts
    if (this.steps >= stepsMax) throw new EndlessError(`the run does not end: it has had ${stepsMax} steps`)
    const parked = this.#parts.dice.pick(chosen)
    this.#parked = this.#parked.filter((one) => one !== parked)
    this.steps += 1
    this.#parts.onStep?.(`${parked.life.name}#${parked.life.number} ${parked.label}`)
    const outcome = outcomeOf(parked.run())
    if (parked.pid !== undefined && (await this.#isWaiting(parked.pid, outcome))) {
      await this.#addWaiting(parked, parked.pid, outcome)
    } else {
      await this.#resume(parked, await outcome)
    }
    await this.#wakeWaiting()
    return true
  }

  /**
   * Waits until no work is running. Call this function after something outside the scheduler, such as a
   * timer, has continued work.
   */
  rest(): Promise<void> {
    this.#current = undefined
    return this.#settle(undefined)
  }

  /**
   * Cancels statements that have waited for a lock for as long as the lock timeout. Call this function after
   * time has passed.
   */
  async endLockTimeouts(): Promise<void> {
    const { nowMs, lockTimeoutMs } = this.#parts
    for (;;) {
      // A statement that ended just before may have released the lock. A statement that no longer waits must
      // not be cancelled.
      await this.#wakeWaiting()
      const late = this.#waiting.find(({ sinceMs }) => nowMs() - sinceMs >= lockTimeoutMs)
      if (late === undefined) return
      this.lockTimeouts += 1
      await this.#cancel(late, '55P03', 'canceling statement due to lock timeout')
    }
  }

  /**
   * Ends one life of a simulated process, as if the process were killed. Its parked steps are dropped. Its
   * statements that wait for a lock are cancelled, as PostgreSQL does when a connection is lost.
   */
  async kill(life: Life): Promise<void> {
    life.isAlive = false
    for (const { activation } of this.#parked.filter((one) => one.life === life))
      if (activation !== undefined) activation.parked -= 1
    this.#parked = this.#parked.filter((one) => one.life !== life)
    for (const one of [...this.#activations]) {
      if (one.life !== life) continue
      one.isOver = true
      this.#activations.delete(one)
    }
    const own = this.#waiting.filter(({ parked }) => parked.life === life)
    this.#waiting = this.#waiting.filter(({ parked }) => parked.life !== life)
    for (const { pid, outcome } of own) {
      await this.#parts.sessions.cancel(pid)
      await outcome
    }
  }

  #choices(): readonly Parked[] {
    return this.#parked.filter(({ life }) => !life.isPaused)
  }

  /**
   * Passes the result to the work that waits for the step, and waits until the work has parked again or
   * ended.
   */
  async #resume(parked: Parked, outcome: Outcome): Promise<void> {
    const { activation, life } = parked
    if (activation !== undefined) activation.parked -= 1
    if (!life.isAlive) return
    this.#current = activation
    if ('error' in outcome) parked.reject(outcome.error)
    else parked.resolve(outcome.value)
    await this.#settle(activation)
  }

  /** Waits until the work has parked again or ended, and no other work is running. */
  async #settle(activation: Activation | undefined): Promise<void> {
    const giveUpAt = performance.now() + stuckMs
    const isAtRest = () => activation === undefined || activation.isOver || activation.parked > 0
    for (let quiet = 0, turns = 0; quiet < 3; turns += 1) {
      const before = this.#events
      await new Promise((resolve) => setImmediate(resolve))
      quiet = before === this.#events && (isAtRest() || this.#isShared(turns)) ? quiet + 1 : 0
      if (turns % 1_000 !== 999 || isAtRest()) continue
      if (performance.now() > giveUpAt) throw new StuckError(`${activation?.name} neither parks nor ends`)
    }
    await this.#parts.sessions.keepSpare()
  }

  /**
   * Returns whether the work may wait for a timer, or for a promise of other work, such as a batch of inserts
   * that several requests share.
   */
  #isShared(turns: number): boolean {
    const hasOthers = this.#parked.length + this.#waiting.length > 0 || this.#parts.hasTimers()
    return turns > sharedTurns && hasOthers
  }

  async #isWaiting(pid: number, outcome: Promise<Outcome>): Promise<boolean> {
    const giveUpAt = performance.now() + stuckMs
    for (let waitMs = lockCheckMs; !(await endsWithin(outcome, waitMs)); waitMs *= 2) {
      if ((await this.#parts.sessions.readBlockers(pid)).length > 0) return true
      if (performance.now() > giveUpAt) throw new StuckError('a statement neither ends nor waits for a lock')
    }
    return false
  }

  async #addWaiting(parked: Parked, pid: number, outcome: Promise<Outcome>): Promise<void> {
    this.locks += 1
    const waiting: Waiting = {
      parked,
      pid,
      outcome,
      sinceMs: this.#parts.nowMs(),
      isOver: false,
      cause: undefined,
    }
    void outcome.then(() => {
      waiting.isOver = true
    })
    this.#waiting.push(waiting)
    this.#parts.onStep?.(`${parked.life.name}#${parked.life.number} waits for a lock`)
    const cycle = await this.#findCycle(pid)
    if (cycle.length === 0) return
    this.deadlocks += 1
    const drawn = this.#parts.dice.pick(cycle)
    const victim = required(
      this.#waiting.find((one) => one.pid === drawn),
      'a waiting statement of the deadlock',
    )
    await this.#cancel(victim, '40P01', 'deadlock detected')
  }

  /**
   * Returns the sessions of a deadlock: sessions that wait for each other in a cycle that contains `start`.
   * Returns none if there is no such cycle.
   */
  async #findCycle(start: number): Promise<readonly number[]> {
    const path: number[] = []
    const visited = new Set<number>()
    const reaches = async (pid: number): Promise<boolean> => {
      if (visited.has(pid)) return false
      visited.add(pid)
      path.push(pid)
      for (const blocker of await this.#parts.sessions.readBlockers(pid)) {
        if (blocker === start) return true
        if (await reaches(blocker)) return true
      }
      path.pop()
      return false
    }
    return (await reaches(start)) ? path : []
  }

  async #cancel(waiting: Waiting, code: string, message: string): Promise<void> {
    waiting.cause = Object.assign(new Error(message), { code })
    await this.#parts.sessions.cancel(waiting.pid)
    await waiting.outcome
  }

  /** Parks again each statement that no longer waits for a lock, in the order in which they began to wait. */
  async #wakeWaiting(): Promise<void> {
    for (const waiting of [...this.#waiting]) {
      if (!waiting.isOver && (await this.#isWaiting(waiting.pid, waiting.outcome))) continue
      const outcome = await waiting.outcome
      this.#waiting = this.#waiting.filter((one) => one !== waiting)
      const { cause, parked } = waiting
      const settled = cause !== undefined && 'error' in outcome ? { error: cause } : outcome
      const run = () => ('error' in settled ? Promise.reject(settled.error) : Promise.resolve(settled.value))
      const { pid: _, ...rest } = parked
      this.#parked.push({ ...rest, label: `${parked.label} (lock)`, run })
    }
  }
}

function outcomeOf(result: Promise<unknown>): Promise<Outcome> {
  return result.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
}

/** Returns whether a promise settles within `ms` milliseconds of real time. */
async function endsWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const ended = await Promise.race([promise.then(() => true), over])
  clearTimeout(timer)
  return ended
}
