/**
 * Proposes the outgoing transactions of sweeps. On chains with delegation (EIP-7702), these are the
 * deployment of the delegate contract and then sweeps of many addresses each. On other chains, these are
 * top-ups of single addresses, and transfers from single addresses.
 */
import { hasUntracedAbove } from '../../chains/blocks/store.ts'
import type { TransferAsset } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import { groupBy } from '../../core/group-by.ts'
import { newId } from '../../core/ids.ts'
import type { Log } from '../../core/log.ts'
import { max, min } from '../../core/money.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { finalHeightOf, type PaymentMethod } from '../../pricing/payment-methods/payment-method.ts'
import type { DepositKeyPath, IntentAsset, SweptDeposit } from '../../signing/intent.ts'
import type { Proposal } from '../engine/outgoing-source.ts'
import { type SpendFloor, saveSpendFloors } from '../engine/spend-floor-store.ts'
import { dataFeeMaxMinor } from '../evm/op-stack-fees.ts'
import { gasMax, priceFor } from '../evm/price-gas.ts'
import { takeChecked } from './coin-check-store.ts'
import { countTopUps, isDeploying } from './deposited-store.ts'
import { spendFloorOf } from './due.ts'
import {
  type DueSweep,
  evmRowOf,
  type PreviewParts,
  previewSweeps,
  type SweepsPreview,
} from './preview-sweeps.ts'
import { type Deposited, topUpsPerDay } from './sweep.ts'

export interface ProposeParts extends PreviewParts {
  readonly log: Pick<Log, 'warn'>
}

/**
 * Returns proposals for the sweeps that are to be sent now. Deposits that are not to be swept yet, or that an
 * open sweep already takes, are left out.
 */
export async function proposeSweeps(
  parts: ProposeParts,
  on: Queryable,
  network: string,
  rows: number,
  signal: AbortSignal,
): Promise<readonly Proposal[]> {
  const preview = await previewSweeps(parts, on, network, { signal })
  if (preview === undefined) return []
  await saveSpendFloors(on, network, floorsOf(parts, network, preview))
  if (preview.sweeps.length === 0) return []
  const { sender } = parts.chainOf(network)
  const sweeps = await withoutUnchecked(parts, on, network, preview)
  const context = { parts, on, network, preview: { ...preview, sweeps }, signal }
  const proposals = sender.canDelegate
    ? await proposeBatchSweeps(context)
    : await proposeDirectSweeps(context)
  return proposals.slice(0, rows)
}

/**
 * Leaves out the addresses whose coin must first be compared with the books. A sweep takes the whole balance, so
 * what contracts sent should be booked before. Only on networks with blocks that were read without call traces,
 * and not where tokens alone are accepted.
 */
async function withoutUnchecked(
  { methods, chainOf, log }: ProposeParts,
  on: Queryable,
  network: string,
  { sweeps, height, finalHeight }: SweepsPreview,
): Promise<readonly DueSweep[]> {
  if (chainOf(network).reader.tokens !== undefined || !(await hasUntracedAbove(on, network, -1)))
    return sweeps
  const isCoin = ({ method }: DueSweep) => method.contract === undefined
  const ids = sweeps.filter(isCoin).flatMap(({ due }) => due.map(({ deposited: { addressId } }) => addressId))
  const final = finalHeightOf(methods, network, { height, finalHeight })
  const checked = await takeChecked(on, network, ids, final)
  if (checked.overdueIds.length > 0)
    log.warn(
      { network, height: final, addresses: checked.overdueIds.length },
      'coin is swept although it could not be compared with the books for an hour: use nodes that keep the state of the final block, or nodes with call traces',
    )
  return sweeps.map((sweep) =>
    isCoin(sweep)
      ? { ...sweep, due: sweep.due.filter(({ deposited }) => checked.ids.has(deposited.addressId)) }
      : sweep,
  )
}

/**
 * Returns, for each asset on deposit addresses, the smallest amount that would be swept now for a waiting
 * withdrawal.
 */
function floorsOf({ methods }: PreviewParts, network: string, preview: SweepsPreview): readonly SpendFloor[] {
  const { deposited, canDelegate, contextOf } = preview
  return [...groupBy(deposited, ({ asset }) => asset)].map(([asset, some]) => {
    const method = required(methods.byAsset(asset), 'the method of a deposit')
    const floorMinor = spendFloorOf(some, contextOf(method))
    const paysItself = method.contract === undefined && !canDelegate
    // Nothing is sent above the maximum price, so the cost at that price counts while the price is higher.
    const { maxFeePerGasMax } = evmRowOf(network).priceBounds
    const costMinor =
      directSweepCostMinor(network, preview, 'coin') ??
      directSweepCostAt(maxFeePerGasMax, network, preview, 'coin')
    return { asset, floorMinor: paysItself ? max(floorMinor, costMinor + 1n) : floorMinor }
  })
}

interface ProposeContext {
  readonly parts: PreviewParts
  readonly on: Queryable
  readonly network: string
  readonly preview: SweepsPreview
  readonly signal: AbortSignal
}

/**
 * Returns proposals for sweeps of many addresses, each sweep of one asset. Before the first sweep, the
 * delegate contract must be deployed, and the transaction that deploys it must be final.
 */
async function proposeBatchSweeps(context: ProposeContext): Promise<readonly Proposal[]> {
  const { parts, on, network, preview, signal } = context
  const { sender, codec } = parts.chainOf(network)
  const delegate = codec.delegateOf(preview.hotWallets)
  if (await isDeploying(on, network)) return []
  if (!(await sender.hasCode(delegate, signal))) {
    return [{ id: newId(), network, intent: { kind: 'deploy' }, spends: undefined }]
  }
  const proposals: Proposal[] = []
  const claimed = new Set<number>()
  for (const sweep of preview.sweeps) {
    const some = sweep.due
      .map(({ deposited }) => deposited)
      .filter(({ addressId }) => !claimed.has(addressId))
    for (const { addressId } of some) claimed.add(addressId)
    if (some.length === 0) continue
    const deposits = await readDelegations(context, delegate, some)
    const intent = { kind: 'sweep' as const, deposits, assets: [assetOf(sweep.method)] }
    proposals.push({ id: newId(), network, intent, spends: undefined, mayBeSplit: true })
  }
  return proposals
}

/**
 * Returns the key paths of the addresses. Addresses that are not yet delegated get their current nonce as
 * `delegationNonce`; the others get null.
 */
async function readDelegations(
  { parts, network, signal }: ProposeContext,
  delegate: string,
  deposited: readonly Deposited[],
): Promise<readonly SweptDeposit[]> {
  const { sender } = parts.chainOf(network)
  const addresses = deposited.map(({ address }) => address)
  const delegates = await sender.readDelegates(addresses, signal)
  const missing = addresses.filter((_, index) => delegates[index] !== delegate)
  const nonces = missing.length === 0 ? [] : await sender.readNonces(missing, undefined, signal)
  const nonceOf = new Map(missing.map((address, index) => [address, nonces[index] ?? 0]))
  return deposited.map((one) => ({ ...keyPathOf(one), delegationNonce: nonceOf.get(one.address) ?? null }))
}

/** The factor by which the price of gas and the data fee may rise before an address sends by itself. */
const headroom = 2n

type SweepPrices = Pick<SweepsPreview, 'fees' | 'dataCosts'>

/**
 * Returns the amount of coin that an address gets or keeps to send a token or its coin by itself, with the headroom.
 * An address that sends all its coin has nothing else to pay with, so the amount contains a reserve for the data fee.
 * Undefined if the price of gas is above the maximum of the network, because nothing is sent then.
 */
export function directSweepCostMinor(
  network: string,
  prices: SweepPrices,
  type: TransferAsset['type'],
): bigint | undefined {
  const { priceBounds, feeModel } = evmRowOf(network)
  const price = priceFor(prices.fees, priceBounds, feeModel)
  return price && directSweepCostAt(price.maxFeePerGas, network, prices, type)
}

/** @param maxFeePerGas the price of each unit of gas, in the coin's smallest unit */
function directSweepCostAt(
  maxFeePerGas: bigint,
  network: string,
  { dataCosts }: SweepPrices,
  type: TransferAsset['type'],
): bigint {
  const contract = type === 'coin' ? null : 'any token'
  const intent = { kind: 'direct_sweep', hotWallet: 0, asset: '', contract, amountMinor: 0n } as const
  const gasMinor = gasMax({ intent }, evmRowOf(network)) * maxFeePerGas
  const dataMinor = type === 'coin' ? dataCosts.coinTransferMinor : dataCosts.tokenTransferMinor
  return (gasMinor + dataFeeMaxMinor(dataMinor)) * headroom
}

/**
 * Returns the amount of coin that an address needs before it can send a token; 0 if it can send now. The headroom is
 * part of what it gets, and not of what it must hold. Otherwise a small rise of the price would need another top-up.
 * @param costMinor is `directSweepCostMinor`
 */
export function missingCoinMinor(coinMinor: bigint, costMinor: bigint): bigint {
  return coinMinor * headroom >= costMinor ? 0n : costMinor - coinMinor
}

/**
 * Returns proposals for transfers from single addresses, for networks without delegation. An address that
 * sends tokens gets coin for the gas first.
 */
async function proposeDirectSweeps(context: ProposeContext): Promise<readonly Proposal[]> {
  const proposals: Proposal[] = []
  const claimed = new Set<number>()
  for (const sweep of context.preview.sweeps) {
    const some = sweep.due
      .map(({ deposited }) => deposited)
      .filter(({ addressId }) => !claimed.has(addressId))
    for (const { addressId } of some) claimed.add(addressId)
    const found = await (sweep.method.contract === undefined
      ? proposeCoin(context, sweep, some)
      : proposeTokens(context, sweep, some))
    proposals.push(...found)
  }
  return proposals
}

/**
 * Returns proposals for transfers of the coin from deposit addresses. The fee is taken from the transferred
 * money. Only booked money is sent. Money that is not booked yet is sent later.
 */
async function proposeCoin(
  context: ProposeContext,
  { method }: DueSweep,
  deposited: readonly Deposited[],
): Promise<readonly Proposal[]> {
  const costMinor = directSweepCostMinor(context.network, context.preview, 'coin')
  if (costMinor === undefined) return []
  const balances = await readBalances(context, { type: 'coin' }, deposited)
  return deposited.flatMap((one, index) => {
    const amountMinor = min(one.amountMinor, balances[index] ?? 0n) - costMinor
    return amountMinor <= 0n ? [] : [directSweep(context, method, one, amountMinor)]
  })
}

async function proposeTokens(
  context: ProposeContext,
  { method }: DueSweep,
  deposited: readonly Deposited[],
): Promise<readonly Proposal[]> {
  const costMinor = directSweepCostMinor(context.network, context.preview, 'token')
  if (costMinor === undefined) return []
  const contract = method.contract ?? ''
  const coins = await readBalances(context, { type: 'coin' }, deposited)
  const tokens = await readBalances(context, { type: 'token', contract }, deposited)
  const topUps = await countTopUps(
    context.on,
    context.network,
    deposited.map(({ addressId }) => addressId),
  )
  return deposited.flatMap((one, index): Proposal[] => {
    const coinMinor = coins[index] ?? 0n
    const amountMinor = min(one.amountMinor, tokens[index] ?? 0n)
    if (amountMinor === 0n) return []
    const missingMinor = missingCoinMinor(coinMinor, costMinor)
    if (missingMinor === 0n) return [directSweep(context, method, one, amountMinor)]
    const isSpent = (topUps.get(one.addressId) ?? 0) >= topUpsPerDay
    return isSpent ? [] : [topUp(context, one, missingMinor)]
  })
}

function directSweep(
  { network, preview }: ProposeContext,
  method: PaymentMethod,
  deposited: Deposited,
  amountMinor: bigint,
): Proposal {
  const { asset, contract } = assetOf(method)
  const moved = { asset, contract, amountMinor }
  // The address index decides which hot wallet receives the sweep, so that sweeps are spread over all hot
  // wallets.
  const hotWallet = deposited.index % preview.hotWallets.length
  const intent = { kind: 'direct_sweep' as const, hotWallet, ...moved }
  return { id: newId(), network, from: keyPathOf(deposited), intent, spends: moved }
}

function topUp({ parts, network }: ProposeContext, deposited: Deposited, amountMinor: bigint): Proposal {
  const coin = parts.methods.byTransferred(network, undefined)
  const spends = { asset: coin?.asset ?? '', contract: null, amountMinor }
  return {
    id: newId(),
    network,
    intent: { kind: 'top_up', deposit: keyPathOf(deposited), amountMinor },
    spends,
  }
}

function readBalances(
  { parts, network, preview, signal }: ProposeContext,
  asset: TransferAsset,
  deposited: readonly Deposited[],
): Promise<readonly bigint[]> {
  const addresses = deposited.map(({ address }) => address)
  return parts.chainOf(network).reader.readBalances(asset, addresses, preview.height, signal)
}

function keyPathOf({ branch, index }: Deposited): DepositKeyPath {
  return { type: 'deposit', branch, index }
}

function assetOf({ asset, contract }: PaymentMethod): IntentAsset {
  return { asset, contract: contract ?? null }
}
