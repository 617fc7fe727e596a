/** Keeps what is placed within what the signer attested, so that it is not asked for what it refuses. */

import type { MachineMemory } from '../engine/machine-memory.ts'
import type { Fees } from '../engine/payout.ts'
import type { Wait } from '../engine/placing.ts'
import type { Proposal } from '../engine/purpose.ts'
import { feeMaxMinor, unnamedAsset } from '../engine/signer-client/attested-limits.ts'
import type { AccountParts } from './account-parts.ts'
import { halved, type PriceRange, priceWithin, splitToCost } from './split-sweeps.ts'

export interface Fitting {
  readonly proposals: readonly Proposal[]
  readonly waits: readonly Wait[]
}

/** What may be placed at a price: sweeps in parts that it allows, without what the policy does not name. */
export function fitToLimits(
  { network }: Pick<AccountParts, 'network'>,
  memory: MachineMemory,
  proposals: readonly Proposal[],
  price: PriceRange,
): Fitting {
  const mostMinor = feeMaxMinor(memory.limits, network.name)
  const fitting: Proposal[] = []
  const waits = new Map<string, Wait>()
  for (const proposal of proposals) {
    const unnamed = unnamedAsset(memory.limits, network.name, proposal.intent)
    if (unnamed !== undefined) waits.set(unnamed, notNamed(unnamed))
    else if (proposal.mayBeSplit === true && memory.refusedPrice?.ofSweep === true) waits.set('day', usedUp)
    else if (mostMinor === undefined) fitting.push(proposal)
    else fitting.push(...splitToCost(proposal, price, mostMinor))
  }
  return { proposals: fitting, waits: [...waits.values()] }
}

function notNamed(asset: string): Wait {
  const detail = `the signer's policy does not name the contract of ${asset}: add it there, and send the signer a SIGHUP`
  return { cause: `policy:${asset}`, detail }
}

const usedUp: Wait = {
  cause: 'price',
  detail:
    'what the signer allows for fees in 24 hours is used up at this price; collections wait for another',
}

/** Those that cost no more than the signer allows, at a lower price where that is needed, apart from those that do. */
export function apartByCost<Priced extends { readonly fees: Fees; readonly proposal: Proposal }>(
  priced: readonly Priced[],
  price: PriceRange,
  mostMinor: bigint | undefined,
): { readonly fitting: readonly Priced[]; readonly dear: readonly Priced[] } {
  if (mostMinor === undefined) return { fitting: priced, dear: [] }
  const fitting: Priced[] = []
  const dear: Priced[] = []
  for (const one of priced) {
    const maxFeeMinor = priceWithin(one.fees.gas, price, mostMinor)
    if (maxFeeMinor === undefined) dear.push(one)
    else fitting.push({ ...one, fees: { ...one.fees, maxFeeMinor } })
  }
  return { fitting, dear }
}

/** What is too dear in parts that may be cheap enough, and what cannot be parted. */
export function partDear<Choice extends { readonly proposal: Proposal }>(
  dear: readonly Choice[],
): { readonly parts: readonly Choice[]; readonly whole: readonly Choice[] } {
  const halves = dear.map((choice) => halved(choice.proposal).map((proposal) => ({ ...choice, proposal })))
  return {
    parts: halves.filter((some) => some.length > 1).flat(),
    whole: halves.filter((some) => some.length === 1).flat(),
  }
}

export function tooDear(count: number, mostMinor: bigint | undefined): Wait {
  const detail = `${count} payouts would cost more than the ${mostMinor} that the signer allows for one transaction`
  return { cause: 'price', detail }
}
