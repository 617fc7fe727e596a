/**
 * The types of invariants. An invariant is a condition on money that must always hold; queries to the
 * database and to the chain check it.
 */
import type { AccountSender, ChainReader } from '../../chains/port.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { Attestation } from '../../signing/signer-port.ts'
import type { LineSums } from './books/summed-lines.ts'

/** Maximum number of violations that are reported for one invariant. The first ones are enough to act on. */
export const findingsMax = 10

export interface Outcome {
  /** The number of rows or other things that were checked. */
  readonly examined: number
  /** One sentence for each violation, at most `findingsMax`; empty if the invariant holds. */
  readonly findings: readonly string[]
  /** Facts that are no violation but that an operator should see, one sentence each. */
  readonly remarks?: readonly string[]
  /**
   * The reason why nothing was checked; undefined if the invariant was checked. If there is a reason, there
   * are no findings.
   */
  readonly skipped?: string
}

/** The database as of one moment. */
export interface Snapshot {
  readonly on: Queryable
  readonly methods: PaymentMethods
  /** The signer's statement about itself, if the signer can be reached. */
  readonly attested?:
    | (Pick<Attestation, 'statementKey' | 'sealHead'> & Partial<Pick<Attestation, 'family' | 'hotWallets'>>)
    | undefined
  /**
   * The sums of each account's lines, if they were computed before the scan. Otherwise the invariant computes
   * them in the snapshot.
   */
  readonly sums?: LineSums | undefined
}

/** The result of one scan. */
export interface ScanResult {
  /** The number of rows or other things that were checked. */
  readonly examined: number
  /** The number of rows that the scan covered in the table of its part (`Part.table`). */
  readonly rows: number
  readonly findings: readonly string[]
  readonly remarks?: readonly string[]
  readonly skipped?: string | undefined
  /** The id at which the next scan begins; undefined if nothing is left. */
  readonly next: string | undefined
}

export interface ScanRange {
  /** The id at which the scan begins; undefined for the first scan. */
  readonly from: string | undefined
  /** The number of rows to scan. */
  readonly rows: number
}

export interface Part {
  /**
   * The table whose rows the part checks, one range of ids after another. The size of the table is used to
   * estimate the duration. Undefined if a single scan checks the whole part.
   */
  readonly table?: string
  /** Whether the part needs the sums of each account's lines, which must be computed before. */
  readonly needsSums?: boolean
  /** What a run must check of this part if an earlier run proved the older rows; undefined means `all`. */
  readonly since?: Since
  scan(snapshot: Snapshot, at: ScanRange): Promise<ScanResult>
  /** Checks the rows with the given ids, which are ids of the kind that `since` names. */
  scanIds?(snapshot: Snapshot, ids: readonly string[]): Promise<ScanResult>
}

/**
 * What a run that continues from a proof must check of a part:
 * - `all`: everything, because a full check is fast.
 * - `newer`: only rows made since the proof, because rows of the table never change. The id of a row begins
 *   with the time of its creation.
 * - `none`: nothing, because it is unknown which rows changed. Only a full run checks the part.
 * - any other value: newer rows, and the older rows that are named by a journal or event made since the
 *   proof.
 */
export type Since = 'all' | 'newer' | 'none' | 'deposits' | 'invoices' | 'withdrawals'

export interface Invariant {
  /** The name in the documentation and for operators, such as "M1". */
  readonly id: string
  readonly title: string
  /** What `examined` counts, as a plural. */
  readonly unit: string
  /** The parts of the invariant. Each scan of a part has a snapshot of its own. */
  readonly parts: readonly Part[]
  /** Checks all parts in one snapshot. */
  check(snapshot: Snapshot): Promise<Outcome>
}

/**
 * A chain with which the books are compared. `reader` shows balances and transfers, and `sender` shows the
 * outcome of our own transactions.
 */
export interface ComparedChain {
  readonly reader: ChainReader
  /** Undefined on a UTXO network, where `reader` also shows the outcome of our transactions. */
  readonly sender: Pick<AccountSender, 'readReceipts' | 'readNonces'> | undefined
}

/**
 * An invariant that compares the database with the chain. `prepare` reads the database in the snapshot. It
 * returns a function that asks the node and is called after the snapshot is closed.
 */
export interface ChainInvariant {
  readonly id: string
  readonly title: string
  readonly unit: string
  readonly network: string
  prepare(snapshot: Snapshot): Promise<(chain: ComparedChain, signal: AbortSignal) => Promise<Outcome>>
}
