/**
 * The recovery of a network whose database and signer's log went back in time. Before its hot wallets send anything else,
 * Coffer adopts what the chain shows and invalidates signed transactions that the database has forgotten. Pure.
 */
import type { Wait } from '../placing.ts'

export interface Recovery {
  readonly network: string
  /** The sign of going back, in words. */
  readonly reason: string
  readonly requestedAt: Date
  /** By wallet, the nonce below which everything must be final; undefined until the nodes were asked. */
  readonly targets: Readonly<Record<string, number>> | undefined
}

/** What one step of a recovery came to. */
export interface RecoveryStep {
  /** How much was done. */
  readonly done: number
  readonly waits: readonly Wait[]
  readonly isOver: boolean
}
