/** Completes sweeps after their transaction is final. */
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
import { lockOpen, type MerchantSweepEnd, saveEnds } from './merchant-sweep-store.ts'
import { recordSweepRetries } from './record-sweep-retries.ts'
import { settleCollectInvoices } from './settle-collect-invoices.ts'
import type { MerchantSweep } from './sweep.ts'
import { clearSweepRetries } from './sweep-retry-store.ts'
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
 * Returns a worker that reads the amounts that final sweeps have taken, and completes their merchant sweeps.
 * A sweep takes the money that is on its addresses when its transaction is mined. Deposits that came after
 * the sweep was planned are therefore included. Several processes may run this worker at once.
 */
export function finishSweeps(parts: FinishSweepsParts): Worker {
  return {
    name: 'finish sweeps',
    idleMs: parts.pollMs,
    runBatch: async (signal) => {
      let finished = 0
      for (const sweep of await readFinal(parts.db, sweepsAtOnce)) {
        if (await finish(parts, sweep, signal)) finished += 1
      }
      return finished + (await settleOver(parts))
    },
  }
}

/**
 * Settles two kinds of `collect` invoices: those that ended after their last deposit was swept, and those
 * that were paid on a UTXO chain, where no sweep is needed.
 */
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
 * Returns the transfers of a sweep, read from its block. If there are several nodes, they must agree on the
 * block. Returns undefined while the nodes do not have the block that is final in our books.
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

/**
 * Returns the amounts that left the swept addresses in the sweep's transaction, to any recipient. Transfers
 * from other addresses and of other assets are ignored.
 */
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
  await clearSweepRetries(tx, taken)
  await recordSweepRetries(tx, match.retries)
  await endSweep(tx, sweep.id, 'done')
  const merchantOf = new Map(addresses.map(({ addressId, merchantId }) => [addressId, merchantId]))
  const takenIds = new Set(match.takenIds)
  const own = (merchantId: string, asset: string) => ({
    taken: taken.filter((one) => one.asset === asset && merchantOf.get(one.addressId) === merchantId),
    transactions: deposits.filter(
      (one) =>
        takenIds.has(one.depositId) && one.asset === asset && merchantOf.get(one.addressId) === merchantId,
    ).length,
  })
  const open = await lockOpen(tx, sweep.id)
  const ends = open.map((merchantSweep) => endOf(methods, sweep, merchantSweep, own))
  const endedAt = await saveEnds(tx, ends)
  await settleCollectInvoices(tx, [...new Set(deposits.flatMap(({ invoiceId }) => invoiceId ?? []))])
  await appendEvents(
    tx,
    open.flatMap((merchantSweep, index) => {
      const end = required(ends[index], 'the end of a sweep')
      return end.taken === undefined
        ? []
        : [completedEvent(methods, merchantSweep, { ...end.taken, txHash: sweep.txHash, endedAt })]
    }),
  )
}

function endOf(
  methods: PaymentMethods,
  { txHash }: Sweep,
  merchantSweep: MerchantSweep,
  own: (merchantId: string, asset: string) => { taken: readonly Taken[]; transactions: number },
): MerchantSweepEnd {
  const { id, merchantId, paymentMethodId } = merchantSweep
  const { asset, decimals } = required(methods.byId(paymentMethodId), 'the method of a sweep')
  const { taken, transactions } = own(merchantId, asset)
  const amountMinor = sum(taken.map((one) => one.amountMinor))
  if (amountMinor === 0n) return { id, txHash, state: 'blocked' }
  const amount = formatDecimal(amountMinor, decimals)
  return { id, txHash, state: 'completed', taken: { amountMinor, amount, transactions } }
}

/**
 * Returns the arguments of `matchTaken`. A direct sweep takes exactly the deposits that were marked when it
 * was planned. A direct sweep of coin transfers less than the sum of these deposits, because the address pays
 * the fee itself. The transferred amount is therefore replaced by that sum.
 */
function expectedOf(
  { kind }: Sweep,
  deposits: readonly SweptDeposit[],
  taken: readonly Taken[],
): [readonly SweptDeposit[], readonly Taken[]] {
  if (kind !== 'direct_sweep') return [deposits, taken]
  const marked = deposits.filter(({ isMarked }) => isMarked)
  const amountMinor = sum(marked.map((deposit) => deposit.amountMinor))
  return [marked, taken.map((one) => ({ ...one, amountMinor }))]
}
