/** Records of the chains and of the processes that follow them. */
import { Records } from '../records/records.ts'

/** The block up to which a chain is followed. */
interface Cursor {
  readonly network: string
  readonly height: number
  readonly hash: string
  readonly finalHeight: number
  readonly firstHeight: number
  readonly headHeight: number
  readonly seenAt: Date
  readonly keptFrom: number | null
}

export const cursorRecords = new Records<Cursor>('chain_cursor', 'network')

/** Why a chain cannot be followed at present. */
interface ChainFailure {
  readonly network: string
  readonly height: number | null
  readonly message: string
  readonly failingSince: Date
}

export const chainFailureRecords = new Records<ChainFailure>('chain_failure', 'network')

/** A block that was followed. */
interface Block {
  readonly network: string
  readonly height: number
  readonly hash: string
  readonly parentHash: string
  readonly minedAt: Date
  readonly tracedBy: string | null
}

export const blockRecords = new Records<Block>('block', 'network, height')

/** A pause of confirmations on a network after a deep reorganisation. */
interface DepositPause {
  readonly network: string
  readonly depth: number
  readonly pausedAt: Date
  readonly untilHeight: number
}

export const depositPauseRecords = new Records<DepositPause>('deposit_pause', 'network')

/** A lease: the right to do what only one process may do at a time. */
interface Lease {
  readonly name: string
  readonly holderId: string
  readonly epoch: number
  readonly expiresAt: Date
}

export const leaseRecords = new Records<Lease>('lease', 'name')
