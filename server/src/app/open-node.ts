import type { Network } from '../chains/networks.ts'
import type { Log } from '../core/log.ts'
import type { CloseStack } from './close-stack.ts'
import type { Config } from './settings/config.ts'

/** Where a chain is reached, before anybody reads it. In a sandbox the row is of the dev chain. */
export interface OpenNode<Row extends Network = Network> {
  readonly network: Row
  readonly urls: readonly string[]
  /** Whether a sandbox started it for itself. */
  readonly isOwn?: boolean
}

export interface OpenNodeParts {
  readonly config: Config
  readonly log: Log
  readonly opened: CloseStack
  readonly signal: AbortSignal
  onProgress(step: string): void
  /** Called when a dev chain of ours ended by itself. */
  onLost(error: Error): void
}
