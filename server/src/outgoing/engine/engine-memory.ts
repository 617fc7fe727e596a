import type { Cursor } from '../../chains/blocks/block.ts'
import type { Lease } from '../../platform/db/lease.ts'
import type { AttestedLimits } from '../../signing/signer-port.ts'
import { noQueues, type PaymentQueues } from './controls/payment-queues.ts'
import type { SolvencyState } from './controls/solvency-state.ts'

/**
 * The progress of a scan for the previous transactions of our UTXOs, which are the transactions that created
 * these UTXOs. A scan may take several rounds.
 */
export interface PreviousTransactionScan {
  /** The hash of the highest block in our list when the scan began. */
  readonly at: string
  /** Only blocks below this height are left to read. */
  readonly below: number
  /** The number of blocks that could not be read. */
  readonly missed: number
  /** The error of the last block that could not be read. */
  readonly why: Error | undefined
  readonly isOver: boolean
}

export interface RefusedPrice {
  /** The price per unit of gas, or per virtual byte. */
  readonly unitPriceMinor: bigint
  /**
   * The time, as returned by `monotonicMs()`, from which refused transactions are retried even if the price
   * per unit has not fallen.
   */
  readonly untilMs: number
  /** Whether one of the transactions that wait for a lower price was a sweep. */
  readonly ofSweep: boolean
}

/**
 * The state that the holder of the lease keeps in memory. If the process ends, the next holder repeats some
 * checks, and no money is lost.
 */
export interface EngineMemory {
  readonly lease: Lease
  /** The addresses of the hot wallets; empty until the signer has attested them. */
  hotWallets: readonly string[]
  /** The account xpub of the hot wallet on UTXO chains; undefined until the signer has attested it. */
  hotXpub: string | undefined
  /** The height up to which blocks were searched for spends of our UTXOs by somebody else. */
  inspectedHeight: number
  /** The last scan for the previous transactions of our UTXOs. */
  previousTransactionScan: PreviousTransactionScan | undefined
  /** Whether the signer that answers now has proven that its keys and its log are ours. */
  isAttested: boolean
  /**
   * True once the chain was compared with the books and showed no transaction that the books lack. False
   * again after a halt, during a recovery and in a new epoch of the lease.
   */
  isCompared: boolean
  /**
   * Whether the signer's log lacks adopted entries, has other ones, or is of a lower generation; true until
   * checked.
   */
  isRewound: boolean
  /**
   * The time, as returned by `monotonicMs()`, at which the signer last attested. The signer's limits may have
   * changed since then.
   */
  attestedAtMs: number
  /** The limits of the signer's policy; undefined if the signer attested none. */
  limits: AttestedLimits | undefined
  /**
   * The price at which the signer last refused a transaction because of its limit for 24 hours. Undefined if
   * no refused transaction waits for a lower price.
   */
  refusedPrice: RefusedPrice | undefined
  /** The result of the last comparison of balances with the books; undefined on UTXO networks. */
  solvency: SolvencyState | undefined
  /** The public key of the signer's statements; undefined until the signer has attested it. */
  statementKey: string | undefined
  /** The cause of each halt that is active at the signer, by the id of the halt. */
  readonly reportedHalts: Map<string, string>
  /** The ids of the halts that a signed statement lifted, if the signer has received the statement. */
  readonly liftedHalts: Set<string>
  /**
   * The state of our list of blocks when receipts were last read: its highest block, and the height of its
   * highest final block. Undefined if receipts must be read again.
   */
  followed: Pick<Cursor, 'height' | 'hash' | 'finalHeight'> | undefined
  /** The hash of the highest block in our list when transactions were last rechecked. */
  lastRecheckedBlock: string | undefined
  /** The hash of the highest block in our list when the spend floor was last stored before planning. */
  lastFlooredBlock: string | undefined
  /** The waits that were last stored, as JSON. Only waits that differ are stored again. */
  waits: string
  /**
   * The queues of waiting payments. A new holder of the lease starts with empty queues, so waiting payments
   * may have to wait some rounds longer.
   */
  queues: PaymentQueues
  /**
   * The time, as returned by `monotonicMs()`, at which each alert was last raised. The key consists of the
   * alert and its subject.
   */
  readonly alertedAtMs: Map<string, number>
}

export function newMemory(lease: Lease): EngineMemory {
  return {
    lease,
    hotWallets: [],
    hotXpub: undefined,
    inspectedHeight: 0,
    previousTransactionScan: undefined,
    isAttested: false,
    isCompared: false,
    isRewound: true,
    attestedAtMs: 0,
    limits: undefined,
    refusedPrice: undefined,
    solvency: undefined,
    statementKey: undefined,
    reportedHalts: new Map(),
    liftedHalts: new Set(),
    followed: undefined,
    lastRecheckedBlock: undefined,
    lastFlooredBlock: undefined,
    waits: '',
    queues: noQueues,
    alertedAtMs: new Map(),
  }
}
