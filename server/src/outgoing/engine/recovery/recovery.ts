/**
 * The recovery of a network. It starts when the database and the signer's log seem to have been set back to
 * an earlier state, for example by a restored snapshot. Both of them may then lack transactions that were
 * signed. The recovery adopts the lost transactions that are on chain, and makes all others invalid. Until
 * the recovery is over, the network's hot wallets make no new payments. Pure.
 */
import type { Wait } from '../plan-outcome.ts'

export interface Recovery {
  readonly network: string
  /**
   * A text that says why the database and the signer's log seem to have been set back to an earlier state.
   */
  readonly reason: string
  readonly requestedAt: Date
  /**
   * On EVM chains: for each wallet, the nonce below which all transactions must be final. On UTXO chains: a
   * height. Signed transactions that the database may have lost can spend only UTXOs in blocks up to this
   * height. Undefined until the first step of the recovery.
   */
  readonly targets: Readonly<Record<string, number>> | undefined
}

/** The result of one step of a recovery. */
export interface RecoveryStep {
  /** The number of changes that were made. */
  readonly done: number
  readonly waits: readonly Wait[]
  readonly isOver: boolean
}
