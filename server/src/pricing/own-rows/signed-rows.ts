/** What an operator's signed entries say. */
import type { OwnNetwork } from './own-network.ts'
import type { OwnToken } from './own-token.ts'

export type OwnRowKind = 'network' | 'token'

/** What one entry says. The name of a token is `<network>/<symbol>`. */
export type OwnChange =
  | { readonly type: 'network'; readonly row: OwnNetwork }
  | { readonly type: 'token'; readonly row: OwnToken }
  | ({ readonly type: 'state' } & RowState)
  | ({ readonly type: 'nodes' } & NodesChange)

/** Whether a row is enabled. */
export interface RowState {
  readonly kind: OwnRowKind
  readonly name: string
  readonly isEnabled: boolean
}

/** Replaces the nodes of a network. */
export interface NodesChange {
  readonly network: string
  /** As in the row of the network. */
  readonly nodesHash: string
}

/** An entry as it is stored. The signature covers `text` byte by byte. */
export interface StoredEntry {
  readonly id: number
  readonly text: string
  readonly signature: string
}

/** An operator's row that is signed, and whether it is enabled. */
export interface KnownRow<Row> {
  readonly row: Row
  readonly isEnabled: boolean
  /** The number of the entry that last changed it. */
  readonly serial: number
  /**
   * Why the row cannot be used, because this version of Coffer ships something that it repeats; undefined if it
   * can. The row is neither followed nor offered, but stays known, so that its invoices can be read.
   */
  readonly conflict?: string | undefined
}

/** Tells in one word whether a row is used, as operators read it. The state of a token's network is another. */
export function stateOf({
  isEnabled,
  conflict,
}: Pick<KnownRow<unknown>, 'isEnabled' | 'conflict'>): 'enabled' | 'disabled' | 'unusable' {
  if (conflict !== undefined) return 'unusable'
  return isEnabled ? 'enabled' : 'disabled'
}

export interface OwnRows {
  readonly networks: readonly KnownRow<OwnNetwork>[]
  readonly tokens: readonly KnownRow<OwnToken>[]
  /** The hashes of the accepted entries, in order. The length is the number of the last entry. */
  readonly hashes: readonly string[]
  readonly refused: readonly RefusedEntry[]
}

/** An entry that is not used, with the reason as text for operators. */
export interface RefusedEntry {
  readonly id: number
  readonly reason: string
  /** Whether the operator signed it for this installation and the chain does not reach it. */
  readonly isLost: boolean
  /** Whether it counts as an entry, and only its row cannot be used because Coffer ships what it repeats. */
  readonly isAccepted?: true
}

export const noOwnRows: OwnRows = { networks: [], tokens: [], hashes: [], refused: [] }
