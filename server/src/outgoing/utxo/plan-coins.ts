import { readCursor } from '../../chains/blocks/store.ts'
import { required } from '../../core/assert.ts'
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import { max, sum } from '../../core/money.ts'
import { linesAt } from '../engine/controls/lines.ts'
import { readFreeCapital } from '../engine/controls/read-capital.ts'
import { coinOf } from '../engine/machine.ts'
import type { MachineMemory } from '../engine/machine-memory.ts'
import type { Placing, Wait } from '../engine/placing.ts'
import type { Proposal } from '../engine/purpose.ts'
import { saveSpendFloors } from '../engine/spend-floor-store.ts'
import type { NewPayout } from '../engine/store.ts'
import { type ChangePlaces, openChangePlaces } from './change-places.ts'
import {
  type CoinChoice,
  type CoinChoices,
  type CoinGround,
  chooseCoins,
  gatherCoins,
  paysOff,
  without,
  worthwhile,
} from './choose-coins.ts'
import { type CoinParts, trustedAt } from './coin-parts.ts'
import { readSpendable } from './coin-store.ts'
import { planLifts } from './plan-lifts.ts'
import { planReclaims } from './plan-reclaims.ts'
import { feeOf } from './select-coins.ts'
import { noChange, nonceOf } from './shape.ts'
import { shownCoins } from './shown-coins.ts'
import { hasOpenConsolidation } from './stuck-store.ts'

/** Blocks within which a payout should be mined. */
export const wantedBlocks = 3

/**
 * Gives proposals the coins that pay them, a place for what comes back and a price; nothing is stored.
 * @throws NodeError
 */
export async function planCoins(
  parts: CoinParts,
  memory: MachineMemory,
  proposals: readonly Proposal[],
  signal: AbortSignal,
): Promise<Placing> {
  const { chain } = parts.network
  const feeRate = wholeRate((await parts.sender.readFeeRate(wantedBlocks, signal)).rateMinor)
  if (feeRate > chain.feeRateMax) return { planned: [], refused: [], waits: [dear(feeRate)] }
  const places = await openChangePlaces(parts, memory)
  const ground = await readGround(parts, memory, places.weight, feeRate)
  const lifts = await planLifts(parts, proposals.filter(isLift), { ground, places })
  const rest = { ...ground, capitalMinor: ground.capitalMinor - lifts.costMinor }
  const { chosen, refused, waits, needsFewer, lines } = choosePayments(rest, proposals)
  memory.lines = lines
  const asked = proposals.find(({ intent }) => intent.kind === 'consolidate')
  const isUnderWay =
    asked === undefined && needsFewer && (await hasOpenConsolidation(parts.db, parts.network.name))
  const reclaimed = await planReclaims(parts, chosen.reduce(without, rest), proposals)
  const left = [...chosen, ...reclaimed].reduce(without, rest)
  const gathered = isUnderWay ? [] : gather(parts.network.name, left, { asked, needsFewer })
  const respent = await respendSetAside(parts, gathered.reduce(without, left))
  const choices = [...chosen, ...reclaimed, ...gathered, ...respent]
  return {
    planned: [...lifts.planned, ...choices.map((choice) => toPayout(parts, choice, places))],
    refused,
    waits: [...lifts.waits, ...waits],
  }
}

/** Nobody waits for what the operator takes out: it goes once all that is owed to others has its coins. */
function choosePayments(ground: CoinGround, proposals: readonly Proposal[]): CoinChoices {
  const ofKind = (kind: Proposal['intent']['kind']) => proposals.filter(({ intent }) => intent.kind === kind)
  const first = chooseCoins(ground, ofKind('withdrawal'))
  const takeOuts = ofKind('take_out')
  if (takeOuts.length === 0 || first.waits.length > 0) return first
  if (ground.coldAddress === undefined) return { ...first, waits: [noColdAddress] }
  const then = chooseCoins(first.chosen.reduce(without, ground), takeOuts)
  return {
    ...then,
    chosen: [...first.chosen, ...then.chosen],
    refused: [...first.refused, ...then.refused],
    lines: first.lines,
  }
}

const noColdAddress: Wait = {
  cause: 'cold-address',
  detail: 'money was ordered to be taken out, and no cold address is set any more',
}

/** In whole units for each virtual byte, as payouts keep their price. */
export function wholeRate(feeRate: bigint): bigint {
  return max(1n, (feeRate + 999n) / 1_000n) * 1_000n
}

export function dear(feeRate: bigint): Wait {
  const detail = `the network asks for ${feeRate} for 1,000 virtual bytes, above the ceiling`
  return { cause: 'price', detail }
}

function isLift({ intent }: Proposal): boolean {
  return intent.kind === 'lift'
}

async function readGround(
  parts: CoinParts,
  memory: MachineMemory,
  changeWeight: number,
  feeRate: bigint,
): Promise<CoinGround> {
  const { db, network, drafts } = parts
  const cursor = required(await readCursor(db, network.name), 'the cursor')
  const { needsMakers } = drafts
  const at = trustedAt(parts, cursor)
  // As `worthwhile` has it.
  const floorMinor = 2n * feeOf(drafts.inputWeight, feeRate)
  await saveSpendFloors(db, network.name, [{ asset: coinOf(parts), floorMinor }])
  const spendable = await readSpendable(db, network.name, at, { max: limits.coinsPerPlan, needsMakers })
  // What is not worth its fee is shown to nobody, and is not what a payment waits for.
  const { together, alone, hasMore } = shownCoins(worthwhile({ drafts, feeRate, coins: spendable }))
  return {
    coin: coinOf(parts),
    chain: network.chain,
    drafts,
    changeWeight,
    feeRate,
    alone,
    coins: together,
    coldAddress: parts.coldAddress,
    hasMore: hasMore || spendable.length === limits.coinsPerPlan,
    capitalMinor: await readFreeCapital(parts),
    lines: linesAt(memory.lines, cursor.hash, limits.reservedRoundsOfCoins),
  }
}

/**
 * Few coins of many: where a payment needs more than one transaction can spend, of which none is spent that it does not need,
 * so that it pays for each but once; else where it pays off.
 */
function gather(
  network: string,
  ground: CoinGround,
  { asked, needsFewer }: { readonly asked: Proposal | undefined; readonly needsFewer: boolean },
): readonly CoinChoice[] {
  if (!needsFewer && asked === undefined) return []
  const own = asked ?? newConsolidation(network)
  if (needsFewer) return gatherNeeded(network, ground, own)
  const coins = worthwhile(ground)
  // Of many coins most may be held apart, or cost more than they hold.
  if (coins.length < limits.coinsMany) return []
  const few = { least: 2, most: limits.coinsConsolidated }
  const choice = gatherCoins({ ...ground, coins: coins.toReversed() }, own, few)
  return present(choice).filter((one) => paysOff(ground, one))
}

/**
 * Coins that forgotten bytes may spend, and that could not be respent when that was found out: what they are made is as good
 * as any coin. They are spent together with no other.
 */
async function respendSetAside(parts: CoinParts, ground: CoinGround): Promise<readonly CoinChoice[]> {
  const { db, network, drafts } = parts
  const { needsMakers } = drafts
  const at = trustedAt(parts, required(await readCursor(db, network.name), 'the cursor'))
  const bounds = { max: limits.coinsRespentTogether, needsMakers, ofThoseSetAside: true }
  const { together, alone } = shownCoins(await readSpendable(db, network.name, at, bounds))
  const few = { least: 1, most: limits.coinsRespentTogether }
  const coins = together.length > 0 ? together : alone.slice(0, 1)
  const choice = gatherCoins({ ...ground, coins }, newConsolidation(network.name), few)
  return present(choice).filter((one) => isWorthIts(one))
}

/** Whether a transaction costs at most half of what it spends: the signer allows no larger share. */
export function isWorthIts({ inputs, fees }: CoinChoice): boolean {
  return 2n * fees.tipMinor <= sum(inputs.map(({ amountMinor }) => amountMinor))
}

/** What is looked at becomes one, and each that goes alone a coin of our own, with a small transaction that made it. */
function gatherNeeded(network: string, ground: CoinGround, own: Proposal): readonly CoinChoice[] {
  const choices = [...present(gatherCoins(ground, own, { least: 2, most: limits.coinsPerPlan }))]
  let left = choices.reduce(without, ground)
  const alone = ground.hasMore ? left.alone.slice(0, limits.coinsAlonePerPlan) : []
  for (const coin of alone) {
    const one = gatherCoins({ ...left, coins: [coin] }, newConsolidation(network), { least: 1, most: 1 })
    if (one === undefined || 2n * one.fees.tipMinor > coin.amountMinor) continue
    choices.push(one)
    left = without(left, one)
  }
  return choices
}

function present<T>(one: T | undefined): readonly T[] {
  return one === undefined ? [] : [one]
}

export function newConsolidation(network: string): Proposal {
  return { id: newId(), network, intent: { kind: 'consolidate' }, spends: undefined }
}

export function toPayout(parts: CoinParts, choice: CoinChoice, places: ChangePlaces): NewPayout {
  const { proposals, payments, inputs, hasChange, fees } = choice
  const { id, intent, network, spends } = required(proposals[0], 'a proposal')
  const change = hasChange ? places.next() : undefined
  const isBatch = payments[0]?.withdrawalId === id
  const amountMinor = sum(payments.map(({ netMinor }) => netMinor))
  return {
    // What was planned before keeps its name, by which it is told from a withdrawal that is paid for the first time.
    id: isBatch ? newId() : id,
    network,
    intent: intent.kind === 'withdrawal' ? { kind: 'withdrawal', payments } : intent,
    from: change?.place ?? noChange,
    wallet: required(inputs[0], 'a coin').outpoint,
    nonce: nonceOf(intent, id),
    fees,
    spends: intent.kind === 'withdrawal' ? { asset: coinOf(parts), contract: null, amountMinor } : spends,
    carries: proposals.map((proposal) => proposal.id),
    coins: { inputs, change },
  }
}
