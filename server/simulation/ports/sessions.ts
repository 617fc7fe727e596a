/**
 * The connections of a simulated installation to its database. All processes share them, because opening a
 * connection takes longer than most simulated work. If a process is killed, its open transactions are rolled
 * back.
 */
import pg from 'pg'
import { required } from '../../src/core/assert.ts'
import type { Sessions } from '../scheduler/scheduler.ts'

export interface Session {
  readonly client: pg.Client
  /** What the session was taken for so far. It has planned the statements of these purposes. */
  readonly purposes: Set<string>
  readonly pid: number
  /** The simulated times that were last sent to the session, in milliseconds; undefined if unknown. */
  knownMs: { now: number; clock: number } | undefined
  isInTransaction: boolean
  /** Whether the open transaction only reads. */
  isReadOnly: boolean
  /** The simulated time at which the open transaction began, in milliseconds. */
  beganMs: number
  /**
   * Statements that only begin, configure or commit a transaction without visible effects. They are sent together
   * with the next statement.
   */
  readonly unsent: string[]
  isRunning: boolean
  /** The simulated time of the last statement in the open transaction, in milliseconds. */
  usedAtMs: number
  /**
   * True after the simulation ended the transaction because it was idle for too long. PostgreSQL would end
   * the session.
   */
  isLost: boolean
}

export interface PoolSize {
  /** The number of sessions at first. */
  readonly sessions: number
  /**
   * The number of sessions that are free whenever no work is running. It exceeds the number that one step of work
   * takes, because a session that is opened while work runs would delay the work by a random time.
   */
  readonly spare: number
}

export class SessionPool implements Sessions {
  readonly #url: string
  readonly #monitor: pg.Client
  readonly #spare: number
  readonly #free: Session[] = []
  readonly #all: Session[] = []
  /** The names of the statements that the monitor has prepared, by text. */
  readonly #looks = new Map<string, string>()

  private constructor(url: string, monitor: pg.Client, spare: number) {
    this.#url = url
    this.#monitor = monitor
    this.#spare = spare
  }

  /**
   * Opens the sessions that most runs need.
   * @param url URL of the database with the role of the service
   * @param superuserUrl URL of the same database with the superuser's role
   */
  static async open(url: string, superuserUrl: string, size: PoolSize): Promise<SessionPool> {
    const monitor = new pg.Client({ connectionString: superuserUrl })
    await monitor.connect()
    const pool = new SessionPool(url, monitor, size.spare)
    for (let count = 0; count < size.sessions; count += 1) pool.#free.push(await pool.#open())
    return pool
  }

  /** Opens more sessions if too few are free. New sessions are used last, because they have planned nothing yet. */
  async keepSpare(): Promise<void> {
    while (this.#free.length < this.#spare) this.#free.unshift(await this.#open())
  }

  /**
   * Returns the free session that was used last for the same purpose, because it has already planned the
   * statements of this purpose. If there is none, returns the free session that was used last.
   * @param purpose names a single statement, or the work that a transaction belongs to
   */
  take(purpose: string): Session {
    const served = this.#free.findLast(({ purposes }) => purposes.has(purpose))
    const session = required(served ?? this.#free.at(-1), 'a free session')
    this.#free.splice(this.#free.indexOf(session), 1)
    session.purposes.add(purpose)
    return session
  }

  async #open(): Promise<Session> {
    const client = new pg.Client({ connectionString: this.#url, pipeline: true })
    client.on('error', () => {})
    await client.connect()
    const { processID: pid } = client as pg.Client & { readonly processID: number }
    const session: Session = {
      client,
      purposes: new Set(),
      pid,
      knownMs: undefined,
      isInTransaction: false,
      isReadOnly: false,
      beganMs: 0,
      unsent: [],
      isRunning: false,
      usedAtMs: 0,
      isLost: false,
    }
    this.#all.push(session)
    return session
  }

  /**
   * Returns a session to the pool. An open transaction is rolled back. Statements that were not sent are dropped,
   * except the `commit` of a transaction that has ended.
   */
  async giveBack(session: Session): Promise<void> {
    if (session.isInTransaction) await rollBack(session)
    session.unsent.length = session.unsent[0] === 'commit' ? 1 : 0
    session.isLost = false
    this.#free.push(session)
  }

  /**
   * Ends the transactions that have been idle since `sinceMs`, as PostgreSQL does
   * (`idle_in_transaction_session_timeout`). Returns the number of these transactions.
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
    const { rows } = await this.#monitor.query<{ blockers: number[] }>({
      name: 'blockers',
      text: 'select pg_blocking_pids($1) as blockers',
      values: [pid],
    })
    return rows[0]?.blockers ?? []
  }

  async cancel(pid: number): Promise<void> {
    await this.#monitor.query('select pg_cancel_backend($1)', [pid])
  }

  /**
   * Sends the `commit` of each transaction that has ended without one. Its snapshot would keep PostgreSQL from
   * removing old rows.
   */
  async commitAll(): Promise<void> {
    for (const { client, unsent } of this.#all)
      if (unsent.length > 0) await client.query(unsent.splice(0).join(';'))
  }

  /** Runs a statement of the simulation itself, outside all simulated processes. */
  async look<R extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<readonly R[]> {
    const name = this.#looks.get(text) ?? `look ${this.#looks.size}`
    this.#looks.set(text, name)
    return (await this.#monitor.query<R>({ name, text, values })).rows
  }

  async close(): Promise<void> {
    await Promise.all([this.#monitor, ...this.#all.map(({ client }) => client)].map((one) => one.end()))
  }
}

/** Rolls back the open transaction of a session. If the `begin` was not sent yet, nothing is sent. */
export async function rollBack(session: Session): Promise<void> {
  const beganAt = session.unsent.findIndex(isBegin)
  // What is in front of an unsent `begin` is the `commit` of the transaction before.
  session.unsent.length = Math.max(0, beganAt)
  if (beganAt < 0) await session.client.query('rollback')
  session.isInTransaction = false
  session.knownMs = undefined
}

export function isBegin(text: string): boolean {
  return text.startsWith('begin')
}
