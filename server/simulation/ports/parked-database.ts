/** The database of one simulated process. Every statement parks first, and runs when the scheduler says so. */
import pg from 'pg'
import type { BooksMacs } from '../../src/core/books-macs.ts'
import type { Db, Statement } from '../../src/platform/db/pool.ts'
import type { Life } from '../scheduler/life.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { rollBack, type Session, type SessionPool } from './sessions.ts'
import type { SimulatedTime } from './simulated-time.ts'

export interface ParkedDatabaseParts {
  readonly scheduler: Scheduler
  readonly sessions: SessionPool
  readonly time: SimulatedTime
  readonly life: Life
  readonly macs: BooksMacs
}

/** The open sessions of a process, which end with it. */
export class ParkedDatabase {
  readonly db: Db
  readonly #parts: ParkedDatabaseParts
  readonly #taken = new Set<Session>()

  constructor(parts: ParkedDatabaseParts) {
    this.#parts = parts
    const connect = async () => this.#client(this.#take())
    this.db = {
      macs: parts.macs,
      pool: { connect, idleCount: 0 } as unknown as pg.Pool,
      query: (statement) => this.#query(statement),
      close: async () => {},
    }
  }

  /** Rolls back what the process left open. */
  async end(): Promise<void> {
    for (const session of this.#taken) await this.#parts.sessions.giveBack(session)
    this.#taken.clear()
  }

  #take(): Session {
    const session = this.#parts.sessions.take()
    this.#taken.add(session)
    return session
  }

  async #giveBack(session: Session): Promise<void> {
    // A killed process gives back all its sessions at once, in `end`.
    if (!this.#taken.delete(session)) return
    await this.#parts.sessions.giveBack(session)
  }

  async #query<R extends object>(statement: Statement): Promise<readonly R[]> {
    const session = this.#take()
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
    if (isSetUp(text)) return this.#setUp(session, text, values)
    const config = { text, values: [...values], name: name ?? nameOf(text) }
    const run = async () => {
      if (session.isLost) throw lostError()
      session.isRunning = true
      try {
        if (text === 'rollback' || (text === 'commit' && session.unsent[0]?.startsWith('begin'))) {
          await rollBack(session)
          return noRows
        }
        await this.#sendSetUp(session)
        const result = await session.client.query(config)
        if (text === 'commit') session.isInTransaction = false
        return result
      } finally {
        session.isRunning = false
      }
    }
    return scheduler.step({ life, label: labelOf(text), pid: session.pid, run })
  }

  /**
   * Notes a statement that begins or sets up a transaction. It is sent with the next statement, because nobody can
   * see what it does before that, and is no step of its own.
   */
  async #setUp(session: Session, text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    if (session.isLost) throw lostError()
    if (text.startsWith('begin')) {
      session.isInTransaction = true
      session.beganMs = this.#parts.time.trueMs
    }
    session.usedAtMs = this.#parts.time.monotonicMs()
    session.unsent.push(
      text.replace(/\$(\d)/g, (_, index) => pg.escapeLiteral(String(values[Number(index) - 1]))),
    )
    return noRows
  }

  /**
   * Sends what sets up the next statement: the noted statements, and the simulated time if it has changed. `now()`
   * changes at the start of a transaction.
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

/** Returns whether a statement only begins a transaction, or sets something for it. */
function isSetUp(text: string): boolean {
  return /^\s*(begin|set transaction|set local|select set_config)/.test(text)
}

const names = new Map<string, string>()

/** Returns the name under which a session prepares a statement, so that it plans each statement once. */
function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = `simulation ${names.size}`
  names.set(text, name)
  return name
}

/** Returns the error of a statement after PostgreSQL ended its idle transaction (SQLSTATE 25P03). */
function lostError(): Error {
  const message = 'terminating connection due to idle-in-transaction timeout'
  return Object.assign(new Error(message), { code: '25P03' })
}

/** Returns the first words of a statement, which name it in a trace. */
function labelOf(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 60)
}
