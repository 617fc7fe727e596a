import type { Cursor } from '../../chains/blocks/block.ts'
import { readCursor } from '../../chains/blocks/store.ts'
import { addressFamilyOf } from '../../chains/networks.ts'
import { type ChainReader, NodeError, type TransactionSight } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import { fail } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { formatDecimal } from '../../core/money.ts'
import { confirmationsAt } from '../../payments/deposits/deposit.ts'
import { readAtStake } from '../../payments/deposits/read-at-stake.ts'
import { findWatched } from '../../payments/deposits/recording/watched-store.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { type RateLimiter, takeOrRefuse } from '../../platform/http/limits/rate-limiter.ts'
import {
  confirmationsRequired,
  type PaymentMethod,
  type PaymentMethods,
} from '../../pricing/payment-methods/payment-method.ts'
import { findPayments, type PaymentRow } from './store.ts'
import type { NodeFact, Received, TracedPayment, TraceFacts } from './trace.ts'

export interface TraceParts {
  readonly db: Queryable
  readonly methods: PaymentMethods
  readonly chains: readonly ChainReader[]
  readonly traceLimiter: RateLimiter
}

/** Nodes are slow and cost money: so many are asked at once for traces, by this process. */
let asking = 0

/**
 * Gathers what is known of a transaction: what a node says of it, and what the merchant's books hold. A node that is
 * away or late is a fact like others.
 * @param txHash 64 hex digits, without or with 0x
 * @throws Problem too-many-requests by one merchant, too-busy when many ask at once
 */
export async function readFacts(
  parts: TraceParts,
  merchantId: string,
  txHash: string,
): Promise<TraceFacts & { readonly txHash: string }> {
  // Each costs the node a whole block, whatever the hash.
  await takeOrRefuse(parts.traceLimiter, merchantId, 'traces of one merchant')
  const bare = txHash.toLowerCase().replace(/^0x/, '')
  const payments = await findPayments(parts.db, merchantId, [bare, `0x${bare}`])
  const chains = parts.chains.filter(
    ({ network }) => payments.length === 0 || payments.some((payment) => payment.network === network),
  )
  const { chain, sight } = await askChains(chains.length === 0 ? parts.chains : chains, bare)
  const node = await toFact(parts, merchantId, chain, sight)
  const cursor = await readCursor(parts.db, chain.network)
  return {
    txHash: spelling(chain, bare),
    network: chain.network,
    node,
    booked: cursor,
    payments: await tracedPayments(parts, merchantId, chain.network, payments, cursor ?? unread),
  }
}

/** Of a chain that nobody has begun to follow. */
const unread = { height: 0, finalHeight: -1 }

function spelling({ traits }: ChainReader, bare: string): string {
  return traits.family === 'evm' ? `0x${bare}` : bare
}

interface Asked {
  readonly chain: ChainReader
  readonly sight: TransactionSight | undefined
}

/** The first chain that knows it, else one that did not answer, else one that does not know it. */
async function askChains(chains: readonly ChainReader[], bare: string): Promise<Asked> {
  if (asking >= limits.tracesAtOnce) {
    throw fail('too-busy', 'Many transactions are being traced. Try again shortly.', { retryAfterS: 2 })
  }
  asking += 1
  try {
    const signal = AbortSignal.timeout(limits.traceNodeMs)
    const asked = await Promise.all(
      chains.map(async (chain) => ({ chain, sight: await ask(chain, spelling(chain, bare), signal) })),
    )
    const known = asked.find(({ sight }) => sight !== undefined && sight.type !== 'unknown')
    return required(known ?? asked.find(({ sight }) => sight === undefined) ?? asked[0], 'a chain')
  } finally {
    asking -= 1
  }
}

async function ask(
  chain: ChainReader,
  txHash: string,
  signal: AbortSignal,
): Promise<TransactionSight | undefined> {
  try {
    return await chain.readTransaction(txHash, signal)
  } catch (error) {
    if (error instanceof NodeError || signal.aborted) return undefined
    throw error
  }
}

async function toFact(
  { db, methods }: TraceParts,
  merchantId: string,
  chain: ChainReader,
  sight: TransactionSight | undefined,
): Promise<NodeFact> {
  if (sight === undefined) return { type: 'silent' }
  if (sight.type !== 'mined') return sight
  const sides = sight.transfers.flatMap(({ sender = [], recipient }) => [sender, recipient].flat())
  const family = addressFamilyOf(chain.network)
  const watched = await findWatched(db, { family, network: chain.network }, [...new Set(sides)])
  const ours = new Set(watched.map(({ address }) => address))
  const own = new Set(watched.filter((one) => one.merchantId === merchantId).map(({ address }) => address))
  const toOwn = sight.transfers.filter(({ recipient }) => own.has(recipient))
  const paid = toOwn.filter(({ sender }) => sender === undefined || !ours.has(sender))
  const received = paid.map(({ asset, recipient, amountMinor }): Received => {
    const contract = asset.type === 'token' ? asset.contract : undefined
    const method = methods.byTransferred(chain.network, contract)
    return { recipient, contract, amount: method && shown(method, amountMinor) }
  })
  const { height, minedAt } = sight.block
  return {
    type: 'mined',
    height,
    minedAt,
    moved: sight.transfers.length,
    received,
    ownMoves: toOwn.length - paid.length,
  }
}

async function tracedPayments(
  { db, methods }: TraceParts,
  merchantId: string,
  network: string,
  rows: readonly PaymentRow[],
  tip: Pick<Cursor, 'height' | 'finalHeight'>,
): Promise<readonly TracedPayment[]> {
  if (rows.length === 0) return []
  const atStake = (await readAtStake(methods, db, network, [merchantId], tip)).get(merchantId)
  const standing = { atStake, tipHeight: tip.height }
  return rows.map((row) => toPayment(row, methodOf(methods, row.payment_method_id), standing))
}

function toPayment(
  row: PaymentRow,
  method: PaymentMethod,
  { atStake, tipHeight }: { atStake: bigint | undefined; tipHeight: number },
): TracedPayment {
  const amountOf = (minor: string | null) => (minor === null ? undefined : shown(method, BigInt(minor)))
  return {
    transactionId: row.id,
    invoiceId: row.invoice_id,
    amount: shown(method, BigInt(row.amount_minor)),
    state: row.state,
    createdAt: row.created_at,
    blockHeight: row.block_height ?? undefined,
    includedAt: row.included_at ?? undefined,
    isWaiting: row.block_height === null && row.unseen_since === null,
    wasIncluded: row.inclusion > 0,
    replacedBy: row.replaced_by ?? undefined,
    confirmations: row.block_height === null ? 0 : confirmationsAt(tipHeight, row.block_height),
    confirmationsRequired: confirmationsRequired(method, atStake),
    confirmedAt: row.confirmed_at ?? undefined,
    net: amountOf(row.net_minor),
    fee: amountOf(row.fee_minor),
    isBelowMinimum: row.below_minimum,
    isQuarantined: row.is_quarantined,
    minimum: shown(method, method.minimumMinor),
    isLate: row.is_late,
    isOffered: row.is_offered,
    isInvoiceDeleted: row.is_invoice_deleted,
  }
}

function shown({ decimals, symbol }: PaymentMethod, minor: bigint): string {
  return `${formatDecimal(minor, decimals)} ${symbol}`
}

function methodOf(methods: PaymentMethods, id: number): PaymentMethod {
  return required(methods.byId(id), `payment method ${id}`)
}
