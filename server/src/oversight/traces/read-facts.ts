/**
 * Collects the facts for a trace: asks a node and reads the books. `make-trace.ts` derives the steps and the
 * verdict from these facts.
 */

import type { Cursor } from '../../chains/blocks/block.ts'
import { readCursor } from '../../chains/blocks/store.ts'
import { addressFamilyOf, networkTitle } from '../../chains/networks.ts'
import { type ChainReader, NodeError, type TransactionLookup } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import { withinTime } from '../../core/concurrency/linked-signal.ts'
import { fail } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { formatDecimal } from '../../core/money.ts'
import { confirmationsAt } from '../../payments/deposits/deposit.ts'
import { readAtStake } from '../../payments/deposits/read-at-stake.ts'
import { findWatched } from '../../payments/deposits/recording/watched-store.ts'
import { isOnWrongNetwork } from '../../payments/deposits/wrong-network.ts'
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

/**
 * The number of traces for which this process is asking nodes at this moment. It has a limit, because nodes
 * are slow and cost money.
 */
let asking = 0

/**
 * Collects what is known about a transaction: the answer of a node, and the merchant's deposits. A node that
 * cannot be reached or is too slow is not an error: the result says that the node did not answer.
 * @param txHash 64 hex digits, with or without 0x
 * @throws Problem too-many-requests if the merchant traces too often, too-busy if too many traces run at once
 */
export async function readFacts(
  parts: TraceParts,
  merchantId: string,
  txHash: string,
): Promise<TraceFacts & { readonly txHash: string }> {
  // Every trace counts towards the limit, because a trace of any hash may make the node read a whole block.
  await takeOrRefuse(parts.traceLimiter, merchantId, 'traces of one merchant')
  const bare = txHash.toLowerCase().replace(/^0x/, '')
  const payments = await findPayments(parts.db, merchantId, [bare, `0x${bare}`])
  const chains = parts.chains.filter(
    ({ network }) => payments.length === 0 || payments.some((payment) => payment.network === network),
  )
  const { chain, lookup } = await askChains(chains.length === 0 ? parts.chains : chains, bare)
  const node = await toFact(parts, merchantId, chain, lookup)
  const cursor = await readCursor(parts.db, chain.network)
  return {
    txHash: canonicalHash(chain, bare),
    network: chain.network,
    node,
    booked: cursor,
    payments: await tracedPayments(parts, merchantId, chain.network, payments, cursor ?? unread),
  }
}

/** The cursor that is used for a chain that is not followed yet. */
const unread = { height: 0, finalHeight: -1 }

function canonicalHash({ traits }: ChainReader, bare: string): string {
  return traits.family === 'evm' ? `0x${bare}` : bare
}

interface Asked {
  readonly chain: ChainReader
  readonly lookup: TransactionLookup | undefined
}

/**
 * Asks all chains and returns the first one that knows the transaction. If none does, returns a chain that
 * did not answer. If all answered, returns a chain that does not know the transaction.
 * @throws Problem too-busy if too many traces run at once
 */
async function askChains(chains: readonly ChainReader[], bare: string): Promise<Asked> {
  if (asking >= limits.tracesAtOnce) {
    throw fail('too-busy', 'Many transactions are being traced. Try again shortly.', { retryAfterS: 2 })
  }
  asking += 1
  try {
    const asked = await withinTime([], limits.traceNodeMs, (signal) =>
      Promise.all(
        chains.map(async (chain) => ({
          chain,
          lookup: await ask(chain, canonicalHash(chain, bare), signal),
        })),
      ),
    )
    const known = asked.find(({ lookup }) => lookup !== undefined && lookup.type !== 'unknown')
    return required(known ?? asked.find(({ lookup }) => lookup === undefined) ?? asked[0], 'a chain')
  } finally {
    asking -= 1
  }
}

async function ask(
  chain: ChainReader,
  txHash: string,
  signal: AbortSignal,
): Promise<TransactionLookup | undefined> {
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
  lookup: TransactionLookup | undefined,
): Promise<NodeFact> {
  if (lookup === undefined) return { type: 'silent' }
  if (lookup.type !== 'mined') return lookup
  const sides = lookup.transfers.flatMap(({ sender = [], recipient }) => [sender, recipient].flat())
  const family = addressFamilyOf(chain.network)
  const watched = await findWatched(db, { family, network: chain.network }, [...new Set(sides)])
  const ownAddresses = new Set(watched.map(({ address }) => address))
  const own = new Set(watched.filter((one) => one.merchantId === merchantId).map(({ address }) => address))
  const toOwn = lookup.transfers.filter(({ recipient }) => own.has(recipient))
  const paid = toOwn.filter(({ sender }) => sender === undefined || !ownAddresses.has(sender))
  const received = paid.map(({ asset, recipient, amountMinor }): Received => {
    const contract = asset.type === 'token' ? asset.contract : undefined
    const method = methods.byTransferred(chain.network, contract)
    return { recipient, contract, amount: method && shown(method, amountMinor) }
  })
  const { height, minedAt } = lookup.block
  return {
    type: 'mined',
    height,
    minedAt,
    moved: lookup.transfers.length,
    received,
    internalTransfers: toOwn.length - paid.length,
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
  const confirmation = { atStake, tipHeight: tip.height }
  return rows.map((row) => toPayment(methods, row, confirmation))
}

function toPayment(
  methods: PaymentMethods,
  row: PaymentRow,
  { atStake, tipHeight }: { atStake: bigint | undefined; tipHeight: number },
): TracedPayment {
  const method = methodOf(methods, row.payment_method_id)
  const amountOf = (minor: string | null) => (minor === null ? undefined : shown(method, BigInt(minor)))
  return {
    depositId: row.id,
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
    isWrongNetwork: isOnWrongNetwork(methods, {
      invoiceId: row.invoice_id,
      fullMinor: row.full_minor === null ? undefined : BigInt(row.full_minor),
      network: row.network,
      offeredMethodIds: row.offered_method_ids,
    }),
    isAttributed: row.is_attributed,
    networkTitle: networkTitle(row.network),
    isInvoiceDeleted: row.is_invoice_deleted,
  }
}

function shown({ decimals, symbol }: PaymentMethod, minor: bigint): string {
  return `${formatDecimal(minor, decimals)} ${symbol}`
}

function methodOf(methods: PaymentMethods, id: number): PaymentMethod {
  return required(methods.byId(id), `payment method ${id}`)
}
