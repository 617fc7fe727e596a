import type pg from 'pg'
import type { Db } from '../../src/db/pool.ts'

export type Interrupt = { readonly signal: 'SIGKILL' | 'SIGSTOP' } & (
  | { readonly beforeStatement: number }
  /** Before the first statement of that name, or after the commit of its transaction. */
  | { readonly named: string; readonly when: 'before' | 'committed' }
)

const afterCommit = 'the answer to commit'

/**
 * The database, but the process sends itself a signal before the n-th statement of its transactions, counted from its
 * start; the moment after a commit counts as one more. If it goes on after that, it tells how the transaction ended.
 */
export function interrupted(db: Db, interrupt: Interrupt, say: (line: object) => void): Db {
  let count = 0
  let isDue = false
  let isSent = false
  const isNow = (at: string) => {
    if ('beforeStatement' in interrupt) return count === interrupt.beforeStatement
    if (at === interrupt.named) isDue = true
    return isDue && (interrupt.when === 'before' || at === afterCommit)
  }
  const step = (at: string) => {
    count += 1
    if (isSent || !isNow(at)) return
    isSent = true
    say({ interruptedBefore: at })
    process.kill(process.pid, interrupt.signal)
  }
  const tellEnd = (endedBy: string) => {
    if (isSent) say({ endedBy })
  }
  const connect = async () => {
    const client = await db.pool.connect()
    const query = async (statement: string | pg.QueryConfig) => {
      const text = typeof statement === 'string' ? statement : statement.text
      step((typeof statement === 'string' ? undefined : statement.name) ?? text.trim().slice(0, 40))
      if (text === 'rollback') tellEnd(text)
      const result = await client.query(statement)
      if (text === 'commit') {
        step(afterCommit)
        tellEnd(text)
      }
      return result
    }
    return { query, release: (error?: Error) => client.release(error) }
  }
  return { ...db, pool: { connect } as unknown as pg.Pool }
}
