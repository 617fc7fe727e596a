/** Approval of orders as the payouts role does it, without anything that sends. */
import { createSecretKey, type KeyObject } from 'node:crypto'
import sql from 'sql-template-tag'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { type Log, silentLog } from '../../src/core/log.ts'
import { sealBatch } from '../../src/ledger/seal.ts'
import type { Inclusion, PayoutState } from '../../src/outgoing/engine/payout.ts'
import type {
  IntendedPayout,
  PayoutMove,
  PayoutPurpose,
  Proposal,
} from '../../src/outgoing/engine/purpose.ts'
import { withdrawalPurpose } from '../../src/outgoing/withdrawals/withdrawal-purpose.ts'
import type { Verdict } from '../../src/payments/screening/verdict.ts'
import { acquireLease, type Lease } from '../../src/platform/db/lease.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { LanePlace, Payment } from '../../src/signing/intent.ts'
import type { OrderVerifier } from '../../src/signing/order-signature.ts'
import { testOrderVerifier } from '../support/order-keys.ts'
import type { Shop } from '../support/shop.ts'

export const network = 'ethereum'
export const intentKey: KeyObject = createSecretKey(Buffer.alloc(32, 7))

export interface ApprovalsOptions {
  /** In 10^-8 USD. */
  readonly approvalAboveUsd?: bigint
  readonly screen?: (address: string) => Verdict
  readonly log?: Log
  readonly orders?: OrderVerifier
}

/** The purpose that withdrawals hand to payouts, and a lease to run it under. */
export interface Approvals {
  readonly purpose: PayoutPurpose
  readonly lease: Lease
  /** One look at the queue. */
  approve(): Promise<void>
  propose(max?: number): Promise<readonly Proposal[]>
  /** Tells of moves of a payout, in a transaction of their own. */
  tell(...moves: readonly PayoutMove[]): Promise<void>
}

export async function openApprovals(shop: Shop, options: ApprovalsOptions = {}): Promise<Approvals> {
  const { approvalAboveUsd, screen = () => 'passed' as const, log = silentLog } = options
  const { orders = testOrderVerifier } = options
  const { db, methods } = shop
  const purpose = withdrawalPurpose({
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
  await db.query(sql`update lease set expires_at = '-infinity' where name = ${`payouts:${network}`}`)
  const wanted = { name: `payouts:${network}`, holderId: newId(), ttlMs: 60_000 }
  const lease = required(await acquireLease(db, wanted), 'the lease')
  return {
    purpose,
    lease,
    approve: async () => required(purpose.prepare, 'approval')(lease, network, new AbortController().signal),
    propose: (max = 100) => purpose.propose(db, network, max),
    tell: (...moves) => inTransaction(db, (tx) => purpose.moved(tx, moves)),
  }
}

/** What the sealer and the chain do: every hold is in history, and every block so far is final, with its deposits proven. */
export async function settleBooks({ db }: Pick<Shop, 'db'>): Promise<void> {
  await sealAll({ db })
  await db.query(sql`update chain_cursor set final_height = 1000000`)
  await proveAll({ db })
}

/** The chain takes back nothing of what was mined so far; what comes next is not final. */
export async function makeFinal({ db }: Pick<Shop, 'db'>): Promise<void> {
  await db.query(sql`update chain_cursor set final_height = (select max(block_height) from transaction)`)
  await proveAll({ db })
}

/** What payouts do once their nodes showed the money of what is confirmed. */
async function proveAll({ db }: Pick<Shop, 'db'>): Promise<void> {
  await db.query(sql`update transaction set proven_inclusion = inclusion where state = 'confirmed'`)
}

export async function sealAll({ db }: Pick<Shop, 'db'>): Promise<void> {
  await db.query(sql`update lease set expires_at = '-infinity' where name = 'sealer'`)
  const wanted = { name: 'sealer', holderId: newId(), ttlMs: 60_000 }
  const lease = required(await acquireLease(db, wanted), 'the lease of the sealer')
  while ((await sealBatch(db, lease)) > 0);
}

const from: LanePlace = { type: 'lane', lane: 0 }

export function payoutOf(
  { id, intent }: Pick<Proposal, 'id' | 'intent'>,
  state: PayoutState = 'planned',
): IntendedPayout {
  const wallet = `0x${'aa'.repeat(20)}`
  const rest = { network, wallet, nonce: 0, maxCostMinor: 0n, inclusion: undefined, plannedAt: new Date() }
  return { id, intent, from, state, ...rest }
}

export function inclusionOf(txHash: string, isSuccess = true): Inclusion {
  return { txHash, height: 7, blockHash: '0xb10c', isSuccess, feeMinor: 21_000n }
}

export function paymentOf({ intent }: Pick<Proposal, 'intent'>): Payment {
  if (intent.kind !== 'withdrawal') throw new Error('no withdrawal is proposed')
  return required(intent.payments[0], 'a payment')
}
