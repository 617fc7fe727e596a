/** Approves orders as the payouts role does, without an engine that sends. */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { type Log, silentLog } from '../../src/core/log.ts'
import { sealBatch } from '../../src/ledger/seal.ts'
import type {
  IntendedOutgoingTransaction,
  OutgoingMove,
  OutgoingSource,
  Proposal,
} from '../../src/outgoing/engine/outgoing-source.ts'
import type { Inclusion, OutgoingTransactionState } from '../../src/outgoing/engine/outgoing-transaction.ts'
import { withdrawalOutgoingSource } from '../../src/outgoing/withdrawals/withdrawal-outgoing-source.ts'
import type { Verdict } from '../../src/payments/screening/verdict.ts'
import { acquireLease, type Lease } from '../../src/platform/db/lease.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { Payment } from '../../src/signing/intent.ts'
import type { OrderVerifier } from '../../src/signing/order-signature.ts'
import { makeTipFinal, proveDeposits } from '../support/chains/make-final.ts'
import { cursorRecords, leaseRecords } from '../support/chains/records.ts'
import { testOrderVerifier } from '../support/order-keys.ts'
import type { Shop } from '../support/shop.ts'

export const network = 'ethereum'
export const intentKey: KeyObject = createSecretKey(Buffer.alloc(32, 7))

export interface ApprovalsOptions {
  /** The threshold in 10^-8 USD. */
  readonly approvalAboveUsd?: bigint
  readonly screen?: (address: string) => Verdict
  readonly log?: Log
  readonly orders?: OrderVerifier
}

/** The outgoing source of withdrawals, and a lease to run it under. */
export interface Approvals {
  readonly outgoingSource: OutgoingSource
  readonly lease: Lease
  /** Runs one approval of the queue. */
  approve(): Promise<void>
  propose(max?: number): Promise<readonly Proposal[]>
  /** Notifies withdrawals of moves, in a transaction of their own. */
  notify(...moves: readonly OutgoingMove[]): Promise<void>
}

export async function openApprovals(shop: Shop, options: ApprovalsOptions = {}): Promise<Approvals> {
  const { approvalAboveUsd, screen = () => 'passed' as const, log = silentLog } = options
  const { orders = testOrderVerifier } = options
  const { db, methods } = shop
  const outgoingSource = withdrawalOutgoingSource({
    db,
    methods,
    log,
    intentKey,
    approvalAboveUsd,
    orders,
    screening: {
      screenAll: async (_, __, addresses) => new Map(addresses.map((address) => [address, screen(address)])),
    },
  })
  await leaseRecords.change(db, { name: `payouts:${network}` }, { expiresAt: '-infinity' })
  const wanted = { name: `payouts:${network}`, holderId: newId(), ttlMs: 60_000 }
  const lease = required(await acquireLease(db, wanted), 'the lease')
  return {
    outgoingSource,
    lease,
    approve: async () =>
      required(outgoingSource.prepare, 'approval')(lease, network, new AbortController().signal),
    propose: (max = 100) => outgoingSource.propose(db, network, max),
    notify: (...moves) => inTransaction(db, (tx) => outgoingSource.moved(tx, moves)),
  }
}

/**
 * Does what the sealer and the chain do: every hold is sealed, every block so far is final, and its deposits
 * are proven.
 */
export async function settleBooks({ db }: Pick<Shop, 'db'>): Promise<void> {
  await sealAll({ db })
  await cursorRecords.change(db, {}, { finalHeight: 1_000_000 })
  await proveAll({ db })
}

/** Makes every block so far final. Later blocks are not. */
export async function makeFinal({ db }: Pick<Shop, 'db'>): Promise<void> {
  await makeTipFinal(db)
  await proveAll({ db })
}

/** Marks the confirmed deposits as proven, as payouts do once their nodes showed the money. */
async function proveAll({ db }: Pick<Shop, 'db'>): Promise<void> {
  await proveDeposits(db)
}

export async function sealAll({ db }: Pick<Shop, 'db'>): Promise<void> {
  await leaseRecords.change(db, { name: 'sealer' }, { expiresAt: '-infinity' })
  const wanted = { name: 'sealer', holderId: newId(), ttlMs: 60_000 }
  const lease = required(await acquireLease(db, wanted), 'the lease of the sealer')
  while ((await sealBatch(db, lease)) > 0);
}

const terms = {
  family: 'evm',
  slot: { sender: { type: 'hotWallet', hotWallet: 0 }, wallet: `0x${'aa'.repeat(20)}`, nonce: 0 },
  fees: { gasLimit: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
  maxFeePerGasLimit: undefined,
} as const

export function outgoingTransactionOf(
  { id, intent }: Pick<Proposal, 'id' | 'intent'>,
  state: OutgoingTransactionState = 'planned',
): IntendedOutgoingTransaction {
  const rest = { network, maxCostMinor: 0n, inclusion: undefined, plannedAt: new Date() }
  return { id, intent, state, ...rest, ...terms }
}

export function inclusionOf(txHash: string, isSuccess = true): Inclusion {
  return { txHash, height: 7, blockHash: '0xb10c', isSuccess, feeMinor: 21_000n }
}

export function paymentOf({ intent }: Pick<Proposal, 'intent'>): Payment {
  if (intent.kind !== 'withdrawal') throw new Error('no withdrawal is proposed')
  return required(intent.payments[0], 'a payment')
}
