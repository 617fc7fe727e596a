import type { Network } from '../chains/networks.ts'

/** Where a chain is reached, before anybody reads it. In a sandbox the row is of the dev chain. */
export interface OpenNode<Row extends Network = Network> {
  readonly network: Row
  readonly urls: readonly string[]
}
