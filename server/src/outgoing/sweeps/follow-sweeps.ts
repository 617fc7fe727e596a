/**
 * Updates sweeps when the state of their outgoing transaction changes, in the database transaction that
 * stores the change.
 */
import { required } from '../../core/assert.ts'
import { newId } from '../../core/ids.ts'
import { formatDecimal } from '../../core/money.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { Intent } from '../../signing/intent.ts'
import type { IntendedOutgoingTransaction, OutgoingMove } from '../engine/outgoing-source.ts'
import { depositSenderOf, type Inclusion } from '../engine/outgoing-transaction.ts'
import { dropChecks } from './coin-check-store.ts'
import {
  adoptFunded,
  insertMerchantSweeps,
  lockOpen,
  markSweeping,
  saveEnds,
} from './merchant-sweep-store.ts'
import { recordSweepRetries } from './record-sweep-retries.ts'
import { settleCollectInvoices } from './settle-collect-invoices.ts'
import {
  endSweep,
  findAddressIds,
  insertSweep,
  insertSweptAddresses,
  lockOpenSweep,
  markFinal,
  markSent,
  noteIncluded,
  type SweepKind,
} from './sweep-store.ts'
import {
  type MerchantShare,
  markDeposits,
  readSweptInvoices,
  readTokenShares,
  unmarkDeposits,
} from './swept-store.ts'

export interface FollowSweepsParts {
  readonly methods: PaymentMethods
  familyOf(network: string): string
}

export async function followSweep(parts: FollowSweepsParts, tx: Tx, move: OutgoingMove): Promise<void> {
  switch (move.to) {
    case 'planned':
      return plan(parts, tx, move.outgoingTransaction)
    case 'broadcast':
      await markSent(tx, move.outgoingTransaction.id, move.txHash)
      return markSweeping(tx, move.outgoingTransaction.id, move.txHash)
    case 'included':
      await noteIncluded(tx, move.outgoingTransaction.id, move.inclusion.txHash)
      return markSweeping(tx, move.outgoingTransaction.id, move.inclusion.txHash)
    case 'final':
      return end(tx, move.outgoingTransaction, move.inclusion)
    case 'conflicted':
      return drop(tx, move.outgoingTransaction.id)
    case 'refused':
      // If the signer refused the sweep's transaction earlier, the sweep is still stored as open. It ends
      // now, because the chain reports that the transaction would fail, or because an operator dropped it.
      await drop(tx, move.proposal.id)
      return retryLater(parts, tx, move.proposal.network, move.proposal.intent)
    case 'signed':
    case 'needs_recheck':
  }
}

/**
 * Stores a planned sweep. All data of the sweep is derived from the intent. The sweep of an outgoing
 * transaction that is adopted from the signer's log is therefore stored in the same way.
 */
async function plan(
  parts: FollowSweepsParts,
  tx: Tx,
  outgoingTransaction: IntendedOutgoingTransaction,
): Promise<void> {
  const { id, network, intent } = outgoingTransaction
  const kind = kindOf(intent)
  const sender = depositSenderOf(outgoingTransaction)
  const paths = intent.kind === 'direct_sweep' && sender !== undefined ? [sender] : pathsOf(intent)
  const assets = assetsOf(intent)
  if (!(await insertSweep(tx, { id, network, kind, assets }))) return
  const addressIds = await findAddressIds(tx, parts.familyOf(network), paths)
  await insertSweptAddresses(tx, id, addressIds)
  if (intent.kind === 'top_up') return fund(parts, tx, { id, network, addressIds })
  if (assets.length === 0) return
  await dropChecks(tx, network, addressIds)
  const amountMinor = intent.kind === 'direct_sweep' ? intent.amountMinor : undefined
  const shares = await markDeposits(tx, { sweepId: id, addressIds, assets, amountMinor })
  const isFunded = await adoptFunded(tx, { sweepId: id, addressIds, assets })
  if (!isFunded) await planMerchantSweeps(parts.methods, tx, network, shares, { sweepId: id })
  await settleCollectInvoices(tx, await readSweptInvoices(tx, id))
}

async function fund(
  { methods }: FollowSweepsParts,
  tx: Tx,
  { id, network, addressIds }: { id: string; network: string; addressIds: readonly number[] },
): Promise<void> {
  const coin = required(methods.byTransferred(network, undefined), 'the coin of a network')
  const shares = await readTokenShares(tx, addressIds, coin)
  await planMerchantSweeps(methods, tx, network, shares, { fundingId: id })
}

function planMerchantSweeps(
  methods: PaymentMethods,
  tx: Tx,
  network: string,
  shares: readonly MerchantShare[],
  by: { readonly sweepId: string } | { readonly fundingId: string },
): Promise<void> {
  return insertMerchantSweeps(
    tx,
    shares.map((share) => ({
      ...share,
      id: newId(),
      network,
      amount: formatDecimal(
        share.amountMinor,
        required(methods.byAsset(share.asset), 'the method of a deposit').decimals,
      ),
      state: 'sweepId' in by ? 'planned' : 'funding',
      sweepId: 'sweepId' in by ? by.sweepId : undefined,
      fundingId: 'fundingId' in by ? by.fundingId : undefined,
    })),
  )
}

/**
 * Stores that the transaction of a sweep is final. The amounts that the sweep took are read later, outside
 * any database transaction. Top-ups and deployments end at once.
 */
async function end(
  tx: Tx,
  outgoingTransaction: IntendedOutgoingTransaction,
  inclusion: Inclusion,
): Promise<void> {
  const kind = kindOf(outgoingTransaction.intent)
  await markFinal(tx, outgoingTransaction.id, inclusion)
  if (kind === 'sweep' || kind === 'direct_sweep') return
  if (inclusion.isSuccess) return endSweep(tx, outgoingTransaction.id, 'done')
  return drop(tx, outgoingTransaction.id)
}

/**
 * Ends a sweep whose transaction failed or can no longer be mined. The deposits stay on their addresses, and
 * another sweep takes them.
 */
async function drop(tx: Tx, id: string): Promise<void> {
  const sweep = await lockOpenSweep(tx, id)
  if (sweep === undefined) return
  const invoiceIds = await unmarkDeposits(tx, id)
  const open = await lockOpen(tx, id)
  await saveEnds(
    tx,
    open.map(({ id: merchantSweepId }) => ({ id: merchantSweepId, state: 'blocked' })),
  )
  await endSweep(tx, id, 'dropped')
  await settleCollectInvoices(tx, invoiceIds)
}

/**
 * Delays the next sweep of the addresses of a refused sweep. The sweep was refused because the chain says
 * that it would fail. Nothing was signed.
 */
async function retryLater(parts: FollowSweepsParts, tx: Tx, network: string, intent: Intent): Promise<void> {
  const paths = intent.kind === 'direct_sweep' ? [] : pathsOf(intent)
  const addressIds = await findAddressIds(tx, parts.familyOf(network), paths)
  await recordSweepRetries(
    tx,
    addressIds.flatMap((addressId) => assetsOf(intent).map((asset) => ({ addressId, asset }))),
  )
}

function kindOf({ kind }: Intent): SweepKind {
  if (kind === 'sweep' || kind === 'top_up' || kind === 'direct_sweep' || kind === 'deploy') return kind
  throw new RangeError(`a ${kind} does not belong to a sweep`)
}

function pathsOf(intent: Intent): readonly { readonly branch: number; readonly index: number }[] {
  if (intent.kind === 'sweep') return intent.deposits
  return intent.kind === 'top_up' ? [intent.deposit] : []
}

function assetsOf(intent: Intent): readonly string[] {
  if (intent.kind === 'sweep') return intent.assets.map(({ asset }) => asset)
  return intent.kind === 'direct_sweep' ? [intent.asset] : []
}
