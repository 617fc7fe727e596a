import type { TestTokens } from '../../src/sandbox/test-tokens.ts'
import type { Interrupt } from './interrupted.ts'

/** What a watcher process is told; see flows/watcher-child.ts. */
export interface WatcherOrders {
  readonly databaseUrl: string
  readonly nodeUrl: string
  readonly tokens: TestTokens
  /** It sends itself the signal before the statement of this number in its transactions, counted from 1. */
  readonly interrupt?: Interrupt
}
