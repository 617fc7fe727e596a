/** What must always be true of money, as questions to the database and to the chain. */
import type { AccountSender, ChainReader } from '../../chains/port.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { Attestation } from '../../signing/signer-port.ts'
import type { LineSums } from './books/summed-lines.ts'

/** No more than so many breaches of one invariant are told; the first ones are enough to act. */
export const findingsMax = 10

export interface Outcome {
  /** How many things were looked at. */
  readonly examined: number
  /** One sentence per breach, at most `findingsMax`; none means the invariant holds. */
  readonly findings: readonly string[]
  /** What is no breach and yet worth an operator's eye, a sentence each. */
  readonly remarks?: readonly string[]
  /** Why nothing could be looked at; then there are no findings. */
  readonly skipped?: string
}

/** The database at one moment. */
export interface Snapshot {
  readonly on: Queryable
  readonly methods: PaymentMethods
  /** What the signer says of itself, where it can be asked. */
  readonly attested?:
    | (Pick<Attestation, 'statementKey' | 'sealHead'> & Partial<Pick<Attestation, 'family' | 'lanes'>>)
    | undefined
  /** What the lines of the ledger come to, where that was added up before; else it is added up in the snapshot. */
  readonly sums?: LineSums | undefined
}

/** What one look saw. */
export interface Looked {
  /** How many things were looked at. */
  readonly examined: number
  /** How far it came: rows of the table that the part goes through. */
  readonly rows: number
  readonly findings: readonly string[]
  readonly remarks?: readonly string[]
  readonly skipped?: string | undefined
  /** Where the next look begins; undefined where nothing is left. */
  readonly next: string | undefined
}

export interface LookAt {
  /** Where it begins; undefined for the first one. */
  readonly from: string | undefined
  /** So many rows are looked at. */
  readonly rows: number
}

export interface Part {
  /** The table that it goes through, whose size tells how long the part will take; undefined where one look is all. */
  readonly table?: string
  /** Whether it compares with sums of the ledger's lines, which are added up before. */
  readonly needsSums?: boolean
  /** What is enough to look at where all but what changed since was proven before. */
  readonly since?: Since
  look(snapshot: Snapshot, at: LookAt): Promise<Looked>
  /** The same for a list of ids alone, of those that `since` names. */
  lookAtIds?(snapshot: Snapshot, ids: readonly string[]): Promise<Looked>
}

/**
 * - `all`: it is looked at whole, which is cheap.
 * - `newer`: rows are never changed, so that those made since are enough; their ids begin with the time.
 * - `none`: rows proven before are not looked at again, and there is no list of those that changed.
 * - the others: rows that changed since, which the journals and events made since name.
 */
export type Since = 'all' | 'newer' | 'none' | 'transactions' | 'invoices' | 'withdrawals'

export interface Invariant {
  /** As docs and operators call it: "M1". */
  readonly id: string
  readonly title: string
  /** What `examined` counts, in the plural. */
  readonly unit: string
  /** What it consists of, each for a snapshot of its own. */
  readonly parts: readonly Part[]
  /** All of it in one snapshot. */
  check(snapshot: Snapshot): Promise<Outcome>
}

/** A chain to compare with: what lies where by its reader, what became of our own transactions by its sender. */
export interface ComparedChain {
  readonly reader: ChainReader
  /** Undefined where money lies in coins: there the reader tells of both. */
  readonly sender: Pick<AccountSender, 'readReceipts' | 'readNonces'> | undefined
}

/** Compares the database with the chain. What is asked is read in the snapshot, the node only after it is closed. */
export interface ChainInvariant {
  readonly id: string
  readonly title: string
  readonly unit: string
  readonly network: string
  prepare(snapshot: Snapshot): Promise<(chain: ComparedChain, signal: AbortSignal) => Promise<Outcome>>
}
