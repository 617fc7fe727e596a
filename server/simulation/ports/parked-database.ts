/** The database of one simulated process. Every statement parks first, and runs when the scheduler says so. */
import type pg from 'pg'
import type { BooksMacs } from '../../src/core/books-macs.ts'
import type { Db, Statement } from '../../src/platform/db/pool.ts'
import type { Life } from '../scheduler/life.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { Session, SessionPool } from './sessions.ts'
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
    const config = { text, values: [...values], name: name ?? nameOf(text) }
    const run = async () => {
      if (session.isLost) throw lostError()
      session.isRunning = true
      try {
        // Nothing may come before this statement in its transaction.
        // A rollback must be sent as it is, because the transaction may have failed.
        if (!/^(set transaction|rollback)/.test(text))
          await this.#updateTime(session, !session.isInTransaction)
        if (text.startsWith('begin')) session.isInTransaction = true
        const result = await session.client.query(config)
        if (text === 'commit' || text === 'rollback') session.isInTransaction = false
        if (text === 'rollback') session.knownMs = undefined
        return result
      } finally {
        session.isRunning = false
      }
    }
    return scheduler.step({ life, label: labelOf(text), pid: session.pid, run })
  }

  /** Gives the session the simulated time if it has changed. `now()` changes at the start of a transaction. */
  async #updateTime(session: Session, isStart: boolean): Promise<void> {
    const clock = this.#parts.time.wallMs()
    session.usedAtMs = this.#parts.time.monotonicMs()
    const { knownMs } = session
    const now = isStart ? clock : (knownMs?.now ?? clock)
    if (knownMs?.now === now && knownMs.clock === clock) return
    await session.client.query({
      name: 'simulation: time',
      text: `select set_config('simulation.now_ms', $1, false), set_config('simulation.clock_ms', $2, false)`,
      values: [`${now}`, `${clock}`],
    })
    session.knownMs = { now, clock }
  }
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
