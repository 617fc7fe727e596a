import type { Network } from '../chains/networks.ts'
import type { Log } from '../core/log.ts'
import type { CloseStack } from './close-stack.ts'
import type { Config } from './settings/config.ts'

/**
 * A network and the URLs of its nodes, known before a reader is opened. In a sandbox `network` describes the
 * dev chain.
 */
export interface OpenNode<Row extends Network = Network> {
  readonly network: Row
  readonly urls: readonly string[]
  /** Whether the sandbox started the node itself. */
  readonly isOwn?: boolean
}

export interface OpenNodeParts {
  readonly config: Config
  readonly log: Log
  readonly opened: CloseStack
  readonly signal: AbortSignal
  onProgress(step: string): void
  /** Is called when a dev chain that Coffer started has ended unexpectedly. */
  onLost(error: Error): void
}
