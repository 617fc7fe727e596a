/**
 * The recovery of a network after a sign that the database and the signer's log went back in time. Until the
 * recovery is over, only its own transactions are sent from the network's hot wallets. The recovery adopts
 * the transactions on chain, and makes forgotten bytes invalid. Forgotten bytes are signed transactions that
 * neither the database nor the signer's log knows any more. Pure.
 */
import type { Wait } from '../plan-outcome.ts'

export interface Recovery {
  readonly network: string
  /** The sign that the database and the signer's log went back in time, as text. */
  readonly reason: string
  readonly requestedAt: Date
  /**
   * On EVM chains: for each wallet, the nonce below which everything must be final. On UTXO chains: the
   * height up to which forgotten bytes may spend our UTXOs. Undefined until the first step of the recovery.
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
