/**
 * The signer's control log. It records halts and statements, so that none of them can be withdrawn.
 * Signatures of transactions are in a separate log.
 */
import type { SealHead } from '../../signing/statement.ts'
import type { LogKind, Unnumbered } from '../log/chained-log.ts'

interface EntryBase {
  readonly sequence: number
  /** The time of the entry, in ISO 8601. */
  readonly at: string
}

export type ControlEntry =
  | (EntryBase & { readonly type: 'halt'; readonly id: string; readonly cause: string })
  /** `line` is the signed statement with which an operator lifted the halt. */
  | (EntryBase & { readonly type: 'lift'; readonly id: string; readonly line: string })
  /**
   * A new incarnation of the database begins. `former` is the last head that was countersigned before this
   * incarnation.
   */
  | (EntryBase & {
      readonly type: 'opened'
      readonly databaseId: string
      readonly former: SealHead | null
      /** The operator's reason, or a text that says why the incarnation was opened without an operator. */
      readonly reason: string
    })
  /**
   * A head that was countersigned. `lost` is the range of seals of the previous incarnation that are missing
   * or different in this incarnation.
   */
  | (EntryBase & {
      readonly type: 'head'
      readonly head: SealHead
      readonly lost: LostRange | null
    })
  /**
   * An operator accepted that entries of the signer's logs are lost. `log` and `control` are the lost ranges.
   */
  | (EntryBase & {
      readonly type: 'loss'
      readonly logGeneration: number
      readonly log: LostRange | null
      readonly control: LostRange | null
      readonly reason: string
    })

export interface LostRange {
  readonly from: number
  /** Null if the number of lost entries is unknown. */
  readonly to: number | null
}

export type NewControlEntry = Unnumbered<ControlEntry>

export const controlLogKind: LogKind<ControlEntry> = {
  purpose: 'signer-control',
  name: "signer's control log",
  textOf: (entry) => JSON.stringify(entry),
  read: (text) => JSON.parse(text) as ControlEntry,
  readBytesMax: undefined,
}
