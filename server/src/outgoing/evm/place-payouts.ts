import { readCursor } from '../../chains/blocks/store.ts'
import type { FeeLevel } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import { linesAt } from '../engine/controls/lines.ts'
import { coveredCount, readFreeCapital } from '../engine/controls/read-capital.ts'
import { coinOf, haltUnderLease, raiseAlert } from '../engine/machine.ts'
import type { MachineMemory } from '../engine/machine-memory.ts'
import { type Fees, maxCostMinor } from '../engine/payout.ts'
import type { Placing, RefusedProposal, Wait } from '../engine/placing.ts'
import type { Proposal } from '../engine/purpose.ts'
import { feeMaxMinor } from '../engine/signer-client/attested-limits.ts'
import type { NewPayout } from '../engine/store.ts'
import { hasOpenShift, readTakenNonces } from '../engine/wallet-store.ts'
import { type AccountParts, ownPlaces } from './account-parts.ts'
import { chooseWallets, nextNonces, type Shift, type WalletChoice } from './choose-wallets.ts'
import { apartByCost, fitToLimits, partDear, tooDear } from './fit-limits.ts'
import { type GasOffer, gasFor, leastPrice, priceFor, pricePolicy } from './price-gas.ts'
import { readWallets } from './read-wallets.ts'
import { spendOf } from './spend-of.ts'
import type { PriceRange } from './split-sweeps.ts'
import { type Estimated, type Priced, weighCosts } from './weigh-costs.ts'

/**
 * Gives proposals a wallet that can send them, a place in that wallet's order and a price; nothing is stored.
 * @throws NodeError
 */
export async function placePayouts(
  parts: AccountParts,
  memory: MachineMemory,
  proposals: readonly Proposal[],
  signal: AbortSignal,
): Promise<Placing> {
  const level = await parts.sender.readFees(signal)
  const price = priceFor(level, parts.policy ?? pricePolicy)
  if (price === undefined) return { planned: [], refused: [], waits: [dear(level)] }
  const cursor = required(await readCursor(parts.db, parts.network.name), 'the cursor')
  const range = { wantedMinor: price.maxFeeMinor, leastMinor: leastPrice(level, price) }
  const fitting = fitToLimits(parts, memory, proposals, range)
  const wallets = await readWallets(parts, memory, fitting.proposals, cursor.height, signal)
  const inFlightMax = parts.inFlightMax ?? limits.payoutsPerLane
  const mostMinor = feeMaxMinor(memory.limits, parts.network.name)
  const lines = linesAt(memory.lines, cursor.hash, limits.reservedRounds)
  const { nativeGasMax } = parts
  const bounds = { inFlightMax, nativeGasMax, feeMaxMinor: mostMinor }
  const choices = chooseWallets({ coin: coinOf(parts), wallets, price, lines, ...bounds }, fitting.proposals)
  const { chosen, waits, shifts } = choices
  memory.lines = choices.lines
  const shifting = await shiftsToPlan(parts, shifts)
  const estimated = await estimateWithin(
    parts,
    memory,
    { choices: [...shifting, ...chosen], price, range, mostMinor },
    signal,
  )
  const { tooDearCount } = estimated
  const { priced, refused, kept } = await weighCosts(parts, memory, estimated, signal)
  const capital = await readFreeCapital(parts)
  const covered = coveredCount(
    capital,
    priced.map(({ fees }) => maxCostMinor(fees)),
  )
  const uncovered = priced.length > covered ? [lackOfCapital(priced.length - covered, capital)] : []
  const planned = await placeAll(parts, memory, priced.slice(0, covered), signal)
  const dearWaits = tooDearCount > 0 ? [tooDear(tooDearCount, mostMinor)] : []
  return { planned, refused, waits: [...waits, ...fitting.waits, ...dearWaits, ...kept, ...uncovered] }
}

function dear({ baseFeeMinor }: FeeLevel): Wait {
  return { cause: 'price', detail: `the network asks for ${baseFeeMinor} per unit of gas, above the ceiling` }
}

function lackOfCapital(count: number, capital: bigint): Wait {
  const detail = `the operator's own coin, ${capital} free, does not cover the gas of ${count} payouts`
  return { cause: 'capital', detail }
}

/** One move of an asset between lanes at a time. */
async function shiftsToPlan(parts: AccountParts, shifts: readonly Shift[]): Promise<readonly WalletChoice[]> {
  const first = new Map(shifts.toReversed().map((shift) => [shift.asset, shift]))
  const choices: WalletChoice[] = []
  for (const { asset, contract, from, to, amountMinor } of first.values()) {
    if (to.place.type !== 'lane' || (await hasOpenShift(parts.db, parts.network.name, asset))) continue
    const { lane } = to.place
    const proposal: Proposal = {
      id: newId(),
      network: parts.network.name,
      intent: { kind: 'rebalance', lane, asset, contract, amountMinor },
      from: from.place,
      spends: { asset, contract, amountMinor },
    }
    choices.push({ proposal, wallet: from })
  }
  return choices
}

/** Estimates, and parts what costs more than the signer allows for one transaction until it does not, or is one address. */
async function estimateWithin(
  parts: AccountParts,
  memory: MachineMemory,
  {
    choices,
    price,
    range,
    mostMinor,
  }: {
    readonly choices: readonly WalletChoice[]
    readonly price: Omit<Fees, 'gas'>
    readonly range: PriceRange
    readonly mostMinor: bigint | undefined
  },
  signal: AbortSignal,
): Promise<Estimated & { readonly tooDearCount: number }> {
  const priced: Priced[] = []
  const refused: RefusedProposal[] = []
  let tooDearCount = 0
  for (let left = choices; left.length > 0; ) {
    const estimated = await estimate(parts, memory, left, price, signal)
    const { fitting, dear: above } = apartByCost(estimated.priced, range, mostMinor)
    const { parts: halves, whole } = partDear(above)
    priced.push(...fitting)
    refused.push(...estimated.refused)
    tooDearCount += whole.length
    left = halves
  }
  return { priced, refused, tooDearCount }
}

/** Asks the chain, all at once, what each takes; what would fail is refused before anything is signed. */
async function estimate(
  parts: AccountParts,
  memory: MachineMemory,
  choices: readonly WalletChoice[],
  price: Omit<Fees, 'gas'>,
  signal: AbortSignal,
): Promise<Estimated> {
  const own = ownPlaces(parts, memory)
  const estimates = await Promise.all(
    choices.map(({ proposal, wallet }) =>
      parts.sender.estimateGas(wallet.address, spendOf(proposal.intent, own), signal),
    ),
  )
  const priced: Priced[] = []
  const refused: RefusedProposal[] = []
  for (const [index, choice] of choices.entries()) {
    const { proposal } = choice
    const answer = required(estimates[index], 'an estimate')
    if ('fault' in answer) {
      refused.push({ proposal, reason: clipped(answer.fault) })
      continue
    }
    const offer = gasFor(proposal, answer.gas, parts.nativeGasMax)
    alertOfGas(parts, memory, choice, answer.gas, offer)
    if (offer.type === 'above') {
      refused.push({ proposal, reason: tooMuchGas(answer.gas, offer.mostGas), isOwnRule: true })
      continue
    }
    priced.push({ ...choice, fees: { ...price, gas: offer.gas }, feeLimitMinor: undefined })
  }
  return { priced, refused }
}

/** What a merchant's recipient needs is no matter of the operator; what our own transactions need is. */
function alertOfGas(
  parts: AccountParts,
  memory: MachineMemory,
  { proposal }: WalletChoice,
  estimatedGas: bigint,
  offer: GasOffer,
): void {
  const isAbsurd = offer.type === 'above' ? proposal.intent.kind !== 'withdrawal' : offer.isAbsurd
  if (!isAbsurd) return
  const fields = { subject: proposal.id, kind: proposal.intent.kind, estimate: `${estimatedGas}` }
  raiseAlert(parts, memory, 'gas-estimate-absurd', fields, 'a node estimates gas that cannot be')
}

function tooMuchGas(neededGas: bigint, mostGas: bigint): string {
  return `The payment needs ${neededGas} gas at its destination, and at most ${mostGas} is spent on one. Order it to another address.`
}

/** A contract writes the words with which it refuses, of any length. */
function clipped(fault: string): string {
  return fault.length <= faultChars ? fault : `${fault.slice(0, faultChars)}…`
}

const faultChars = 300

/** Gives each its place in its wallet's order. A lane that sent what nobody here knows halts everything. */
async function placeAll(
  parts: AccountParts,
  memory: MachineMemory,
  priced: readonly Priced[],
  signal: AbortSignal,
): Promise<readonly NewPayout[]> {
  const { db, network, sender } = parts
  const wallets = [...new Map(priced.map(({ wallet }) => [wallet.address, wallet])).values()]
  const addresses = wallets.map(({ address }) => address)
  const counts = addresses.length === 0 ? [] : await sender.readNonces(addresses, undefined, signal)
  const planned: NewPayout[] = []
  for (const [index, { address, place, nonceEnd }] of wallets.entries()) {
    const mined = counts[index] ?? 0
    if (place.type === 'lane' && mined > nonceEnd) {
      const detail = `${address} sent ${mined} transactions, of which the database and the signer's log know ${nonceEnd}`
      await haltUnderLease(parts, memory, 'log-unknown', detail)
      return []
    }
    const own = priced.filter(({ wallet }) => wallet.address === address)
    const nonces = nextNonces(mined, await readTakenNonces(db, network.name, address, mined), own.length)
    for (const [offset, { proposal, fees, feeLimitMinor }] of own.entries()) {
      const { id, intent, spends } = proposal
      const nonce = required(nonces[offset], 'a nonce')
      const sent = { from: place, wallet: address, nonce, fees, feeLimitMinor }
      planned.push({ id, network: network.name, intent, spends, ...sent })
    }
  }
  memory.followed = undefined
  return planned
}
