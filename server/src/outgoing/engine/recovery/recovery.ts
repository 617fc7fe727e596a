/**
 * What has to be done on a network before anything else is sent from its hot wallets, once there was a sign that database
 * and signer's log went back in time: the chain's past is taken over, and forgotten bytes are made invalid. Pure.
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
