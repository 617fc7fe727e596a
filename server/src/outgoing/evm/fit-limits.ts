/**
 * Keeps planned transactions within the limits that the signer attested, because the signer would refuse
 * transactions beyond the limits.
 */

import type { EvmFees } from '../../chains/port.ts'
import { max } from '../../core/money.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import type { Proposal } from '../engine/outgoing-source.ts'
import type { Wait } from '../engine/plan-outcome.ts'
import {
  dataFeePerByteMinor,
  feeMaxMinor,
  feeModelErrorOf,
  unnamedAsset,
} from '../engine/signer-client/attested-limits.ts'
import type { AccountParts } from './account-parts.ts'
import { halved, type PriceRange, priceWithin, splitToCost } from './split-sweeps.ts'

export interface Fitting {
  readonly proposals: readonly Proposal[]
  readonly waits: readonly Wait[]
}

/**
 * Returns the proposals that may be planned at a price. Sweeps are split, so that each part fits the signer's
 * limit for one transaction. Two kinds of proposals wait: proposals whose asset is not named in the signer's
 * policy, and sweeps while the signer's limit for 24 hours is used up at this price. All wait if the policy is for
 * transactions of another type.
 */
export function fitToLimits(
  { network }: Pick<AccountParts, 'network'>,
  memory: EngineMemory,
  proposals: readonly Proposal[],
  price: PriceRange,
): Fitting {
  const feeModelError = feeModelErrorOf(memory.limits, network)
  if (feeModelError !== undefined)
    return { proposals: [], waits: [{ cause: 'fee-model', detail: feeModelError }] }
  const mostMinor = feeMaxMinor(memory.limits, network.name)
  const perByteMinor = dataFeePerByteMinor(memory.limits, network)
  const fitting: Proposal[] = []
  const waits = new Map<string, Wait>()
  for (const proposal of proposals) {
    const unnamed = unnamedAsset(memory.limits, network.name, proposal.intent)
    if (unnamed !== undefined) waits.set(unnamed, notNamed(unnamed))
    else if (proposal.mayBeSplit === true && memory.refusedPrice?.ofSweep === true) waits.set('day', usedUp)
    else if (mostMinor === undefined) fitting.push(proposal)
    else fitting.push(...splitToCost(proposal, price, mostMinor, perByteMinor))
  }
  return { proposals: fitting, waits: [...waits.values()] }
}

function notNamed(asset: string): Wait {
  const detail = `the signer's policy does not list the contract of ${asset}: add it there, and send SIGHUP to the signer`
  return { cause: `policy:${asset}`, detail }
}

const usedUp: Wait = {
  cause: 'price',
  detail: 'the signer’s fee limit for 24 hours is used up at this price; sweeps wait for a lower price',
}

interface Costing {
  readonly proposal: Proposal
  readonly fees: EvmFees
  /** The part of the signer's limit that the bytes of the transaction take; undefined means none. */
  readonly countedDataMinor?: bigint | undefined
}

/**
 * Returns the transactions that fit the signer's limit as `fitting`, and those that cost too much as `dear`.
 * If a transaction fits only at a lower price, the transaction gets that price.
 */
export function apartByCost<Priced extends Costing>(
  priced: readonly Priced[],
  price: PriceRange,
  mostMinor: bigint | undefined,
): { readonly fitting: readonly Priced[]; readonly dear: readonly Priced[] } {
  if (mostMinor === undefined) return { fitting: priced, dear: [] }
  const fitting: Priced[] = []
  const dear: Priced[] = []
  for (const one of priced) {
    const leftMinor = max(0n, mostMinor - (one.countedDataMinor ?? 0n))
    const maxFeePerGas = priceWithin(one.fees.gasLimit, price, leftMinor)
    if (maxFeePerGas === undefined) dear.push(one)
    else fitting.push({ ...one, fees: { ...one.fees, maxFeePerGas } })
  }
  return { fitting, dear }
}

/**
 * Splits transactions that cost too much into two halves each (`parts`). Transactions that cannot be split
 * are returned as `whole`.
 */
export function partDear<Choice extends { readonly proposal: Proposal }>(
  dear: readonly Choice[],
): { readonly parts: readonly Choice[]; readonly whole: readonly Choice[] } {
  const halves = dear.map((choice) => halved(choice.proposal).map((proposal) => ({ ...choice, proposal })))
  return {
    parts: halves.filter((some) => some.length > 1).flat(),
    whole: halves.filter((some) => some.length === 1).flat(),
  }
}

/**
 * Returns whether the network charges more for the bytes of a transaction than the signer counts. Such a
 * transaction is not sent, because the signer's limits would then allow more than they say.
 */
export function isDataFeeUncounted({
  dataFeeMinor,
  countedDataMinor,
}: {
  readonly dataFeeMinor: bigint | undefined
  readonly countedDataMinor: bigint | undefined
}): boolean {
  return countedDataMinor !== undefined && (dataFeeMinor ?? 0n) > countedDataMinor
}

export function dataFeeUncounted(count: number): Wait {
  const detail = `the network's data fee for ${count} transactions is above the dataFeePerByteMinor of the signer's policy: wait for a lower fee, or raise the amount there and send SIGHUP to the signer`
  return { cause: 'data-fee', detail }
}

export function tooDear(count: number, mostMinor: bigint | undefined): Wait {
  const detail = `${count} transactions would cost more than ${mostMinor}, the signer's limit for one transaction`
  return { cause: 'price', detail }
}
