/** What becomes of the payouts of collections: told in the transaction that moves them. */
import { required } from '../../core/assert.ts'
import { newId } from '../../core/ids.ts'
import { formatDecimal } from '../../core/money.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { Intent } from '../../signing/intent.ts'
import type { Inclusion } from '../engine/payout.ts'
import type { IntendedPayout, PayoutMove } from '../engine/purpose.ts'
import { recordSetbacks } from './record-setbacks.ts'
import { settleCollectInvoices } from './settle-collect-invoices.ts'
import { adoptFunded, insertCollections, lockOpen, markSweeping, saveEnds } from './store.ts'
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

export async function followSweep(parts: FollowSweepsParts, tx: Tx, move: PayoutMove): Promise<void> {
  switch (move.to) {
    case 'planned':
      return plan(parts, tx, move.payout)
    case 'broadcast':
      await markSent(tx, move.payout.id, move.txHash)
      return markSweeping(tx, move.payout.id, move.txHash)
    case 'included':
      await noteIncluded(tx, move.payout.id, move.inclusion.txHash)
      return markSweeping(tx, move.payout.id, move.inclusion.txHash)
    case 'final':
      return end(tx, move.payout, move.inclusion)
    case 'displaced':
      return drop(tx, move.payout.id)
    case 'refused':
      // It may have been planned before: the signer refused it then, and an operator or the chain gives it up now.
      await drop(tx, move.proposal.id)
      return setBack(parts, tx, move.proposal.network, move.proposal.intent)
    case 'signed':
    case 'in_doubt':
  }
}

/** Everything follows from the intent alone, so that a payout found in the signer's log is taken up like a new one. */
async function plan(
  parts: FollowSweepsParts,
  tx: Tx,
  { id, network, intent, from }: IntendedPayout,
): Promise<void> {
  const kind = kindOf(intent)
  const places = intent.kind === 'forward' ? (from.type === 'deposit' ? [from] : []) : placesOf(intent)
  const assets = assetsOf(intent)
  if (!(await insertSweep(tx, { id, network, kind, assets }))) return
  const addressIds = await findAddressIds(tx, parts.familyOf(network), places)
  await insertSweptAddresses(tx, id, addressIds)
  if (intent.kind === 'top_up') return fund(parts, tx, { id, network, addressIds })
  if (assets.length === 0) return
  const amountMinor = intent.kind === 'forward' ? intent.amountMinor : undefined
  const shares = await markDeposits(tx, { sweepId: id, addressIds, assets, amountMinor })
  const isFunded = await adoptFunded(tx, { sweepId: id, addressIds, assets })
  if (!isFunded) await openCollections(parts.methods, tx, network, shares, { sweepId: id })
  await settleCollectInvoices(tx, await readSweptInvoices(tx, id))
}

async function fund(
  { methods }: FollowSweepsParts,
  tx: Tx,
  { id, network, addressIds }: { id: string; network: string; addressIds: readonly number[] },
): Promise<void> {
  const coin = required(methods.byTransferred(network, undefined), 'the coin of a network')
  const shares = await readTokenShares(tx, addressIds, coin.asset)
  await openCollections(methods, tx, network, shares, { fundingId: id })
}

function openCollections(
  methods: PaymentMethods,
  tx: Tx,
  network: string,
  shares: readonly MerchantShare[],
  by: { readonly sweepId: string } | { readonly fundingId: string },
): Promise<void> {
  return insertCollections(
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

/** What a sweep took is read afterwards, outside of any transaction; coin and contracts are there at once. */
async function end(tx: Tx, payout: IntendedPayout, inclusion: Inclusion): Promise<void> {
  const kind = kindOf(payout.intent)
  await markFinal(tx, payout.id, inclusion)
  if (kind === 'sweep' || kind === 'forward') return
  if (inclusion.isSuccess) return endSweep(tx, payout.id, 'done')
  return drop(tx, payout.id)
}

/** It can never happen any more: its deposits lie where they lay, and another sweep takes them. */
async function drop(tx: Tx, id: string): Promise<void> {
  const sweep = await lockOpenSweep(tx, id)
  if (sweep === undefined) return
  const invoiceIds = await unmarkDeposits(tx, id)
  const open = await lockOpen(tx, id)
  await saveEnds(
    tx,
    open.map(({ id: collectionId }) => ({ id: collectionId, state: 'blocked' })),
  )
  await endSweep(tx, id, 'dropped')
  await settleCollectInvoices(tx, invoiceIds)
}

/** The chain says that it would fail: nothing was signed, and nothing is asked of these addresses for a while. */
async function setBack(parts: FollowSweepsParts, tx: Tx, network: string, intent: Intent): Promise<void> {
  const places = intent.kind === 'forward' ? [] : placesOf(intent)
  const addressIds = await findAddressIds(tx, parts.familyOf(network), places)
  await recordSetbacks(
    tx,
    addressIds.flatMap((addressId) => assetsOf(intent).map((asset) => ({ addressId, asset }))),
  )
}

function kindOf({ kind }: Intent): SweepKind {
  if (kind === 'sweep' || kind === 'top_up' || kind === 'forward' || kind === 'deploy') return kind
  throw new RangeError(`a ${kind} is no collection's`)
}

function placesOf(intent: Intent): readonly { readonly branch: number; readonly index: number }[] {
  if (intent.kind === 'sweep') return intent.deposits
  return intent.kind === 'top_up' ? [intent.deposit] : []
}

function assetsOf(intent: Intent): readonly string[] {
  if (intent.kind === 'sweep') return intent.assets.map(({ asset }) => asset)
  return intent.kind === 'forward' ? [intent.asset] : []
}
