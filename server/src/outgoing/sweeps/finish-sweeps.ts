/** Completes sweeps after their transaction is final. */
import { utxoNetworkNames } from '../../chains/networks.ts'
import {
  type BlockFacts,
  type ChainReader,
  isBadAnswer,
  NodeError,
  type Transfer,
} from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import type { Worker } from '../../core/concurrency/work-loop.ts'
import { groupBy } from '../../core/group-by.ts'
import type { Log } from '../../core/log.ts'
import { formatDecimal, min, sum } from '../../core/money.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import { appendEvents } from '../../platform/outbox/append.ts'
import { mostConfirmations, type PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { askCheck } from './coin-check-store.ts'
import { completedEvent } from './events.ts'
import { lockOpen, type MerchantSweepEnd, saveEnds } from './merchant-sweep-store.ts'
import { readTakenCoin } from './read-taken-coin.ts'
import { recordSweepRetries } from './record-sweep-retries.ts'
import { settleCollectInvoices } from './settle-collect-invoices.ts'
import type { MerchantSweep } from './sweep.ts'
import { clearSweepRetries } from './sweep-retry-store.ts'
import { endSweep, type FinalSweep, lockOpenSweep, readFinal, type Sweep } from './sweep-store.ts'
import {
  findOverCollecting,
  lockSweptDeposits,
  readBeyondDeposits,
  readSweptAddresses,
  type SweptAddress,
  saveSweptCoin,
  saveTaken,
} from './swept-store.ts'
import { matchTaken, type SweptDeposit, type Taken } from './taken.ts'

export interface FinishSweepsParts {
  readonly db: Db
  readonly methods: PaymentMethods
  readonly chains: readonly Pick<ChainReader, 'network' | 'readBlock' | 'readBalances'>[]
  readonly log: Pick<Log, 'warn'>
  readonly pollMs: number
}

const sweepsAtOnce = 20

/**
 * Returns a worker that reads the amounts that final sweeps have taken, and completes their merchant sweeps.
 * A sweep takes the money that is on its addresses when its transaction is mined. Deposits that came after
 * the sweep was planned are therefore included. Several processes may run this worker at once.
 */
export function finishSweeps(parts: FinishSweepsParts): Worker {
  // Each batch begins after the last sweep of the previous batch, so that sweeps that fail do not block the others.
  let afterId: string | undefined
  return {
    name: 'finish sweeps',
    idleMs: parts.pollMs,
    runBatch: async (signal) => {
      let finished = 0
      const sweeps = await readFinal(parts.db, { afterId, rows: sweepsAtOnce })
      for (const sweep of sweeps) if (await tryToFinish(parts, sweep, signal)) finished += 1
      afterId = sweeps.length < sweepsAtOnce ? undefined : sweeps.at(-1)?.id
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

/** Completes a sweep. Returns false if it must wait: a failing node of one network delays no other network. */
async function tryToFinish(
  parts: FinishSweepsParts,
  sweep: FinalSweep,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await finish(parts, sweep, signal)
  } catch (error) {
    if (!(error instanceof NodeError) || signal.aborted) throw error
    const { id, network } = sweep
    parts.log.warn({ network, sweepId: id, err: error }, 'what a sweep took cannot be read now')
    return false
  }
}

async function finish(parts: FinishSweepsParts, sweep: FinalSweep, signal: AbortSignal): Promise<boolean> {
  const addresses = await readSweptAddresses(parts.db, sweep.id)
  const facts = sweep.isSuccess ? await readFacts(parts, sweep, signal) : 'failed'
  if (facts === undefined) return false
  const swept =
    facts === 'failed' ? { taken: [] } : await readTaken(parts, sweep, { addresses, facts }, signal)
  return inTransaction(parts.db, async (tx) => {
    const locked = await lockOpenSweep(tx, sweep.id)
    if (locked?.block?.hash !== sweep.block?.hash) return false
    await bookTaken(parts.methods, tx, sweep, { addresses, ...swept })
    return true
  })
}

/** @throws NodeError if this process does not follow the network, such as one of the operator's own */
function chainOf({ chains }: FinishSweepsParts, { network }: Sweep) {
  const chain = chains.find((one) => one.network === network)
  if (chain === undefined) throw new NodeError(`the nodes of ${network} are not open`)
  return chain
}

/**
 * Reads the block of a sweep. If there are several nodes, they must agree on the block. Returns undefined while
 * the nodes do not have the block that is final in our books.
 */
async function readFacts(
  parts: FinishSweepsParts,
  sweep: Sweep,
  signal: AbortSignal,
): Promise<BlockFacts | undefined> {
  const { height, hash } = required(sweep.block, 'the block of a final sweep')
  const facts = await chainOf(parts, sweep).readBlock(height, signal)
  return facts?.block.hash === hash ? facts : undefined
}

interface SweptBlock {
  readonly addresses: readonly SweptAddress[]
  readonly facts: BlockFacts
}

interface TakenBySweep {
  readonly taken: readonly Taken[]
  /** The coin whose amount is unknown, because no node has the state of the block any more. */
  readonly unreadCoin?: string
}

/**
 * Returns the amounts that a sweep took from its addresses. Delegated addresses send coin by calls, which a block
 * without call traces does not contain. What they sent is then read from their balances.
 */
async function readTaken(
  parts: FinishSweepsParts,
  sweep: FinalSweep,
  { addresses, facts }: SweptBlock,
  signal: AbortSignal,
): Promise<TakenBySweep> {
  const transfers = facts.transfers.filter(({ txHash }) => txHash === sweep.txHash)
  const taken = takenFrom(parts.methods, sweep, addresses, transfers)
  const coin = coinOf(parts.methods, sweep)
  if (facts.tracedBy !== 'none' || sweep.kind !== 'sweep' || coin === undefined) return { taken }
  const others = taken.filter(({ asset }) => asset !== coin)
  const { txHash = '', isOverdue } = sweep
  const coins = await readTakenCoin(chainOf(parts, sweep), { txHash, addresses, facts, coin }, signal).catch(
    (error: unknown) => {
      if (!isOverdue || !isBadAnswer(error)) throw error
      const { id, network } = sweep
      parts.log.warn(
        { network, sweepId: id, height: facts.block.height, err: error },
        'the nodes have lost the state of a sweep, so its deposits count as taken: use nodes that keep state longer, or nodes with call traces',
      )
    },
  )
  return coins === undefined ? { taken: others, unreadCoin: coin } : { taken: [...others, ...coins] }
}

/** Returns the coin of the sweep's network if the sweep takes it. */
function coinOf(methods: PaymentMethods, { network, assets }: Sweep): string | undefined {
  const coin = methods.byTransferred(network, undefined)?.asset
  return coin !== undefined && assets.includes(coin) ? coin : undefined
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
  { addresses, ...swept }: TakenBySweep & { readonly addresses: readonly SweptAddress[] },
): Promise<void> {
  const deposits = await lockSweptDeposits(tx, sweep)
  const taken = [...swept.taken, ...plannedOf(deposits, swept.unreadCoin)]
  const match = matchTaken(...expectedOf(sweep, deposits, taken))
  await saveTaken(tx, sweep.id, match)
  const coin = coinOf(methods, sweep)
  if (coin !== undefined && swept.unreadCoin === undefined)
    await bookCoin(tx, sweep, coin, { addresses, taken })
  await clearSweepRetries(tx, taken)
  await recordSweepRetries(tx, match.retries)
  await endSweep(tx, sweep.id, 'done')
  const merchantOf = new Map(addresses.map(({ addressId, merchantId }) => [addressId, merchantId]))
  const takenIds = new Set(match.takenIds)
  const booked = withoutUnbooked(taken, deposits, { sweep, coin, takenIds })
  const own = (merchantId: string, asset: string) => ({
    taken: booked.filter((one) => one.asset === asset && merchantOf.get(one.addressId) === merchantId),
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

/**
 * Returns the planned deposits of a coin as taken, for a sweep whose amounts are unknown. The addresses of the sweep
 * get no row in `swept_coin`, so their balances are not compared any more. Otherwise their coin would count twice if
 * a call of the sweep had failed.
 */
function plannedOf(deposits: readonly SweptDeposit[], coin: string | undefined): readonly Taken[] {
  const planned = deposits.filter(({ asset, isMarked, isThere }) => asset === coin && isMarked && isThere)
  return [...groupBy(planned, ({ addressId }) => addressId)].map(([addressId, some]) => ({
    addressId,
    asset: coin ?? '',
    amountMinor: sum(some.map(({ amountMinor }) => amountMinor)),
  }))
}

/**
 * Stores the coin that was taken from each address. Requests a comparison of the addresses from which more was
 * taken than was booked, so that the rest is booked.
 */
async function bookCoin(
  tx: Tx,
  { id, network, block }: Sweep,
  coin: string,
  { addresses, taken }: { readonly addresses: readonly SweptAddress[]; readonly taken: readonly Taken[] },
): Promise<void> {
  const minorOf = new Map(
    taken.flatMap(({ addressId, asset, amountMinor }) => (asset === coin ? [[addressId, amountMinor]] : [])),
  )
  const swept = addresses.map(({ addressId }) => ({ addressId, amountMinor: minorOf.get(addressId) ?? 0n }))
  await saveSweptCoin(tx, id, swept)
  const beyond = await readBeyondDeposits(tx, id, coin)
  if (block !== undefined) await askCheck(tx, network, beyond, block.height)
}

/**
 * Reduces the coin that was taken from each address to the deposits that were taken. A sweep may also take coin
 * that nobody has booked yet. Comparing balances finds that coin by `swept_coin`, and books it as swept.
 */
function withoutUnbooked(
  taken: readonly Taken[],
  deposits: readonly SweptDeposit[],
  {
    sweep,
    coin,
    takenIds,
  }: {
    readonly sweep: Sweep
    readonly coin: string | undefined
    readonly takenIds: ReadonlySet<string>
  },
): readonly Taken[] {
  if (sweep.kind !== 'sweep') return taken
  return taken.flatMap((one): Taken[] => {
    if (one.asset !== coin) return [one]
    const own = deposits.filter(
      ({ depositId, addressId, asset }) =>
        takenIds.has(depositId) && addressId === one.addressId && asset === coin,
    )
    const amountMinor = min(one.amountMinor, sum(own.map((deposit) => deposit.amountMinor)))
    return amountMinor > 0n ? [{ ...one, amountMinor }] : []
  })
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
