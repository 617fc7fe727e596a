/**
 * Decides which queued orders may be sent. The engine calls `approveWithdrawals` before it plans outgoing
 * transactions.
 */
import type { KeyObject } from 'node:crypto'
import { networkOf } from '../../../chains/networks.ts'
import type { ChainReader } from '../../../chains/port.ts'
import { required } from '../../../core/assert.ts'
import { groupBy } from '../../../core/group-by.ts'
import type { Log } from '../../../core/log.ts'
import { keepSealedBalances, sumSealed } from '../../../ledger/sum-sealed.ts'
import type { Screening } from '../../../payments/screening/screen.ts'
import type { Verdict } from '../../../payments/screening/verdict.ts'
import { recordAudit } from '../../../platform/audit/store.ts'
import { assertLease, type Lease } from '../../../platform/db/lease.ts'
import type { Db, Queryable } from '../../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import { mostConfirmations, type PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { freshRate } from '../../../pricing/rates/store.ts'
import type { OrderVerifier } from '../../../signing/order-signature.ts'
import { paymentMac } from '../../../signing/payment-mac.ts'
import { readHaltedAssets } from '../../engine/controls/asset-halts.ts'
import { haltOutgoing } from '../../engine/controls/halts.ts'
import { applyEnding, endWithdrawals } from '../end-withdrawals.ts'
import { findEndable } from '../orders/endable.ts'
import { findOrderErrors } from '../orders/find-errors.ts'
import { paymentOf } from '../orders/order-of.ts'
import { proveDeposits } from '../proofs/prove-deposits.ts'
import { lockWithdrawals } from '../store.ts'
import type { Withdrawal } from '../withdrawal.ts'
import { type Decision, decide, type Weighed, waitBeforeScreening, worthOf } from './approval.ts'
import { boundQueue } from './bound-queue.ts'
import { coveredBy } from './coverage.ts'
import { DaySums, plus, type SumUsd } from './day-sums.ts'
import { type DaySum, lockDaySums, readDaySums } from './day-sums-store.ts'
import { isHalted, type Queued, readQueue, saveApprovals, saveWaits } from './store.ts'

export interface ApprovalParts {
  readonly db: Db
  readonly methods: PaymentMethods
  readonly log: Log
  readonly screening: Pick<Screening, 'screenAll'>
  /** The key of the MAC with which the signer checks each payment. */
  readonly intentKey: KeyObject
  /** Verifies the signatures made by the process that accepted the orders. */
  readonly orders: OrderVerifier
  /**
   * An operator must agree if the worth of an order plus the sum approved within 24 hours is above this
   * value. In 10^-8 USD. Undefined if no order needs an operator.
   */
  readonly approvalAboveUsd: bigint | undefined
}

/**
 * Approves queued orders of a network. An order needs a sealed hold, and money of its merchant that covers
 * it. Only proven deposits in sealed journals count as money of the merchant. The merchant must not have a
 * negative balance, and the destination must pass screening. The order must also be small enough, or released
 * by an operator.
 *
 * Each order gets its MAC in the transaction that approves it, so the signer detects any later change. If an
 * order differs from what its merchant ordered, or its hold was released, the order stays unchanged and
 * outgoing transactions are halted. Orders to a destination on a sanctions list fail. All other orders wait,
 * and the cause of the wait is stored.
 * @param chain reads the network from our own nodes, in order to prove deposits first; if undefined, no
 * further deposit is proven
 * @throws LeaseLostError if another process has taken the lease
 */
export async function approveWithdrawals(
  parts: ApprovalParts,
  lease: Lease,
  network: string,
  signal: AbortSignal,
  chain?: ChainReader,
): Promise<void> {
  const { db, methods } = parts
  const finalDepth = finalDepthOf(methods, network)
  if (chain !== undefined) await proveDeposits(parts, lease, { network, finalDepth }, chain, signal)
  if (await isHalted(db)) return
  const halted = await readHaltedAssets(db)
  const own = methods.all.filter((method) => method.network === network).map(({ asset }) => asset)
  const scope = {
    network,
    assets: own.filter((asset) => !halted.has(asset)),
    hasOutpoints: finalDepth !== undefined,
  }
  const first = weigh(await readQueue(db, scope))
  const screened = await screenReady(parts, network, first, signal)
  if (!(await decideAll(parts, db, first, screened)).some(isChange)) return
  const merchantIds = [...new Set(first.filter(({ isCovered }) => isCovered).map(merchantOf))]
  await keepSealedBalances(db, merchantIds)
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    if (parts.approvalAboveUsd !== undefined) await lockDaySums(tx)
    const queue = await readQueue(tx, scope)
    // The sums are read after the queue. If money is paid out between the two reads, the sums no longer
    // contain that money, so it cannot cover an order. In the opposite order, the sums could still contain
    // it.
    const weighed = weigh(boundQueue(queue, await sumSealed(tx, merchantIds)))
    await apply(parts, tx, network, (await decideAll(parts, tx, weighed, screened)).filter(isChange))
  })
}

function merchantOf({ withdrawal }: Weighed): string {
  return withdrawal.merchantId
}

/**
 * Returns the number of blocks after which a block counts as final. Returns undefined for chains that are not
 * UTXO chains, because those report finality themselves.
 */
function finalDepthOf(methods: PaymentMethods, network: string): number | undefined {
  if (networkOf(network)?.family !== 'utxo') return undefined
  return mostConfirmations(methods, network)
}

interface Decided {
  readonly withdrawal: Withdrawal
  readonly decision: Decision
}

function isChange({ withdrawal, decision }: Decided): boolean {
  return decision.type !== 'wait' || decision.cause !== withdrawal.waitsFor
}

/** Marks an order as covered if its merchant's money in the order's asset covers it. */
function weigh(queue: readonly Queued[]): readonly Weighed[] {
  const purses = groupBy(queue, ({ withdrawal: { merchantId, asset } }) => `${merchantId}/${asset}`)
  const covered = new Set<Withdrawal>()
  for (const orders of purses.values()) {
    const { purse } = required(orders[0], 'the first of a group')
    const withdrawals = orders.map(({ withdrawal }) => withdrawal)
    for (const withdrawal of coveredBy(purse, withdrawals)) covered.add(withdrawal)
  }
  return queue.map((queued) => ({ ...queued, isCovered: covered.has(queued.withdrawal) }))
}

/** Screens the destinations of the orders that wait only for screening. */
async function screenReady(
  { db, screening }: ApprovalParts,
  network: string,
  weighed: readonly Weighed[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Verdict>> {
  const ready = weighed.filter((one) => waitBeforeScreening(one) === undefined)
  const addresses = [...new Set(ready.map(({ withdrawal }) => withdrawal.address))]
  const verdicts = await screening.screenAll(db, network, addresses, signal)
  const verdictOf = (address: string) =>
    verdicts === undefined ? 'passed' : (verdicts.get(address) ?? 'unknown')
  return new Map(addresses.map((address) => [address, verdictOf(address)]))
}

/**
 * Decides about all orders. If the destination of an order is not screened yet, the order stays as it is
 * until the next round.
 */
async function decideAll(
  { methods, approvalAboveUsd }: ApprovalParts,
  on: Queryable,
  weighed: readonly Weighed[],
  screened: ReadonlyMap<string, Verdict>,
): Promise<readonly Decided[]> {
  const methodOf = (id: number) => required(methods.byId(id), 'the method of a withdrawal')
  const approvalSums =
    approvalAboveUsd === undefined ? nothingSummed() : await readApprovalSums(methods, on, weighed)
  return weighed.map((one) => {
    const { withdrawal } = one
    const { symbol, decimals } = methodOf(withdrawal.paymentMethodId)
    const { prices, sums } = approvalSums
    const priced = { priceUsd: prices.get(symbol), assetDecimals: decimals }
    const rule = { ...priced, aboveUsd: approvalAboveUsd, daySumUsd: sums.largestOf(withdrawal) }
    const verdict = screened.get(withdrawal.address)
    const decision =
      verdict === undefined
        ? (waitBeforeScreening(one) ?? { type: 'wait' as const, cause: withdrawal.waitsFor })
        : decide(one, verdict, rule)
    const isCounted = decision.type === 'approve' && !withdrawal.isReleased
    if (isCounted) sums.add(withdrawal, worthOf(withdrawal.amountMinor, priced))
    return { withdrawal, decision }
  })
}

/** The sums and prices that decide whether an operator must agree to an order. */
interface ApprovalSums {
  /** Prices by symbol, in 10^-12 USD per whole unit. Undefined if there is no recent price. */
  readonly prices: ReadonlyMap<string, bigint | undefined>
  readonly sums: DaySums
}

function nothingSummed(): ApprovalSums {
  return { prices: new Map(), sums: new DaySums(new Map(), new Map()) }
}

async function readApprovalSums(
  methods: PaymentMethods,
  on: Queryable,
  weighed: readonly Weighed[],
): Promise<ApprovalSums> {
  const daySums = await readDaySums(
    on,
    weighed.map(({ withdrawal }) => withdrawal),
  )
  const assets = [...daySums.map(({ asset }) => asset), ...weighed.map(({ withdrawal }) => withdrawal.asset)]
  const symbols = new Set(assets.flatMap((asset) => methods.byAsset(asset)?.symbol ?? []))
  const prices = new Map<string, bigint | undefined>()
  for (const symbol of symbols) prices.set(symbol, (await freshRate(on, symbol))?.priceUsd)
  const sumsOf = (of: DaySum['of']) => {
    const sums = new Map<string, SumUsd>()
    for (const { key, asset, amountMinor } of daySums.filter((sum) => sum.of === of)) {
      const method = methods.byAsset(asset)
      const priced = { priceUsd: prices.get(method?.symbol ?? ''), assetDecimals: method?.decimals ?? 0 }
      sums.set(key, plus(sums.has(key) ? sums.get(key) : 0n, worthOf(amountMinor, priced)))
    }
    return sums
  }
  return { prices, sums: new DaySums(sumsOf('merchant'), sumsOf('address')) }
}

/** Stores the decisions. Orders that left the queue while destinations were screened stay unchanged. */
async function apply(
  parts: ApprovalParts,
  tx: Tx,
  network: string,
  decided: readonly Decided[],
): Promise<void> {
  const decisions = new Map(decided.map(({ withdrawal: { id }, decision }) => [id, decision]))
  const locked = await lockWithdrawals(tx, [...decisions.keys()])
  const queued = await keepWanted(
    parts,
    tx,
    network,
    locked.filter(({ status }) => status.stage === 'queued'),
    decisions,
  )
  const of = (type: Decision['type']) => queued.filter(({ id }) => decisions.get(id)?.type === type)
  await saveApprovals(
    tx,
    of('approve').map((withdrawal) => ({ id: withdrawal.id, mac: macOf(parts, network, withdrawal) })),
  )
  const waits = of('wait').map(({ id }) => {
    const decision = decisions.get(id)
    return { id, cause: decision?.type === 'wait' ? decision.cause : undefined }
  })
  await saveWaits(tx, waits)
  await refuse(parts, tx, of('refuse'))
}

/**
 * Returns the orders whose decision may be stored. An order that somebody has altered is left out, and
 * outgoing transactions are halted.
 */
async function keepWanted(
  parts: ApprovalParts,
  tx: Tx,
  network: string,
  queued: readonly Withdrawal[],
  decisions: ReadonlyMap<string, Decision>,
): Promise<readonly Withdrawal[]> {
  const moving = queued.filter(({ id }) => decisions.get(id)?.type !== 'wait')
  const errors = await findOrderErrors(parts, tx, network, moving)
  const [error] = errors.values()
  if (error !== undefined) await haltOutgoing({ db: tx, log: parts.log }, 'tampering', error)
  return queued.filter(({ id }) => !errors.has(id))
}

function macOf({ methods, intentKey }: ApprovalParts, network: string, withdrawal: Withdrawal): string {
  return paymentMac(intentKey, network, paymentOf(methods, withdrawal))
}

/**
 * Ends orders whose destination is on a sanctions list. The money of these orders returns to the merchant,
 * and the audit log records that they were refused.
 */
async function refuse(
  { methods, log }: ApprovalParts,
  tx: Tx,
  withdrawals: readonly Withdrawal[],
): Promise<void> {
  if (withdrawals.length === 0) return
  const explanation = 'The destination is on a sanctions list.'
  const { endable } = await findEndable(methods, tx, withdrawals)
  const ending = await endWithdrawals(methods, tx, endable, {
    outcome: 'failed',
    reason: 'screening',
    explanation,
  })
  for (const { withdrawal } of endable) {
    const { id, merchantId, address } = withdrawal
    log.warn(
      { alert: 'listed-destination', withdrawalID: id },
      'a withdrawal to an address on a sanctions list is rejected',
    )
    await recordAudit(tx, { merchantId, action: 'withdrawal.refused', subject: id, details: { address } })
  }
  await applyEnding(tx, ending)
}
