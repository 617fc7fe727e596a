/**
 * Decides which actor of a simulation goes on. Every actor parks before each statement, call of a node, call of
 * the signer and write of a file. The scheduler lets one parked step run, waits until its actor has
 * parked again or ended, and chooses the next. All of its choices come from its dice, so a seed repeats them.
 */
import { required } from '../../src/core/assert.ts'
import type { Dice } from '../dice.ts'
import type { Life } from './life.ts'

/** The sessions of the database, as the scheduler sees and ends them. */
export interface Sessions {
  /** Returns the sessions that hold a lock for which this session waits; empty if it waits for none. */
  readBlockers(pid: number): Promise<readonly number[]>
  /** Cancels the running statement of a session. */
  cancel(pid: number): Promise<void>
}

export interface Step {
  readonly life: Life
  readonly label: string
  /** The session that runs the step, if the step is a statement. */
  readonly pid?: number | undefined
  run(): Promise<unknown>
}

/** A piece of work of one actor, from its start to its end: a job's batch or a request. */
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
  /** The error with which the statement ends instead of PostgreSQL's, because the scheduler cancelled it. */
  cause: Error | undefined
}

type Outcome = { readonly value: unknown } | { readonly error: unknown }

/** Thrown if a step neither ends nor waits for a lock, which is a fault of the simulation. */
export class StuckError extends Error {
  override readonly name = 'StuckError'
}

export interface SchedulerParts {
  readonly dice: Dice
  readonly sessions: Sessions
  /** The simulated time, which decides when a lock timeout is over. */
  readonly nowMs: () => number
  /** Returns whether any work waits for time to pass. */
  readonly hasTimers: () => boolean
  readonly lockTimeoutMs: number
  /** Called with each step before it runs. */
  readonly onStep?: (text: string) => void
}

/** Real time after which a statement that has not answered is checked for a lock. */
const lockCheckMs = 2
const stuckMs = 20_000
/** Turns of the event loop after which work that does nothing counts as waiting for other work. */
const sharedTurns = 200

export class Scheduler {
  readonly #parts: SchedulerParts
  /**
   * The work that was released last, to which the steps that it asks for belong. Work that shares a promise with it
   * may go on as well; its steps then count as steps of this work until they have run. (AsyncLocalStorage would
   * know better, but takes a tenth of a run.)
   */
  #current: Activation | undefined
  #parked: Parked[] = []
  #waiting: Waiting[] = []
  readonly #activations = new Set<Activation>()
  /** Counts parks and ends, by which the scheduler sees that actors still move. */
  #events = 0
  steps = 0
  locks = 0
  deadlocks = 0
  lockTimeouts = 0

  constructor(parts: SchedulerParts) {
    this.#parts = parts
  }

  /** Parks until the scheduler chooses this step, runs it, and returns its result. */
  step<T>({ life, label, pid, run }: Step & { run(): Promise<T> }): Promise<T> {
    const activation = this.#current
    return new Promise<T>((resolve, reject) => {
      // A dead process does nothing more. Its promises stay pending for ever.
      if (!life.isAlive) return
      this.#events += 1
      if (activation !== undefined) activation.parked += 1
      this.#parked.push({ life, label, pid, run, activation, resolve: resolve as never, reject })
    })
  }

  /** Starts a piece of work of a process. The work runs until its first step, and then as the dice say. */
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
   * Returns a function that goes on with the work that runs now, as when its timer ends. The function resolves when the
   * work has parked again or ended.
   */
  continuing(onEnd: () => void): () => Promise<void> {
    const activation = this.#current
    return () => {
      this.#current = activation
      onEnd()
      return this.#settle(activation)
    }
  }

  /** Returns whether a piece of work with this name is under way in this life. */
  isUnderWay(life: Life, name: string): boolean {
    return [...this.#activations].some((one) => one.life === life && one.name === name)
  }

  /** Returns the number of steps that could run now. */
  get runnable(): number {
    return this.#choices().length
  }

  /** Returns the life whose work runs now; undefined if none does. */
  get runningLife(): Life | undefined {
    return this.#current?.life
  }

  /**
   * Returns the number of pieces of work that have not ended, and of steps that work left behind when it ended, such
   * as a request that it did not wait for.
   */
  get underWay(): number {
    const steps = [...this.#parked, ...this.#waiting.map(({ parked }) => parked)]
    const left = steps.filter(({ activation }) => activation === undefined || activation.isOver)
    return this.#activations.size + left.length
  }

  /** Lets one step run. Returns false if no step can run. */
  async advance(): Promise<boolean> {
    const chosen = this.#choices()
    if (chosen.length === 0) return false
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

  /** Waits until nothing moves. Call it after something outside the scheduler woke actors, such as a timer. */
  rest(): Promise<void> {
    this.#current = undefined
    return this.#settle(undefined)
  }

  /** Ends statements that have waited for a lock until their timeout. Call it after time has passed. */
  async endLockTimeouts(): Promise<void> {
    const { nowMs, lockTimeoutMs } = this.#parts
    for (;;) {
      // What ended just before may have released the lock, and a statement that goes on must not be cancelled.
      await this.#wakeWaiting()
      const late = this.#waiting.find(({ sinceMs }) => nowMs() - sinceMs >= lockTimeoutMs)
      if (late === undefined) return
      this.lockTimeouts += 1
      await this.#cancel(late, '55P03', 'canceling statement due to lock timeout')
    }
  }

  /**
   * Ends a life. None of its steps runs any more. Statements of it that wait for a lock are cancelled, as
   * PostgreSQL does when the connection is lost.
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

  /** Gives a step its result, and waits until its actor has parked again or ended. */
  async #resume(parked: Parked, outcome: Outcome): Promise<void> {
    const { activation, life } = parked
    if (activation !== undefined) activation.parked -= 1
    if (!life.isAlive) return
    this.#current = activation
    if ('error' in outcome) parked.reject(outcome.error)
    else parked.resolve(outcome.value)
    await this.#settle(activation)
  }

  /** Waits until the released work has parked again or ended, and nothing else moves. */
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
  }

  /**
   * Returns whether the released work may wait for a timer, or for a promise that another piece of work drives,
   * such as a batch of inserts that requests share.
   */
  #isShared(turns: number): boolean {
    const hasOthers = this.#parked.length + this.#waiting.length > 0 || this.#parts.hasTimers()
    return turns > sharedTurns && hasOthers
  }

  async #isWaiting(pid: number, outcome: Promise<Outcome>): Promise<boolean> {
    const giveUpAt = performance.now() + stuckMs
    while (!(await endsWithin(outcome, lockCheckMs))) {
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

  /** Returns the waiting sessions that wait for each other in a circle through `start`. */
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

  /** Parks the statements again that no longer wait, in the order in which they began to wait. */
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

/** Returns whether a promise settles within some real milliseconds. */
async function endsWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const ended = await Promise.race([promise.then(() => true), over])
  clearTimeout(timer)
  return ended
}
