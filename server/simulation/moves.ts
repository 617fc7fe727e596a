/**
 * The moves: everything that happens to a simulated installation from outside, such as requests, payments,
 * blocks, faults and the passing of time.
 */
import type { Conduct } from '../src/chains/fake/fake-chain.ts'
import { accessPlays, accessWeights } from './access/access-moves.ts'
import { approvalPlays, approvalWeights } from './approval-moves.ts'
import { attackedWeights, attackPlays, placeAttacks } from './attacker/attack-moves.ts'
import { coinPlays, coinWeights } from './coin-moves.ts'
import { debtPlays, debtWeights } from './debts/debt-moves.ts'
import { Dice } from './dice.ts'
import { eventPlays, eventWeights } from './event-moves.ts'
import { drawFeatures, type Features } from './features.ts'
import { invoicePlays } from './invoice-moves.ts'
import { resumePlays, resumeWeights } from './liveness/resume.ts'
import type { ModelAsset } from './model/asset.ts'
import type { ModelOrder } from './model/order.ts'
import { nodePlays } from './node-moves.ts'
import { paymentPlays, paymentWeightsOf } from './payments/payment-moves.ts'
import { fateOf, merchantOf, type Play } from './play.ts'
import { pricePlays, priceWeights } from './prices/price-moves.ts'
import { sendCreation } from './requests/answer-under-key.ts'
import { invoiceCreation, orderCreation } from './requests/creations.ts'
import { repeatPlays, repeatWeights } from './requests/repeat-moves.ts'
import { storyPlays } from './stories/story-moves.ts'
import { treasuryPlays, treasuryWeights } from './treasury/treasury-moves.ts'
import { callCancel } from './world/call-api.ts'
import { EvmSide } from './world/evm-side.ts'
import { transferred } from './world/fixed.ts'
import { type HostPart, type Installation, partSubsets, restoredHost } from './world/installation.ts'
import { addressesOn, assetOf, chooseAmount, evmSideOf, newRecipient, pay } from './world/payers.ts'
import { wrongNetworkPlays, wrongNetworkWeights } from './wrong-network/wrong-network-moves.ts'

/** A planned move. The seed of the move determines all choices that are made during the move. */
export interface Move {
  readonly kind: MoveKind
  readonly seed: number
  /** Number of steps of the processes that the scheduler runs before the move. */
  readonly steps: number
}

type Conducted = 'plain' | 'needs 2,000,000 gas' | 'needs 60,000 gas' | 'moves nothing'

const conducts: Readonly<Record<Conducted, Conduct>> = {
  plain: {},
  'needs 2,000,000 gas': { gas: 2_000_000n },
  'needs 60,000 gas': { gas: 60_000n },
  'moves nothing': { movesNothing: true },
}

function conductTo(world: Installation, { network }: ModelAsset, address: string, conduct: Conducted): void {
  evmSideOf(world, network).chain.conducts.set(address, conducts[conduct])
  if (conduct !== 'plain') world.model.unusual.add(address)
}

const plays = {
  ...nodePlays,
  ...eventPlays,
  ...invoicePlays,
  ...coinPlays,
  ...treasuryPlays,
  ...pricePlays,
  ...repeatPlays,
  ...approvalPlays,
  ...accessPlays,
  ...resumePlays,
  ...debtPlays,
  ...paymentPlays,
  ...wrongNetworkPlays,
  ...attackPlays,
  ...storyPlays,
  'create an invoice': async (world, dice) => {
    const merchantId = dice.pick(world.model.merchants)
    const asset = dice.pick(world.assets)
    const called = await sendCreation(
      world,
      'create an invoice',
      invoiceCreation(world, { merchantId, asset, amountUsd: String(dice.between(2, 400)) }),
    )
    return `${merchantOf(world, merchantId)} creates an invoice in ${asset.name}${fateOf(called)}`
  },
  'pay an invoice': async (world, dice) => {
    const { shown } = world.model
    if (shown.length === 0) return 'nobody has anything to pay'
    const target = dice.pick(shown)
    const asked = assetOf(world, target.methodId)
    const onSame = world.assets.filter(({ network }) => network === asked.network)
    const asset = dice.chance(0.9) ? asked : dice.pick(onSame)
    const grossMinor = chooseAmount(dice, target.amountMinor)
    if (asset.family === 'utxo') {
      pay(world, asset, target.address, grossMinor)
      return `a payer sends ${grossMinor} ${asset.name} to ${target.address.slice(0, 12)}`
    }
    const amountMinor = asset.methodId === target.methodId ? grossMinor : 5n * 10n ** BigInt(asset.decimals)
    const isFailed = dice.chance(0.1)
    const internal = asset.contract === null && dice.chance(0.2)
    const move = { asset: transferred(asset.contract), recipient: target.address, amountMinor, internal }
    evmSideOf(world, asset.network).pay(move, { failed: isFailed })
    const what = `${amountMinor} ${asset.name} to ${target.address.slice(0, 10)}`
    return isFailed ? `a payer sends ${what} in a transaction that fails` : `a payer sends ${what}`
  },
  'pay from a listed sender too': async (world, dice) => {
    const { shown } = world.model
    if (shown.length === 0) return 'nobody has anything to pay'
    const { address, amountMinor, methodId } = dice.pick(shown)
    const { contract, name, network } = assetOf(world, methodId)
    const side = evmSideOf(world, network)
    const payment = { asset: transferred(contract), recipient: address }
    const cleanMinor = amountMinor * BigInt(dice.pick([1, 3, 10]))
    world.model.listed.add(side.pay({ ...payment, amountMinor: amountMinor / 100n + 1n }))
    side.pay({ ...payment, amountMinor: cleanMinor })
    return `a payer sends ${cleanMinor} ${name} to ${address.slice(0, 10)}, and a listed sender a little`
  },
  'order a withdrawal': async (world, dice) => {
    const { merchantId, asset, amountMinor } = chooseOrder(world, dice)
    const isOnUtxo = asset.family === 'utxo'
    const address = newRecipient(world, asset, dice)
    const conduct = dice.weighted({
      plain: world.features.hasHostileRecipients ? 4 : 60,
      'needs 2,000,000 gas': 1,
      'needs 60,000 gas': 1,
      'moves nothing': 1,
    })
    if (!isOnUtxo) conductTo(world, asset, address, conduct)
    const called = await sendCreation(
      world,
      'order a withdrawal',
      orderCreation(world, { merchantId, asset, amountMinor, address }),
    )
    const to = isOnUtxo || conduct === 'plain' ? '' : ` to a recipient that ${conduct}`
    return `${merchantOf(world, merchantId)} orders ${amountMinor} ${asset.name}${to}${fateOf(called)}`
  },
  'change a recipient': async (world, dice) => {
    const orders = world.model.orders.filter(({ asset }) => asset.family === 'evm')
    if (orders.length === 0) return 'nobody is paid yet'
    const { address, asset } = dice.pick(orders)
    const conduct = dice.pick(['plain', 'needs 2,000,000 gas', 'moves nothing'] as const)
    conductTo(world, asset, address, conduct)
    return `the recipient ${address.slice(0, 10)} changes: ${conduct}`
  },
  'take a snapshot': async (world) => {
    await world.takeSnapshot()
    return 'the host is stopped, copied and started again'
  },
  'restore a snapshot': async (world, dice) => {
    // Only processes with a heartbeat notice that another server took over.
    const isPromoted = world.events !== undefined && dice.chance(0.4)
    const parts = isPromoted ? databaseAlone : dice.chance(0.4) ? restoredHost : dice.pick(partSubsets)
    const isDone = await world.restoreSnapshot(parts, isPromoted)
    if (!isDone) return 'there is no snapshot to restore'
    if (isPromoted) return 'a standby of the database that lagged behind is promoted'
    return `${parts.join(' and ')} of the host are restored`
  },
  'cancel a withdrawal': async (world, dice) => {
    if (world.model.orders.length === 0) return 'nobody has anything to cancel'
    const order = dice.pick(world.model.orders)
    const called = await callCancel(world, order)
    return `${merchantOf(world, order.merchantId)} cancels ${describe(order)}${fateOf(called)}`
  },
  'mine a block': async (world, dice) => {
    const side = dice.pick(world.sides)
    const share = dice.chance(0.7) ? 1 : 0.4
    const blocks = side instanceof EvmSide ? dice.between(1, side.pace.blocksMax) : 1
    for (let block = 0; block < blocks; block += 1) side.mine(dice, world.now, share)
    return `block ${side.chain.head.height} of ${side.name} is mined`
  },
  reorganise: async (world, dice) => {
    const side = dice.pick(world.sides)
    const deepest = side instanceof EvmSide ? side.pace.finalDepth : 2
    const depth = await side.reorganise(dice, dice.between(1, deepest), 0.3, world.now)
    return `${side.name} reorganises ${depth} blocks deep`
  },
  'let time pass': async (world, dice) => {
    const ms = Number(dice.weighted({ '300': 6, '4000': 6, '15000': 4, '100000': 1, '7200000': 0.3 }))
    await world.pass(ms)
    return `${ms / 1000} s pass`
  },
  'restart a process': async (world, dice) => {
    const name = dice.pick(world.processNames)
    await world.restartProcess(name)
    return `${name} is killed and starts again`
  },
  'pause a process': async (world, dice) => {
    const name = dice.pick(world.processNames)
    world.pause(name, dice.between(1, 6))
    return `${name} is paused`
  },
  'restart the signer': async (world, dice) => {
    const isCrash = dice.chance(0.4)
    await (isCrash ? world.signer.crash(dice) : world.signer.kill())
    await world.signer.start()
    return isCrash
      ? 'the host of the signer loses power and starts again'
      : 'the signer is killed and starts again'
  },
  'set a clock': async (world, dice) => {
    const host = dice.pick([...world.processNames, 'signer'])
    const hours = dice.pick([-30, -5, 0, 2, 30])
    world.time.setClock(host, hours * 3_600_000)
    return `the clock of ${host} is ${hours} hours ahead`
  },
  'invent a payment': async (world, dice) => {
    const side = dice.pick(world.evmSides)
    const shown = addressesOn(world, side.name)
    if (shown.length === 0 || !dice.chance(0.5)) {
      side.lies.stop()
      return `the node of ${side.name} says only what is true`
    }
    const target = dice.pick(shown)
    const { contract, name } = assetOf(world, target.methodId)
    const { address: recipient, amountMinor } = target
    side.lies.invent({ asset: transferred(contract), recipient, amountMinor })
    world.model.isDeceived = true
    world.model.invented.add(name)
    return `the node invents a payment of ${amountMinor} ${name} to ${merchantOf(world, target.merchantId)}`
  },
  'change the price of gas': async (world, dice) => {
    const side = dice.pick(world.evmSides)
    const drawn = () => BigInt(dice.weighted({ '10': 2, '100': 4, '400': 2, '1500': 1 }))
    const gasPercent = drawn()
    // The data fee follows the price of gas on another chain.
    const dataPercent = side.pace.dataFeeMinor === 0n ? 100n : drawn()
    side.setPrices({ gasPercent, dataPercent })
    const data = side.pace.dataFeeMinor === 0n ? '' : `, and data ${dataPercent} %`
    return `gas on ${side.name} costs ${gasPercent} % of the usual price${data}`
  },
  'fail the node': async (world, dice) => {
    // If EVM networks have several nodes, this move does not change their faults. Each node then has its own faults,
    // and the move `trouble a node` sets them.
    const sides = world.sides.filter((side) => !(side instanceof EvmSide) || world.nodes.length === 0)
    const side = dice.pick(sides)
    const { faults } = side.chain
    const fault = dice.weighted({ away: 2, lags: 2, 'fails some calls': 2, heals: 3 })
    faults.away = fault === 'away'
    faults.lagBlocks = fault === 'lags' ? dice.between(1, 3) : 0
    faults.failuresLeft = fault === 'fails some calls' ? dice.between(1, 6) : 0
    const state = fault === 'heals' ? 'is well again' : fault === 'away' ? 'is away' : fault
    return `the node of ${side.name} ${state}`
  },
} satisfies Readonly<Record<string, Play>>

export type MoveKind = keyof typeof plays

const databaseAlone: readonly HostPart[] = ['the database']

/** The moves that only seeds with a certain feature plan. */
type AddedMove =
  | keyof typeof eventPlays
  | keyof typeof coinPlays
  | keyof typeof treasuryPlays
  | keyof typeof pricePlays
  | keyof typeof repeatPlays
  | keyof typeof approvalPlays
  | keyof typeof accessPlays
  | keyof typeof resumePlays
  | keyof typeof debtPlays
  | keyof typeof paymentPlays
  | keyof typeof wrongNetworkPlays
  | keyof typeof attackPlays

function weightsOf({
  networks: { evm, utxo },
  hasHostileRecipients,
  hasListedSenders,
  hasWrongClocks,
  nodes,
}: Features): Readonly<Record<Exclude<MoveKind, AddedMove>, number>> {
  const hasOneNode = nodes === 1
  const hasEvm = evm.length > 0
  return {
    'create an invoice': 8,
    'pay an invoice': 14,
    'pay from a listed sender too': hasListedSenders ? 5 : 0,
    'order a withdrawal': 9,
    'cancel a withdrawal': 2,
    'archive an invoice': 0.5,
    'delete an invoice': 1.5,
    'mine a block': 16,
    reorganise: 3,
    'let time pass': 12,
    'restart a process': 4,
    'pause a process': 2,
    'restart the signer': 2,
    'change the price of gas': hasEvm ? 2 : 0,
    'change a recipient': hasEvm ? 1 : 0,
    'set a clock': hasWrongClocks ? 3 : 0,
    'invent a payment': hasOneNode && hasEvm ? 0.4 : 0,
    'fail the node': hasOneNode || utxo !== undefined ? 3 : 0,
    'spend a payment before it is final': utxo === undefined ? 0 : 1,
    'make a payment fail': hasEvm && hasHostileRecipients ? 2 : 0,
    'trouble a node': hasOneNode ? 0 : 5,
    'let a node lie': hasOneNode ? 0 : 3,
    // `placeRestores` plans these four moves, so that a snapshot exists before it is restored.
    'lose an order that was signed': 0,
    'restore the host to before a payment': 0,
    'take a snapshot': 0,
    'restore a snapshot': 0,
  }
}

/**
 * The share of seeds with webhooks in which a snapshot is restored. Such restores are frequent because they
 * affect the numbers of events.
 */
const restoredWithWebhooks = 0.5

/** Plans the moves of a seed. */
export function planMoves(seed: number, count: number): readonly Move[] {
  const dice = new Dice(seed ^ 0x30e5)
  const features = drawFeatures(seed)
  const weights = weightsOf(features)
  const drawn: Partial<Record<MoveKind, number>> = {
    ...weights,
    ...(features.approvalAboveUsd === undefined ? {} : approvalWeights),
    ...(features.hasWebhooks ? eventWeights : {}),
    ...(features.networks.utxo === undefined ? {} : coinWeights),
    ...(features.hasTreasury ? treasuryWeights : {}),
    ...(features.hasPrices ? priceWeights : {}),
    ...(features.hasKeys ? repeatWeights : {}),
    ...(features.hasAccess ? accessWeights : {}),
    ...(features.isRestored ? resumeWeights : {}),
    ...(features.hasDebts ? debtWeights : {}),
    ...paymentWeightsOf(features),
    ...(features.hasWrongNetworks ? wrongNetworkWeights : {}),
    ...(features.attack === undefined ? {} : attackedWeights),
  }
  const drawKind = (): MoveKind => dice.weighted(drawn as Record<MoveKind, number>)
  const moves = Array.from({ length: count }, () => ({
    kind: drawKind(),
    seed: dice.seed(),
    steps: dice.chance(0.15) ? dice.between(20, 120) : dice.between(0, 16),
  }))
  const isRestored = features.isRestored || (features.hasWebhooks && dice.chance(restoredWithWebhooks))
  if (features.attack !== undefined) return placeAttacks(moves, features.attack, dice)
  return isRestored ? placeRestores(moves, features, dice) : moves
}

/**
 * Replaces a few moves. Either one move takes a snapshot and restores it around an order, or a snapshot is taken in the
 * first half of the run and restored once or twice later.
 */
function placeRestores(moves: readonly Move[], { networks: { evm } }: Features, dice: Dice): readonly Move[] {
  const half = Math.floor(moves.length / 2)
  const kind = dice.weighted({
    'restore a snapshot': 6,
    'lose an order that was signed': 4,
    'restore the host to before a payment': evm.length > 0 ? 3 : 0,
  })
  if (kind !== 'restore a snapshot') {
    const at = dice.between(0, moves.length - 1)
    return moves.map((move, index) => (index === at ? { ...move, kind } : move))
  }
  const takenAt = dice.between(0, half)
  const restoredAt = new Set([1, 2].map(() => dice.between(takenAt + 1, moves.length - 1)))
  return moves.map((move, index) => {
    if (index === takenAt) return { ...move, kind: 'take a snapshot' }
    return restoredAt.has(index) ? { ...move, kind: 'restore a snapshot' } : move
  })
}

/** Makes a move and returns one sentence that describes what happened. */
export function play(world: Installation, { kind, seed }: Move): Promise<string> {
  world.endPauses()
  const of: Play = plays[kind]
  return of(world, new Dice(seed))
}

/**
 * Chooses the merchant, the asset and the amount of a withdrawal. The amount is a percentage of an invoice's
 * amount, so the merchant can usually afford it.
 */
function chooseOrder(world: Installation, dice: Dice) {
  const { shown, merchants } = world.model
  const percent = BigInt(dice.pick([5, 20, 40, 90, 99, 300]))
  const target = shown.length === 0 ? undefined : dice.pick(shown)
  const merchantId = target?.merchantId ?? dice.pick(merchants)
  const asset = target === undefined ? dice.pick(world.assets) : assetOf(world, target.methodId)
  const step = 10n ** BigInt(Math.max(0, asset.decimals - 8))
  const askedMinor = target?.amountMinor ?? 10n ** BigInt(asset.decimals)
  const amountMinor = ((askedMinor * percent) / 100n / step) * step
  return { merchantId, asset, amountMinor }
}

function describe({ amountMinor, asset }: ModelOrder): string {
  return `its order of ${amountMinor} ${asset.name}`
}
