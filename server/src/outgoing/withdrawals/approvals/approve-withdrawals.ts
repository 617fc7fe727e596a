import type { KeyObject } from 'node:crypto'
import { isNetworkName, networks } from '../../../chains/networks.ts'
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
import { haltPayouts } from '../../engine/controls/halts.ts'
import { applyEnding, endWithdrawals } from '../end-withdrawals.ts'
import { findOrderFaults } from '../orders/find-faults.ts'
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
  /** What the signer checks each payment with. */
  readonly intentKey: KeyObject
  /** Checks what the process signed that took the orders. */
  readonly orders: OrderVerifier
  /** Above this worth, or this sum of a day, an operator must agree, in 10^-8 USD; undefined where nobody is asked. */
  readonly approvalAboveUsd: bigint | undefined
}

/**
 * Lets queued orders of a network go out: those that proven money of sealed journals covers, whose hold is sealed, too, whose
 * merchant owes nothing, whose destination passed screening, and which are small enough or were let go by an operator.
 * Each gets its MAC in the transaction that approves it; nothing about it can change after that without the signer seeing
 * it. One that is not what its merchant ordered, or that was given back, stays as it is and halts payouts. Orders to
 * listed destinations fail, the rest waits and says for what.
 * @param chain the network by our own nodes, by which deposits are proven first; without it none is proven anew
 * @throws LeaseLostError
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
    // After the queue, so that what was paid out by then is gone from the sums, too.
    const weighed = weigh(boundQueue(queue, await sumSealed(tx, merchantIds)))
    await apply(parts, tx, network, (await decideAll(parts, tx, weighed, screened)).filter(isChange))
  })
}

function merchantOf({ withdrawal }: Weighed): string {
  return withdrawal.merchantId
}

/** Where money lies in coins no block is final by the chain's own word. */
function finalDepthOf(methods: PaymentMethods, network: string): number | undefined {
  if (!isNetworkName(network) || networks[network].family !== 'utxo') return undefined
  return mostConfirmations(methods, network)
}

interface Decided {
  readonly withdrawal: Withdrawal
  readonly decision: Decision
}

function isChange({ withdrawal, decision }: Decided): boolean {
  return decision.type !== 'wait' || decision.cause !== withdrawal.waitsFor
}

/** Of each merchant's money in each asset, what of its queue it covers. */
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

/** Only orders are asked about that wait for nothing else before. */
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

/** What was not asked about yet stays as it is, and is asked about in the next round. */
async function decideAll(
  { methods, approvalAboveUsd }: ApprovalParts,
  on: Queryable,
  weighed: readonly Weighed[],
  screened: ReadonlyMap<string, Verdict>,
): Promise<readonly Decided[]> {
  const methodOf = (id: number) => required(methods.byId(id), 'the method of a withdrawal')
  const sight = approvalAboveUsd === undefined ? nothingSummed() : await readSight(methods, on, weighed)
  return weighed.map((one) => {
    const { withdrawal } = one
    const { symbol, decimals } = methodOf(withdrawal.paymentMethodId)
    const { prices, sums } = sight
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

/** What tells whether an operator is asked. */
interface Sight {
  /** By symbol, in 10^-12 USD. */
  readonly prices: ReadonlyMap<string, bigint | undefined>
  readonly sums: DaySums
}

function nothingSummed(): Sight {
  return { prices: new Map(), sums: new DaySums(new Map(), new Map()) }
}

async function readSight(
  methods: PaymentMethods,
  on: Queryable,
  weighed: readonly Weighed[],
): Promise<Sight> {
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

/** Nothing is done to an order that left the queue while others were asked about it. */
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
    locked.filter(({ standing }) => standing.stage === 'queued'),
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

/** Those that may be decided. Nothing is done with the money of one that somebody has altered. */
async function keepWanted(
  parts: ApprovalParts,
  tx: Tx,
  network: string,
  queued: readonly Withdrawal[],
  decisions: ReadonlyMap<string, Decision>,
): Promise<readonly Withdrawal[]> {
  const moving = queued.filter(({ id }) => decisions.get(id)?.type !== 'wait')
  const faults = await findOrderFaults(parts, tx, network, moving)
  const [fault] = faults.values()
  if (fault !== undefined) await haltPayouts({ db: tx, log: parts.log }, 'tampering', fault)
  return queued.filter(({ id }) => !faults.has(id))
}

function macOf({ methods, intentKey }: ApprovalParts, network: string, withdrawal: Withdrawal): string {
  return paymentMac(intentKey, network, paymentOf(methods, withdrawal))
}

/** To a listed destination nothing is sent: the money returns, and it is written down. */
async function refuse(
  { methods, log }: ApprovalParts,
  tx: Tx,
  withdrawals: readonly Withdrawal[],
): Promise<void> {
  if (withdrawals.length === 0) return
  const explanation = 'The destination is on a sanctions list.'
  const ending = await endWithdrawals(methods, tx, withdrawals, {
    outcome: 'failed',
    reason: 'screening',
    explanation,
  })
  for (const { id, merchantId, address } of withdrawals) {
    log.warn(
      { alert: 'listed-destination', withdrawalID: id },
      'a withdrawal to a listed destination is refused',
    )
    await recordAudit(tx, { merchantId, action: 'withdrawal.refused', subject: id, details: { address } })
  }
  await applyEnding(tx, ending)
}
