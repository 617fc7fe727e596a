/**
 * The database of one simulated process. Every statement parks first, which means that it waits until the
 * scheduler runs it.
 */
import type pg from 'pg'
import type { BooksMacs } from '../../src/core/books-macs.ts'
import type { Db, Statement } from '../../src/platform/db/pool.ts'
import type { Life } from '../scheduler/life.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { isBegin, rollBack, type Session, type SessionPool } from './sessions.ts'
import type { SimulatedTime } from './simulated-time.ts'

export interface ParkedDatabaseParts {
  readonly scheduler: Pick<Scheduler, 'step' | 'runningWork'>
  readonly sessions: SessionPool
  readonly time: SimulatedTime
  readonly life: Life
  readonly macs: BooksMacs
}

/** Gives a process its database sessions. They are returned when the process ends. */
export class ParkedDatabase {
  readonly db: Db
  readonly #parts: ParkedDatabaseParts
  readonly #taken = new Set<Session>()

  constructor(parts: ParkedDatabaseParts) {
    this.#parts = parts
    const connect = () =>
      this.#whileAlive(async () => this.#client(this.#take(parts.scheduler.runningWork ?? parts.life.name)))
    this.db = {
      macs: parts.macs,
      pool: { connect, idleCount: 0 } as unknown as pg.Pool,
      query: (statement) => this.#whileAlive(() => this.#query(statement)),
      close: async () => {},
    }
  }

  /** Rolls back the open transactions of the process and returns its sessions. */
  async end(): Promise<void> {
    for (const session of this.#taken) await this.#parts.sessions.giveBack(session)
    this.#taken.clear()
  }

  /** Work of a killed process waits for ever, and takes no session that nobody would return. */
  #whileAlive<T>(work: () => Promise<T>): Promise<T> {
    return this.#parts.life.isAlive ? work() : new Promise(() => {})
  }

  #take(purpose: string): Session {
    const session = this.#parts.sessions.take(purpose)
    this.#taken.add(session)
    return session
  }

  async #giveBack(session: Session): Promise<void> {
    // When a process is killed, `end` has already returned all its sessions.
    if (!this.#taken.delete(session)) return
    await this.#parts.sessions.giveBack(session)
  }

  async #query<R extends object>(statement: Statement): Promise<readonly R[]> {
    const session = this.#take(traitsOf(statement.text).preparedAs)
    try {
      return (await this.#run(session, statement)).rows as R[]
    } finally {
      await this.#giveBack(session)
    }
  }

  #client(session: Session): Pick<pg.PoolClient, 'query' | 'release'> {
    const query = (statement: Statement | string) =>
      this.#run(session, typeof statement === 'string' ? { text: statement, values: [] } : statement)
    const release = () => void this.#giveBack(session)
    return { query, release } as unknown as pg.PoolClient
  }

  #run(session: Session, { text, values, name }: Statement): Promise<pg.QueryResult> {
    const { scheduler, life } = this.#parts
    const { isSetUp, label, preparedAs } = traitsOf(text)
    if (isSetUp || (text === 'commit' && session.isReadOnly)) return this.#setUp(session, text)
    const config = { text, values: [...values], name: name ?? preparedAs }
    const run = async () => {
      if (session.isLost) throw lostError()
      session.isRunning = true
      try {
        if (text === 'rollback' || (text === 'commit' && session.unsent.some(isBegin))) {
          await rollBack(session)
          return noRows
        }
        const result = await this.#send(session, config)
        if (text === 'commit') session.isInTransaction = false
        return result
      } finally {
        session.isRunning = false
      }
    }
    return scheduler.step({ life, label, pid: session.pid, run })
  }

  /**
   * Stores a statement that begins or configures a transaction, or commits one that only read. It is sent together
   * with the next statement. It has no visible effect before that, so it is not a step of the scheduler.
   */
  async #setUp(session: Session, text: string): Promise<pg.QueryResult> {
    if (session.isLost) throw lostError()
    if (isBegin(text)) {
      session.isInTransaction = true
      session.isReadOnly = false
      session.beganMs = this.#parts.time.trueMs
    }
    if (text === 'commit') session.isInTransaction = false
    if (text.includes('read only')) session.isReadOnly = true
    session.usedAtMs = this.#parts.time.monotonicMs()
    if (!traitsOf(text).isTuning) session.unsent.push(text)
    return noRows
  }

  /** Sends the stored statements and a statement in one write, and does not wait for the answer to the first. */
  async #send(session: Session, config: pg.QueryConfig): Promise<pg.QueryResult> {
    const { stream } = session.client.connection
    stream.cork()
    const results = Promise.all([this.#sendSetUp(session), session.client.query(config)])
    stream.uncork()
    return (await results)[1]
  }

  /**
   * Sends the stored statements, and the simulated time if it has changed. `now()` returns the time at which
   * the transaction began.
   */
  async #sendSetUp(session: Session): Promise<void> {
    const { time } = this.#parts
    session.usedAtMs = time.monotonicMs()
    const clock = time.trueMs
    const now = session.isInTransaction ? session.beganMs : clock
    const { knownMs, unsent } = session
    if (knownMs?.now !== now || knownMs.clock !== clock)
      unsent.push(`set simulation.now_ms = ${now}`, `set simulation.clock_ms = ${clock}`)
    session.knownMs = { now, clock }
    if (unsent.length === 0) return
    const statements = unsent.splice(0)
    await session.client.query(statements.join(';'))
  }
}

const noRows = { rows: [], rowCount: 0 } as unknown as pg.QueryResult

/** What is known of a statement from its text. */
interface Traits {
  /** Whether it only begins a transaction or configures it. */
  readonly isSetUp: boolean
  /**
   * Whether it only sets timeouts by real time, or how statements are planned. Such statements are not sent:
   * the first would make runs differ, and the others change only the speed.
   */
  readonly isTuning: boolean
  /** The first words, which a trace shows. */
  readonly label: string
  /** The name of the prepared statement. With it, a session plans each statement only once. */
  readonly preparedAs: string
}

const known = new Map<string, Traits>()

function traitsOf(text: string): Traits {
  const found = known.get(text)
  if (found !== undefined) return found
  const traits = {
    isTuning: /^\s*(set local enable_|select set_config)/.test(text),
    isSetUp: /^\s*(begin|set transaction|set local|select set_config)/.test(text),
    label: text.replace(/\s+/g, ' ').trim().slice(0, 60),
    preparedAs: `simulation ${known.size}`,
  }
  known.set(text, traits)
  return traits
}

/** Returns the error that a statement gets after PostgreSQL ended the idle transaction (SQLSTATE 25P03). */
function lostError(): Error {
  const message = 'terminating connection due to idle-in-transaction timeout'
  return Object.assign(new Error(message), { code: '25P03' })
}
