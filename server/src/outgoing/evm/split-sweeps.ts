/** Sweeps that would cost more than the signer allows for one transaction become several. Pure. */
import { newId } from '../../core/ids.ts'
import { max, min } from '../../core/money.ts'
import type { Proposal } from '../engine/purpose.ts'

/** What is offered for gas, from what is wanted down to the least with which it is sent at all; per unit. */
export interface PriceRange {
  readonly wantedMinor: bigint
  readonly leastMinor: bigint
}

/** What is offered above an estimate, as `gasFor` does. */
const offeredPercent = 120n
const baseGas = 40_000n
/** What the sweep contract wants left at the end: an estimate has it, and nothing of it is used. */
const reserveGas = 60_000n
const assetReserveGas = 330_000n
/** Of an asset on an address that is delegated with it: rather too much, since what is still too dear is halved. */
const transferGas = 60_000n
/** Fewer than these share the fee badly: then less is offered for gas. */
const addressesWanted = 5n

/** As many parts as the price makes of a sweep that may be split; anything else stays as it is. */
export function splitToCost(proposal: Proposal, price: PriceRange, mostMinor: bigint): readonly Proposal[] {
  const { intent } = proposal
  if (intent.kind !== 'sweep' || proposal.mayBeSplit !== true) return [proposal]
  const assets = BigInt(intent.assets.length)
  const fixedGas = baseGas + reserveGas + assetReserveGas * assets
  const addressesAt = (priceMinor: bigint) =>
    ((mostMinor * 100n) / (priceMinor * offeredPercent) - fixedGas) / (transferGas * assets)
  const wanted = addressesAt(price.wantedMinor)
  const most = wanted >= addressesWanted ? wanted : addressesAt(price.leastMinor)
  return inParts(proposal, Number(max(1n, most)))
}

/** The price at which a transaction costs no more than it may; undefined where that is too low to send it. */
export function priceWithin(gas: bigint, price: PriceRange, mostMinor: bigint): bigint | undefined {
  const affordable = min(price.wantedMinor, mostMinor / gas)
  return affordable < min(price.wantedMinor, price.leastMinor) ? undefined : affordable
}

/** Two of about the same size; only itself where it cannot be split. */
export function halved(proposal: Proposal): readonly Proposal[] {
  const { intent } = proposal
  if (intent.kind !== 'sweep' || proposal.mayBeSplit !== true) return [proposal]
  return inParts(proposal, Math.ceil(intent.deposits.length / 2))
}

/** The first keeps the name. @param most addresses that a part has */
function inParts(proposal: Proposal, most: number): readonly Proposal[] {
  const { intent } = proposal
  if (intent.kind !== 'sweep' || intent.deposits.length <= most) return [proposal]
  const parts: Proposal[] = []
  for (let at = 0; at < intent.deposits.length; at += most) {
    const deposits = intent.deposits.slice(at, at + most)
    parts.push({ ...proposal, id: at === 0 ? proposal.id : newId(), intent: { ...intent, deposits } })
  }
  return parts
}
