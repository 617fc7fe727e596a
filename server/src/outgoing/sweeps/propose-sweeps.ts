/** What collections ask payouts to send: contracts, sweeps of many addresses at once, or coin and single transfers. */
import type { FeeLevel, TransferAsset } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import { groupBy } from '../../core/group-by.ts'
import { newId } from '../../core/ids.ts'
import { max, min } from '../../core/money.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { PaymentMethod } from '../../pricing/payment-methods/payment-method.ts'
import type { DepositPlace, IntentAsset, SweptDeposit } from '../../signing/intent.ts'
import type { Proposal } from '../engine/purpose.ts'
import { type SpendFloor, saveSpendFloors } from '../engine/spend-floor-store.ts'
import { countTopUps, isDeploying } from './deposited-store.ts'
import { spendFloorOf } from './due.ts'
import { type DueSweep, type PreviewParts, previewSweeps, type SweepsPreview } from './preview-sweeps.ts'
import { type Deposited, topUpsPerDay } from './sweep.ts'

/** What is to be sent now; deposits of which nothing is due, or under way already, are not among it. */
export async function proposeSweeps(
  parts: PreviewParts,
  on: Queryable,
  network: string,
  rows: number,
  signal: AbortSignal,
): Promise<readonly Proposal[]> {
  const preview = await previewSweeps(parts, on, network, { signal })
  if (preview === undefined) return []
  await saveSpendFloors(on, network, floorsOf(parts, preview))
  if (preview.sweeps.length === 0) return []
  const { sender } = parts.chainOf(network)
  const context = { parts, on, network, preview, signal }
  const proposals = sender.canDelegate ? await proposeGathering(context) : await proposeForwarding(context)
  return proposals.slice(0, rows)
}

/** Of each asset that lies on addresses, from which amount on it would be brought in now. */
function floorsOf({ methods }: PreviewParts, preview: SweepsPreview): readonly SpendFloor[] {
  const { deposited, fees, canDelegate, contextOf } = preview
  return [...groupBy(deposited, ({ asset }) => asset)].map(([asset, some]) => {
    const method = required(methods.byAsset(asset), 'the method of a deposit')
    const floorMinor = spendFloorOf(some, contextOf(method))
    const paysItself = method.contract === undefined && !canDelegate
    const ownCostMinor = paysItself ? forwardCostMinor(fees, coinForwardGas) + 1n : 0n
    return { asset, floorMinor: max(floorMinor, ownCostMinor) }
  })
}

interface ProposeContext {
  readonly parts: PreviewParts
  readonly on: Queryable
  readonly network: string
  readonly preview: SweepsPreview
  readonly signal: AbortSignal
}

/** One transaction for each asset. Before the first of all, the contract has to be there for good. */
async function proposeGathering(context: ProposeContext): Promise<readonly Proposal[]> {
  const { parts, on, network, preview, signal } = context
  const { sender, codec } = parts.chainOf(network)
  const delegate = codec.delegateOf(preview.lanes)
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

/** Which of some addresses have still to be delegated, and at which of their nonces. */
async function readDelegations(
  { parts, network, signal }: ProposeContext,
  delegate: string,
  deposited: readonly Deposited[],
): Promise<readonly SweptDeposit[]> {
  const { sender } = parts.chainOf(network)
  const addresses = deposited.map(({ address }) => address)
  const delegates = await sender.readDelegates(addresses, signal)
  const missing = addresses.filter((_, place) => delegates[place] !== delegate)
  const nonces = missing.length === 0 ? [] : await sender.readNonces(missing, undefined, signal)
  const nonceOf = new Map(missing.map((address, place) => [address, nonces[place] ?? 0]))
  return deposited.map((one) => ({ ...placeOf(one), delegationNonce: nonceOf.get(one.address) ?? null }))
}

/** Gas that payouts want to be paid for, and how much dearer it may have become until it is sent. */
const tokenForwardGas = 150_000n
const coinForwardGas = 30_000n
const headroom = 2n

/** What an address must hold to send by itself. */
function forwardCostMinor({ baseFeeMinor, tipMinor }: FeeLevel, gas: bigint): bigint {
  return gas * (2n * baseFeeMinor + max(tipMinor, tipMinorMin)) * headroom
}

/** Payouts offer no smaller tip. */
const tipMinorMin = 10n ** 7n

/** Where addresses cannot be delegated each sends by itself, tokens with coin that it is given for that. */
async function proposeForwarding(context: ProposeContext): Promise<readonly Proposal[]> {
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

/** Coin pays for its own transfer. What is booked is sent: what came since is sent later. */
async function proposeCoin(
  context: ProposeContext,
  { method }: DueSweep,
  deposited: readonly Deposited[],
): Promise<readonly Proposal[]> {
  const costMinor = forwardCostMinor(context.preview.fees, coinForwardGas)
  const balances = await readBalances(context, { type: 'coin' }, deposited)
  return deposited.flatMap((one, place) => {
    const amountMinor = min(one.amountMinor, balances[place] ?? 0n) - costMinor
    return amountMinor <= 0n ? [] : [forward(context, method, one, amountMinor)]
  })
}

async function proposeTokens(
  context: ProposeContext,
  { method }: DueSweep,
  deposited: readonly Deposited[],
): Promise<readonly Proposal[]> {
  const costMinor = forwardCostMinor(context.preview.fees, tokenForwardGas)
  const contract = method.contract ?? ''
  const coins = await readBalances(context, { type: 'coin' }, deposited)
  const tokens = await readBalances(context, { type: 'token', contract }, deposited)
  const topUps = await countTopUps(
    context.on,
    deposited.map(({ addressId }) => addressId),
  )
  return deposited.flatMap((one, place): Proposal[] => {
    const coinMinor = coins[place] ?? 0n
    const amountMinor = min(one.amountMinor, tokens[place] ?? 0n)
    if (amountMinor === 0n) return []
    if (coinMinor >= costMinor) return [forward(context, method, one, amountMinor)]
    const isSpent = (topUps.get(one.addressId) ?? 0) >= topUpsPerDay
    return isSpent ? [] : [topUp(context, one, costMinor - coinMinor)]
  })
}

function forward(
  { network, preview }: ProposeContext,
  method: PaymentMethod,
  deposited: Deposited,
  amountMinor: bigint,
): Proposal {
  const { asset, contract } = assetOf(method)
  const moved = { asset, contract, amountMinor }
  // Spread over the lanes, as long as there are any.
  const lane = deposited.index % preview.lanes.length
  const intent = { kind: 'forward' as const, lane, ...moved }
  return { id: newId(), network, from: placeOf(deposited), intent, spends: moved }
}

function topUp({ parts, network }: ProposeContext, deposited: Deposited, amountMinor: bigint): Proposal {
  const coin = parts.methods.byTransferred(network, undefined)
  const spends = { asset: coin?.asset ?? '', contract: null, amountMinor }
  return {
    id: newId(),
    network,
    intent: { kind: 'top_up', deposit: placeOf(deposited), amountMinor },
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

function placeOf({ branch, index }: Deposited): DepositPlace {
  return { type: 'deposit', branch, index }
}

function assetOf({ asset, contract }: PaymentMethod): IntentAsset {
  return { asset, contract: contract ?? null }
}
