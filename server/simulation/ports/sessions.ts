/**
 * The connections of a simulated installation to its database. All processes share them, because opening one
 * takes longer than most simulated work. What a process leaves open when it is killed is rolled back.
 */
import pg from 'pg'
import { required } from '../../src/core/assert.ts'
import type { Sessions } from '../scheduler/scheduler.ts'

export interface Session {
  readonly client: pg.Client
  readonly pid: number
  /** The simulated times that the session was last told, in milliseconds; undefined if unknown. */
  knownMs: { now: number; clock: number } | undefined
  isInTransaction: boolean
  /** The simulated time at which the open transaction began, in milliseconds. */
  beganMs: number
  /** Statements that only begin or set up a transaction. They are sent with the next one. */
  readonly unsent: string[]
  isRunning: boolean
  /** When the session last did something in its open transaction, in simulated milliseconds. */
  usedAtMs: number
  /** True after PostgreSQL ended the session, because nothing happened in its transaction for too long. */
  isLost: boolean
}

export class SessionPool implements Sessions {
  readonly #url: string
  readonly #monitor: pg.Client
  readonly #free: Session[] = []
  readonly #all: Session[] = []

  private constructor(url: string, monitor: pg.Client) {
    this.#url = url
    this.#monitor = monitor
  }

  /**
   * Opens all sessions at once, so that no run opens one that another run finds open.
   * @param url with the role of the service
   * @param superuserUrl of the same database
   */
  static async open(url: string, superuserUrl: string, sessions: number): Promise<SessionPool> {
    const monitor = new pg.Client({ connectionString: superuserUrl })
    await monitor.connect()
    const pool = new SessionPool(url, monitor)
    for (let count = 0; count < sessions; count += 1) pool.#free.push(await pool.#open())
    return pool
  }

  /** Returns the free session that was used last, because it has planned the most statements. */
  take(): Session {
    return required(this.#free.pop(), 'a free session, of which more must be opened')
  }

  async #open(): Promise<Session> {
    const client = new pg.Client({ connectionString: this.#url })
    client.on('error', () => {})
    await client.connect()
    const { processID: pid } = client as pg.Client & { readonly processID: number }
    const session: Session = {
      client,
      pid,
      knownMs: undefined,
      isInTransaction: false,
      beganMs: 0,
      unsent: [],
      isRunning: false,
      usedAtMs: 0,
      isLost: false,
    }
    this.#all.push(session)
    return session
  }

  /** Takes a session back. A transaction that is still open is rolled back. */
  async giveBack(session: Session): Promise<void> {
    if (session.isInTransaction) await rollBack(session)
    session.isLost = false
    this.#free.push(session)
  }

  /**
   * Ends the transactions in which nothing happened since `sinceMs`, as PostgreSQL does
   * (`idle_in_transaction_session_timeout`). Returns how many there were.
   */
  async endIdle(sinceMs: number): Promise<number> {
    const idle = this.#all.filter((one) => one.isInTransaction && !one.isRunning && one.usedAtMs <= sinceMs)
    for (const session of idle) {
      await rollBack(session)
      session.isLost = true
    }
    return idle.length
  }

  async readBlockers(pid: number): Promise<readonly number[]> {
    const { rows } = await this.#monitor.query<{ blockers: number[] }>(
      'select pg_blocking_pids($1) as blockers',
      [pid],
    )
    return rows[0]?.blockers ?? []
  }

  async cancel(pid: number): Promise<void> {
    await this.#monitor.query('select pg_cancel_backend($1)', [pid])
  }

  /** Runs a statement beside the simulation, which no actor sees. */
  async look<R extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<readonly R[]> {
    return (await this.#monitor.query<R>(text, values)).rows
  }

  async close(): Promise<void> {
    await Promise.all([this.#monitor, ...this.#all.map(({ client }) => client)].map((one) => one.end()))
  }
}

/** Ends the open transaction of a session. If nothing of it was sent, PostgreSQL need not know. */
export async function rollBack(session: Session): Promise<void> {
  if (session.unsent[0]?.startsWith('begin') !== true) await session.client.query('rollback')
  session.unsent.length = 0
  session.isInTransaction = false
  session.knownMs = undefined
}
