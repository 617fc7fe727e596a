import type { EvmNetwork } from '../../chains/evm/evm-networks.ts'
import { networkOf } from '../../chains/networks.ts'
import type { AccountSender, ChainReader, FeeLevel, SpendCodec, TransferAsset } from '../../chains/port.ts'
import { assert, required } from '../../core/assert.ts'
import { groupBy } from '../../core/group-by.ts'
import { sum } from '../../core/money.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { type LimitOverride, limitsFrom } from '../../pricing/limits/limit.ts'
import { readOverridesOf } from '../../pricing/limits/store.ts'
import type { PaymentMethod, PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { recentPrices } from '../../pricing/rates/store.ts'
import { maxCostMinor } from '../engine/outgoing-transaction.ts'
import { dataFeeMaxMinor } from '../evm/op-stack-fees.ts'
import { gasMax, priceFor } from '../evm/price-gas.ts'
import {
  noteFeeLevel,
  type Present,
  readDeposited,
  readHotWallets,
  readPresent,
  readWaiting,
} from './deposited-store.ts'
import { type Due, type DueContext, feeHoursKept, isCheap, pickAllDue } from './due.ts'
import {
  type AddressedFee,
  addressesPerSweep,
  type Deposited,
  delegatedGas,
  type SweepGas,
  type SweepPolicy,
  toppedUpGas,
  transferGas,
  worthInCoin,
} from './sweep.ts'
import { readDataCosts, type SweepFees } from './sweep-fees.ts'

/** The parts of a network's chain that sweeps need. */
export interface SweptChain {
  readonly reader: Pick<ChainReader, 'network' | 'readBalances' | 'readBlock' | 'tokens'>
  readonly sender: Pick<
    AccountSender,
    'canDelegate' | 'readFees' | 'readDataFees' | 'readDelegates' | 'readNonces' | 'hasCode'
  >
  readonly codec: Pick<SpendCodec, 'family' | 'delegateOf'>
}

export interface PreviewParts {
  readonly methods: PaymentMethods
  readonly policy: SweepPolicy
  chainOf(network: string): SweptChain
}

/**
 * The deposits of one asset that are to be swept now. On a chain with delegation (EIP-7702), one transaction
 * sweeps all of them. On any other chain, each address sends a transaction of its own.
 */
export interface DueSweep {
  readonly method: PaymentMethod
  readonly due: readonly Due[]
}

export interface SweepsPreview {
  readonly fees: FeeLevel
  readonly dataCosts: SweepFees
  readonly hotWallets: readonly string[]
  readonly height: number
  readonly finalHeight: number | undefined
  /** All deposits that could be swept, whether they are due or not. */
  readonly deposited: readonly Deposited[]
  readonly sweeps: readonly DueSweep[]
  readonly canDelegate: boolean
  /** Returns the facts by which this preview decided which deposits of a payment method's asset are due. */
  contextOf(method: PaymentMethod): DueContext
}

export interface PreviewParams {
  readonly signal: AbortSignal
  /** Whether to preview as if an operator ordered a sweep of all money on the network now. */
  readonly isOrdered?: boolean
  /** The number of addresses that are examined for each asset, those with the most money first. */
  readonly addressesMax?: number
}

/** The default maximum number of addresses that one preview examines for each asset. */
const addressesExamined = 5 * addressesPerSweep

/**
 * Examines the deposits on addresses of a network, and decides which of them are to be swept now. Returns
 * undefined if the network has no such deposits, no hot wallets or no block yet.
 */
export async function previewSweeps(
  parts: PreviewParts,
  on: Queryable,
  network: string,
  { signal, isOrdered = false, addressesMax = addressesExamined }: PreviewParams,
): Promise<SweepsPreview | undefined> {
  const deposited = await readDeposited(on, network, addressesMax)
  if (deposited.length === 0) return undefined
  const hotWallets = await readHotWallets(on, network)
  const present = await readPresent(on, network)
  const { height, finalHeight } = present
  if (hotWallets.length === 0 || height === undefined) return undefined
  const chain = parts.chainOf(network)
  const fees = await chain.sender.readFees(signal)
  const dataCosts = await readDataCosts(chain, network, hotWallets, signal)
  const at = { hotWallets, height, signal }
  const ordered = isOrdered ? { ...present, orderedAt: present.now } : present
  const contextOf = await openContexts(parts, on, network, {
    deposited,
    fees,
    dataCosts,
    present: ordered,
    ...at,
  })
  const byAsset = groupBy(deposited, ({ asset }) => asset)
  const sweeps = [...byAsset].flatMap(([asset, some]) => {
    const method = required(parts.methods.byAsset(asset), 'the method of a deposit')
    return pickAllDue(some, contextOf(method)).map((due) => ({ method, due }))
  })
  const { canDelegate } = chain.sender
  return { fees, dataCosts, hotWallets, height, finalHeight, canDelegate, deposited, sweeps, contextOf }
}

interface SweepPlanContext {
  readonly deposited: readonly Deposited[]
  readonly fees: FeeLevel
  readonly dataCosts: SweepFees
  readonly present: Present
  readonly hotWallets: readonly string[]
  readonly height: number
  readonly signal: AbortSignal
}

async function openContexts(
  parts: PreviewParts,
  on: Queryable,
  network: string,
  context: SweepPlanContext,
): Promise<(method: PaymentMethod) => DueContext> {
  const { methods, policy } = parts
  const { fees, dataCosts, present, deposited } = context
  const coin = required(methods.byTransferred(network, undefined), 'the coin of a network')
  const assets = [...new Set(deposited.map(({ asset }) => asset))].flatMap(
    (asset) => methods.byAsset(asset) ?? [],
  )
  const prices = await recentPrices(on, [...new Set([coin, ...assets].map(({ symbol }) => symbol))])
  const needed = await findNeeded(parts, on, network, { ...context, assets })
  const levelMinor = comparedLevel(network, fees)
  const past = await noteFeeLevel(on, network, levelMinor, feeHoursKept)
  const minimumOf = await openMinimums(on, deposited)
  const priced = ({ symbol, decimals }: PaymentMethod) => ({ priceUsd: prices.get(symbol), decimals })
  return (method) => ({
    policy,
    now: present.now,
    orderedAt: present.orderedAt,
    gas: gasOf(parts.chainOf(network).sender.canDelegate, method),
    dataCost: dataCostOf(parts.chainOf(network).sender.canDelegate, method, dataCosts),
    gasPriceMinor: fees.baseFeePerGas + fees.maxPriorityFeePerGas,
    isCheap: isCheap(levelMinor, past),
    isNeeded: needed.has(method.asset),
    worthOf: (amountMinor) =>
      method.id === coin.id ? amountMinor : worthInCoin(amountMinor, priced(method), priced(coin)),
    minimumOf: (merchantId) => (merchantId === undefined ? 0n : minimumOf(merchantId, method)),
  })
}

/**
 * Returns the part of the price of gas that is compared with earlier hours. It is the base fee, or the whole price on
 * a network without base fees, which the column `fee_level.base_fee_minor` then contains. One node may state a false
 * level. A sweep is then made at the wrong time, within the maximum price.
 */
function comparedLevel(network: string, { baseFeePerGas, maxPriorityFeePerGas }: FeeLevel): bigint {
  return evmRowOf(network).feeModel === 'legacy' ? maxPriorityFeePerGas : baseFeePerGas
}

function gasOf(canDelegate: boolean, { contract }: PaymentMethod): SweepGas {
  if (canDelegate) return delegatedGas
  return contract === undefined ? transferGas : toppedUpGas
}

function dataCostOf(canDelegate: boolean, { contract }: PaymentMethod, costs: SweepFees): AddressedFee {
  if (canDelegate) return costs.batch
  const { coinTransferMinor, tokenTransferMinor } = costs
  const toppedUpMinor = coinTransferMinor + tokenTransferMinor
  return { baseMinor: 0n, addressMinor: contract === undefined ? coinTransferMinor : toppedUpMinor }
}

/**
 * Returns the assets of which withdrawals need more than the hot wallets hold. A payment that is already sent
 * counts as needed until its block is booked, because it is better to sweep too much than too little.
 */
async function findNeeded(
  { chainOf }: PreviewParts,
  on: Queryable,
  network: string,
  {
    assets,
    fees,
    dataCosts,
    hotWallets,
    height,
    signal,
  }: SweepPlanContext & { readonly assets: readonly PaymentMethod[] },
): Promise<ReadonlySet<string>> {
  const waiting = await readWaiting(on, network)
  const needed = new Set<string>()
  for (const { asset, contract } of assets) {
    const some = waiting.get(asset)
    if (some === undefined) continue
    const gasMinor =
      contract === undefined ? sendingCostMinor(network, fees, dataCosts, hotWallets.length, some.orders) : 0n
    const wantedMinor = some.netMinor + gasMinor
    const transferred: TransferAsset = contract === undefined ? { type: 'coin' } : { type: 'token', contract }
    const held = await chainOf(network).reader.readBalances(transferred, hotWallets, height, signal)
    if (sum(held) < wantedMinor) needed.add(asset)
  }
  return needed
}

/**
 * Returns the amount of coin that the hot wallets must hold for network fees, in addition to the amounts that
 * they send. Each hot wallet needs the highest cost of a withdrawal. Only a wallet that holds that much may
 * send a withdrawal or give coin to another wallet. The cost of a plain transfer is added for each order,
 * because it stays reserved once the order is planned.
 */
function sendingCostMinor(
  network: string,
  fees: FeeLevel,
  { coinTransferMinor }: SweepFees,
  hotWalletCount: number,
  orders: number,
): bigint {
  const { priceBounds, feeModel } = evmRowOf(network)
  const price = priceFor(fees, priceBounds, feeModel)
  if (price === undefined) return 0n
  const highest = gasMax({ intent: { kind: 'withdrawal', payments: [] } }, { feeModel })
  const gasLimit = highest * BigInt(hotWalletCount) + transferGas.addressGas * BigInt(orders)
  const dataFeeMinor = dataFeeMaxMinor(coinTransferMinor) * BigInt(hotWalletCount + orders)
  return maxCostMinor({ ...price, gasLimit, dataFeeMinor })
}

/** Returns the row of an EVM network. Only EVM networks have sweeps. */
export function evmRowOf(network: string): EvmNetwork {
  const row = networkOf(network)
  assert(row?.family === 'evm', `${network} is an EVM network`)
  return row
}

/**
 * Reads the `minCollect` limits of all merchants at once. A merchant's limit is the smallest sum of its
 * deposits that is swept. Returns a function that looks up the limit of one merchant.
 */
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
