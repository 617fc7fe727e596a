import type { TestTokens } from '../../src/sandbox/test-tokens.ts'
import type { Interrupt } from './interrupted.ts'

/** The start parameters of a watcher process; see flows/watcher-child.ts. */
export interface WatcherOrders {
  readonly databaseUrl: string
  readonly nodeUrl: string
  readonly tokens: TestTokens
  /**
   * The signal that the process sends itself, and the statement before which it sends it. Statements in
   * transactions are counted from 1.
   */
  readonly interrupt?: Interrupt
}
