/** The signer's second log: what it was told and said beside signatures, so that nothing of it can be taken back. */
import type { SealHead } from '../../signing/statement.ts'
import type { LogKind, Unnumbered } from '../log/chained-log.ts'

interface EntryBase {
  readonly sequence: number
  /** ISO 8601. */
  readonly at: string
}

export type ControlEntry =
  | (EntryBase & { readonly type: 'halt'; readonly id: string; readonly cause: string })
  /** With the line that lifted it, as an operator signed it. */
  | (EntryBase & { readonly type: 'lift'; readonly id: string; readonly line: string })
  /** A life of the database that begins. `former` is the head that was countersigned last before it. */
  | (EntryBase & {
      readonly type: 'opened'
      readonly incarnation: string
      readonly former: SealHead | null
      /** An operator's, or why none was needed. */
      readonly reason: string
    })
  /** A head that was countersigned. `lost` are the seals of the life before that this one has not, or has another for. */
  | (EntryBase & {
      readonly type: 'head'
      readonly head: SealHead
      readonly lost: LostRange | null
    })
  /** Entries that were there once and are no more, as an operator accepted. */
  | (EntryBase & {
      readonly type: 'loss'
      readonly logIncarnation: number
      readonly log: LostRange | null
      readonly control: LostRange | null
      readonly reason: string
    })

export interface LostRange {
  readonly from: number
  /** Null where nothing says how many there were. */
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
