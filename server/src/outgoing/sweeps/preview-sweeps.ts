import type { AccountSender, ChainReader, FeeLevel, SpendCodec, TransferAsset } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import { groupBy } from '../../core/group-by.ts'
import { sum } from '../../core/money.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { type LimitOverride, limitsFrom } from '../../pricing/limits/limit.ts'
import { readOverridesOf } from '../../pricing/limits/store.ts'
import type { PaymentMethod, PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { recentPrices } from '../../pricing/rates/store.ts'
import { maxCostMinor } from '../engine/payout.ts'
import { gasMax, priceFor } from '../evm/price-gas.ts'
import {
  noteFeeLevel,
  type Present,
  readDeposited,
  readLanes,
  readPresent,
  readWaiting,
} from './deposited-store.ts'
import { type Due, type DueContext, feeHoursKept, isCheap, pickAllDue } from './due.ts'
import {
  addressesPerSweep,
  type Deposited,
  delegatedGas,
  type SweepGas,
  type SweepPolicy,
  toppedUpGas,
  transferGas,
  worthInCoin,
} from './sweep.ts'

/** The chain of a network, as far as bringing money in needs it. */
export interface CollectedChain {
  readonly reader: Pick<ChainReader, 'network' | 'readBalances' | 'readBlock'>
  readonly sender: Pick<
    AccountSender,
    'canDelegate' | 'readFees' | 'readDelegates' | 'readNonces' | 'hasCode'
  >
  readonly codec: Pick<SpendCodec, 'family' | 'delegateOf'>
}

export interface PreviewParts {
  readonly methods: PaymentMethods
  readonly policy: SweepPolicy
  chainOf(network: string): CollectedChain
}

/** What is to be brought in of one asset by one transaction, or by one for each address. */
export interface DueSweep {
  readonly method: PaymentMethod
  readonly due: readonly Due[]
}

export interface SweepsPreview {
  readonly fees: FeeLevel
  readonly lanes: readonly string[]
  readonly height: number
  /** What lies on addresses and could be taken, due or not. */
  readonly deposited: readonly Deposited[]
  readonly sweeps: readonly DueSweep[]
  readonly canDelegate: boolean
  /** What decided about an asset. */
  contextOf(method: PaymentMethod): DueContext
}

export interface PreviewWish {
  readonly signal: AbortSignal
  /** As if an operator asked for all of it now. */
  readonly isOrdered?: boolean
  /** Of each asset, those with the most. */
  readonly addressesMax?: number
}

/** So many at once, of each asset. */
const addressesLookedAt = 5 * addressesPerSweep

/**
 * Looks at what lies on deposit addresses of a network and says what of it is to be brought in now; undefined where there
 * is nothing to look at.
 */
export async function previewSweeps(
  parts: PreviewParts,
  on: Queryable,
  network: string,
  { signal, isOrdered = false, addressesMax = addressesLookedAt }: PreviewWish,
): Promise<SweepsPreview | undefined> {
  const deposited = await readDeposited(on, network, addressesMax)
  if (deposited.length === 0) return undefined
  const lanes = await readLanes(on, network)
  const present = await readPresent(on, network)
  const { height } = present
  if (lanes.length === 0 || height === undefined) return undefined
  const fees = await parts.chainOf(network).sender.readFees(signal)
  const at = { lanes, height, signal }
  const ordered = isOrdered ? { ...present, orderedAt: present.now } : present
  const contextOf = await openContexts(parts, on, network, { deposited, fees, present: ordered, ...at })
  const byAsset = groupBy(deposited, ({ asset }) => asset)
  const sweeps = [...byAsset].flatMap(([asset, some]) => {
    const method = required(parts.methods.byAsset(asset), 'the method of a deposit')
    return pickAllDue(some, contextOf(method)).map((due) => ({ method, due }))
  })
  const { canDelegate } = parts.chainOf(network).sender
  return { fees, lanes, height, canDelegate, deposited, sweeps, contextOf }
}

interface ContextGround {
  readonly deposited: readonly Deposited[]
  readonly fees: FeeLevel
  readonly present: Present
  readonly lanes: readonly string[]
  readonly height: number
  readonly signal: AbortSignal
}

async function openContexts(
  parts: PreviewParts,
  on: Queryable,
  network: string,
  ground: ContextGround,
): Promise<(method: PaymentMethod) => DueContext> {
  const { methods, policy } = parts
  const { fees, present, deposited } = ground
  const coin = required(methods.byTransferred(network, undefined), 'the coin of a network')
  const assets = [...new Set(deposited.map(({ asset }) => asset))].flatMap(
    (asset) => methods.byAsset(asset) ?? [],
  )
  const prices = await recentPrices(on, [...new Set([coin, ...assets].map(({ symbol }) => symbol))])
  const needed = await findNeeded(parts, on, network, { ...ground, assets })
  const past = await noteFeeLevel(on, network, fees.baseFeeMinor, feeHoursKept)
  const minimumOf = await openMinimums(on, deposited)
  const priced = ({ symbol, decimals }: PaymentMethod) => ({ priceUsd: prices.get(symbol), decimals })
  return (method) => ({
    policy,
    now: present.now,
    orderedAt: present.orderedAt,
    gas: gasOf(parts.chainOf(network).sender.canDelegate, method),
    gasPriceMinor: fees.baseFeeMinor + fees.tipMinor,
    isCheap: isCheap(fees.baseFeeMinor, past),
    isNeeded: needed.has(method.asset),
    worthOf: (amountMinor) =>
      method.id === coin.id ? amountMinor : worthInCoin(amountMinor, priced(method), priced(coin)),
    minimumOf: (merchantId) => (merchantId === undefined ? 0n : minimumOf(merchantId, method)),
  })
}

function gasOf(canDelegate: boolean, { contract }: PaymentMethod): SweepGas {
  if (canDelegate) return delegatedGas
  return contract === undefined ? transferGas : toppedUpGas
}

/**
 * The assets of which withdrawals want more than the lanes hold. What is on its way from the lanes already counts as
 * wanted until its block is booked, so that rather too much is brought in than too little.
 */
async function findNeeded(
  { chainOf }: PreviewParts,
  on: Queryable,
  network: string,
  { assets, fees, lanes, height, signal }: ContextGround & { readonly assets: readonly PaymentMethod[] },
): Promise<ReadonlySet<string>> {
  const waiting = await readWaiting(on, network)
  const needed = new Set<string>()
  for (const { asset, contract } of assets) {
    const some = waiting.get(asset)
    if (some === undefined) continue
    const gasMinor = contract === undefined ? sendingGasMinor(fees, lanes.length, some.orders) : 0n
    const wantedMinor = some.netMinor + gasMinor
    const transferred: TransferAsset = contract === undefined ? { type: 'coin' } : { type: 'token', contract }
    const held = await chainOf(network).reader.readBalances(transferred, lanes, height, signal)
    if (sum(held) < wantedMinor) needed.add(asset)
  }
  return needed
}

/**
 * The coin that lanes must hold beside what they send of it: a payout is planned where its lane has the most that gas can
 * cost, which every lane that gives it some of its own keeps as well; what was planned already keeps what it was told to.
 */
function sendingGasMinor(fees: FeeLevel, laneCount: number, orders: number): bigint {
  const price = priceFor(fees)
  if (price === undefined) return 0n
  const gas = gasMax({ intent: { kind: 'withdrawal', payments: [] } }) * BigInt(laneCount)
  return maxCostMinor({ ...price, gas: gas + transferGas.addressGas * BigInt(orders) })
}

/** Each merchant's `minCollect`, read for all of them at once. */
async function openMinimums(
  on: Queryable,
  deposited: readonly Deposited[],
): Promise<(merchantId: string, method: PaymentMethod) => bigint> {
  const merchantIds = [...new Set(deposited.flatMap(({ merchantId }) => merchantId ?? []))]
  const overrides = await readOverridesOf(on, merchantIds, 'collect')
  const everybody = overrides.filter(({ merchantId }) => merchantId === undefined)
  const own = groupBy(overrides, ({ merchantId }) => merchantId)
  return (merchantId, method) => {
    const applied: readonly LimitOverride[] = [...everybody, ...(own.get(merchantId) ?? [])]
    return limitsFrom([method], applied).methods[0]?.minCollectMinor ?? 0n
  }
}
