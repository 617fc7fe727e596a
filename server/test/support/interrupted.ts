import type pg from 'pg'
import type { Db, Statement } from '../../src/platform/db/pool.ts'

export type Interrupt = { readonly signal: 'SIGKILL' | 'SIGSTOP' } & (
  | { readonly beforeStatement: number }
  /**
   * Names the statement. The signal comes before the first statement of that name, after it and before the
   * commit of its transaction, or after that commit. A statement outside a transaction is a transaction of
   * its own.
   */
  | { readonly named: string; readonly when: 'before' | 'uncommitted' | 'committed' }
)

const afterCommit = 'the answer to commit'
const moments = { before: undefined, uncommitted: 'commit', committed: afterCommit }

/**
 * Returns a database whose process sends itself a signal before the n-th statement of its transactions,
 * counted from its start. The moment after a commit counts as one more statement. If the process continues
 * after the signal, it reports how the transaction ended.
 */
export function interrupted(db: Db, interrupt: Interrupt, say: (line: object) => void): Db {
  let count = 0
  let isDue = false
  let isSent = false
  const isNow = (at: string) => {
    if ('beforeStatement' in interrupt) return count === interrupt.beforeStatement
    if (at === interrupt.named) isDue = true
    return isDue && (at === moments[interrupt.when] || interrupt.when === 'before')
  }
  const step = (at: string) => {
    count += 1
    if (isSent || !isNow(at)) return
    isSent = true
    say({ interruptedBefore: at })
    process.kill(process.pid, interrupt.signal)
  }
  const reportEnd = (endedBy: string) => {
    if (isSent) say({ endedBy })
  }
  const connect = async () => {
    const client = await db.pool.connect()
    const query = async (statement: string | pg.QueryConfig) => {
      const text = typeof statement === 'string' ? statement : statement.text
      step((typeof statement === 'string' ? undefined : statement.name) ?? text.trim().slice(0, 40))
      if (text === 'rollback') reportEnd(text)
      const result = await client.query(statement)
      if (text === 'commit') {
        step(afterCommit)
        reportEnd(text)
      }
      return result
    }
    return { query, release: (error?: Error) => client.release(error) }
  }
  /** Runs a statement outside a transaction. Those without the selected name are not counted. */
  const query = async <R extends object>(statement: Statement): Promise<readonly R[]> => {
    if (!('named' in interrupt) || statement.name !== interrupt.named) return db.query<R>(statement)
    step(statement.name)
    step('commit')
    const rows = await db.query<R>(statement)
    step(afterCommit)
    return rows
  }
  return { ...db, query, pool: { connect } as unknown as pg.Pool }
}
