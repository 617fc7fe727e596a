import { utxoNetworkNames } from '../../chains/networks.ts'
import type { ChainReader, Transfer } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import type { Worker } from '../../core/concurrency/work-loop.ts'
import { groupBy } from '../../core/group-by.ts'
import { formatDecimal, sum } from '../../core/money.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import { appendEvents } from '../../platform/outbox/append.ts'
import { mostConfirmations, type PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { completedEvent } from './events.ts'
import { recordSetbacks } from './record-setbacks.ts'
import { clearSetbacks } from './setback-store.ts'
import { settleCollectInvoices } from './settle-collect-invoices.ts'
import { type CollectionEnd, lockOpen, saveEnds } from './store.ts'
import type { Collection } from './sweep.ts'
import { endSweep, lockOpenSweep, readFinal, type Sweep } from './sweep-store.ts'
import {
  findOverCollecting,
  lockSweptDeposits,
  readSweptAddresses,
  type SweptAddress,
  saveTaken,
} from './swept-store.ts'
import { matchTaken, type SweptDeposit, type Taken } from './taken.ts'

export interface FinishSweepsParts {
  readonly db: Db
  readonly methods: PaymentMethods
  readonly chains: readonly Pick<ChainReader, 'network' | 'readBlock'>[]
  readonly pollMs: number
}

const sweepsAtOnce = 20

/**
 * Reads what sweeps that are final have taken and completes their collections. What a sweep takes is decided where it
 * runs, not where it was planned: a deposit that came between is among it. Any number of processes may do this.
 */
export function finishSweeps(parts: FinishSweepsParts): Worker {
  return {
    name: 'finish sweeps',
    idleMs: parts.pollMs,
    takeAndDo: async (signal) => {
      let finished = 0
      for (const sweep of await readFinal(parts.db, sweepsAtOnce)) {
        if (await finish(parts, sweep, signal)) finished += 1
      }
      return finished + (await settleOver(parts))
    },
  }
}

/** Invoices that ended after the last of their deposits was brought in, or that were paid in coins, which need no sweep. */
async function settleOver({ db, methods }: FinishSweepsParts): Promise<number> {
  const depths = utxoNetworkNames
    .filter((network) => methods.all.some((method) => method.network === network))
    .map((network) => ({ network, depth: mostConfirmations(methods, network) }))
  const over = await findOverCollecting(db, depths, sweepsAtOnce)
  if (over.length > 0) await inTransaction(db, (tx) => settleCollectInvoices(tx, over, depths))
  return 0
}

async function finish(parts: FinishSweepsParts, sweep: Sweep, signal: AbortSignal): Promise<boolean> {
  const addresses = await readSweptAddresses(parts.db, sweep.id)
  const transfers = sweep.isSuccess ? await readTransfers(parts, sweep, signal) : []
  if (transfers === undefined) return false
  const taken = takenFrom(parts.methods, sweep, addresses, transfers)
  return inTransaction(parts.db, async (tx) => {
    const locked = await lockOpenSweep(tx, sweep.id)
    if (locked?.block?.hash !== sweep.block?.hash) return false
    await bookTaken(parts.methods, tx, sweep, { addresses, taken })
    return true
  })
}

/**
 * The transfers of a sweep, by its block, on which nodes agree where there are several; undefined while they do not have
 * the block in which it is final for us.
 */
async function readTransfers(
  { chains }: FinishSweepsParts,
  { network, txHash, block }: Sweep,
  signal: AbortSignal,
): Promise<readonly Transfer[] | undefined> {
  const chain = required(
    chains.find((one) => one.network === network),
    'the chain of a sweep',
  )
  const { height, hash } = required(block, 'the block of a final sweep')
  const facts = await chain.readBlock(height, signal)
  if (facts?.block.hash !== hash) return undefined
  return facts.transfers.filter((transfer) => transfer.txHash === txHash)
}

/** What left the swept addresses, whoever moved it; other things that the transaction moved are none of ours. */
function takenFrom(
  methods: PaymentMethods,
  { network, assets }: Sweep,
  addresses: readonly SweptAddress[],
  transfers: readonly Transfer[],
): readonly Taken[] {
  const ids = new Map(addresses.map(({ address, addressId }) => [address, addressId]))
  const left = transfers.flatMap(({ sender = '', asset, amountMinor }): Taken[] => {
    const addressId = ids.get(sender)
    const method = methods.byTransferred(network, asset.type === 'token' ? asset.contract : undefined)
    if (addressId === undefined || method === undefined || !assets.includes(method.asset)) return []
    return [{ addressId, asset: method.asset, amountMinor }]
  })
  return [...groupBy(left, ({ addressId, asset }) => `${addressId}/${asset}`).values()].map((some) => ({
    addressId: required(some[0], 'the first of a group').addressId,
    asset: required(some[0], 'the first of a group').asset,
    amountMinor: sum(some.map(({ amountMinor }) => amountMinor)),
  }))
}

async function bookTaken(
  methods: PaymentMethods,
  tx: Tx,
  sweep: Sweep,
  { addresses, taken }: { addresses: readonly SweptAddress[]; taken: readonly Taken[] },
): Promise<void> {
  const deposits = await lockSweptDeposits(tx, sweep)
  const match = matchTaken(...expectedOf(sweep, deposits, taken))
  await saveTaken(tx, sweep.id, match)
  await clearSetbacks(tx, taken)
  await recordSetbacks(tx, match.setbacks)
  await endSweep(tx, sweep.id, 'done')
  const merchantOf = new Map(addresses.map(({ addressId, merchantId }) => [addressId, merchantId]))
  const takenIds = new Set(match.takenIds)
  const own = (merchantId: string, asset: string) => ({
    taken: taken.filter((one) => one.asset === asset && merchantOf.get(one.addressId) === merchantId),
    transactions: deposits.filter(
      (one) =>
        takenIds.has(one.transactionId) &&
        one.asset === asset &&
        merchantOf.get(one.addressId) === merchantId,
    ).length,
  })
  const open = await lockOpen(tx, sweep.id)
  const ends = open.map((collection) => endOf(methods, sweep, collection, own))
  const endedAt = await saveEnds(tx, ends)
  await settleCollectInvoices(tx, [...new Set(deposits.flatMap(({ invoiceId }) => invoiceId ?? []))])
  await appendEvents(
    tx,
    open.flatMap((collection, place) => {
      const end = required(ends[place], 'the end of a collection')
      return end.taken === undefined
        ? []
        : [completedEvent(methods, collection, { ...end.taken, txHash: sweep.txHash, endedAt })]
    }),
  )
}

function endOf(
  methods: PaymentMethods,
  { txHash }: Sweep,
  collection: Collection,
  own: (merchantId: string, asset: string) => { taken: readonly Taken[]; transactions: number },
): CollectionEnd {
  const { id, merchantId, paymentMethodId } = collection
  const { asset, decimals } = required(methods.byId(paymentMethodId), 'the method of a collection')
  const { taken, transactions } = own(merchantId, asset)
  const amountMinor = sum(taken.map((one) => one.amountMinor))
  if (amountMinor === 0n) return { id, txHash, state: 'blocked' }
  const amount = formatDecimal(amountMinor, decimals)
  return { id, txHash, state: 'completed', taken: { amountMinor, amount, transactions } }
}

/** What an address sends by itself was counted out before: the deposits it was made of, less coin that pays for it. */
function expectedOf(
  { kind }: Sweep,
  deposits: readonly SweptDeposit[],
  taken: readonly Taken[],
): [readonly SweptDeposit[], readonly Taken[]] {
  if (kind !== 'forward') return [deposits, taken]
  const marked = deposits.filter(({ isMarked }) => isMarked)
  const amountMinor = sum(marked.map((deposit) => deposit.amountMinor))
  return [marked, taken.map((one) => ({ ...one, amountMinor }))]
}
