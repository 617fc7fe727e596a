/** Counts the rows that a statement reads, so that a test need not measure time. */
import pg from 'pg'
import { onTestFinished, vi } from 'vitest'
import { type Db, one, type Statement } from '../../src/platform/db/pool.ts'

/** Collects the parameterised statements that this process sends from now until the test ends. */
export function watchStatements(): Statement[] {
  const sent: Statement[] = []
  const { query } = pg.Client.prototype
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...words: unknown[]
  ) {
    const [statement] = words
    if (typeof statement === 'object' && statement !== null && 'text' in statement && 'values' in statement) {
      const { text, values } = statement as Statement
      sent.push({ text, values })
    }
    return Reflect.apply(query, this, words)
  })
  onTestFinished(() => spy.mockRestore())
  return sent
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

/** Runs a read-only statement, and returns how many table rows it read. */
export async function countRowsRead(db: Db, { text, values }: Statement): Promise<number> {
  const explained = { text: `explain (analyze, timing off, format json) ${text}`, values }
  const row = await one<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(db, explained)
  const plan = row?.['QUERY PLAN'][0]?.Plan
  if (plan === undefined) throw new Error('the statement was not explained')
  return rowsOf(plan)
}

function rowsOf(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0)
  if (node['Relation Name'] === undefined) return below
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return below + (node['Actual Rows'] + removed) * node['Actual Loops']
}
