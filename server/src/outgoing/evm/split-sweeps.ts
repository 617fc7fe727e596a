/** Splits sweeps that would cost more than the signer allows for one transaction. Pure. */
import { newId } from '../../core/ids.ts'
import { max, min } from '../../core/money.ts'
import type { Proposal } from '../engine/outgoing-source.ts'

/**
 * The range of fees per unit of gas: from the lowest fee at which a transaction is still sent to the wanted
 * fee.
 */
export interface PriceRange {
  readonly wantedMinor: bigint
  readonly leastMinor: bigint
}

/** The gas limit in percent of the gas estimate. `gasFor` uses the same percentage. */
const offeredPercent = 120n
const baseGas = 40_000n
/**
 * The gas that the sweep contract requires to be left at its end. Estimates include this gas, but it is not
 * used.
 */
const reserveGas = 60_000n
const assetReserveGas = 330_000n
/**
 * The estimated gas per asset and address, including the delegation. The estimate is high on purpose. If a
 * part still costs too much, the part is halved later.
 */
const transferGas = 60_000n
/**
 * The wanted minimum number of addresses in a part. If the wanted price does not allow that many, the parts
 * are sized for the lowest price. In smaller parts, too few addresses would share the fixed cost.
 */
const addressesWanted = 5n

/** The size of a signed sweep in bytes, without its addresses and assets. */
const baseBytes = 350n
const assetBytes = 32n
/** The bytes of an address in a signed sweep, including its delegation. */
const addressBytes = 32n + 102n

/**
 * Splits a sweep into parts that each cost at most `mostMinor`. Returns any other proposal unchanged.
 * @param perByteMinor is the amount that counts towards the limit for each byte of the signed transaction
 */
export function splitToCost(
  proposal: Proposal,
  price: PriceRange,
  mostMinor: bigint,
  perByteMinor = 0n,
): readonly Proposal[] {
  const { intent } = proposal
  if (intent.kind !== 'sweep' || proposal.mayBeSplit !== true) return [proposal]
  const assets = BigInt(intent.assets.length)
  const fixedGas = baseGas + reserveGas + assetReserveGas * assets
  const addressesAt = (priceMinor: bigint) => {
    const gasFor = (minor: bigint) => (minor * 100n) / (priceMinor * offeredPercent)
    const fixedDataGas = gasFor(perByteMinor * (baseBytes + assetBytes * assets))
    const addressDataGas = gasFor(perByteMinor * addressBytes)
    return (gasFor(mostMinor) - fixedGas - fixedDataGas) / (transferGas * assets + addressDataGas)
  }
  const wanted = addressesAt(price.wantedMinor)
  const most = wanted >= addressesWanted ? wanted : addressesAt(price.leastMinor)
  return inParts(proposal, Number(max(1n, most)))
}

/**
 * Returns the highest price, up to the wanted one, at which a transaction costs at most `mostMinor`. Returns
 * undefined if that price is too low for the transaction to be sent.
 */
export function priceWithin(gas: bigint, price: PriceRange, mostMinor: bigint): bigint | undefined {
  const affordable = min(price.wantedMinor, mostMinor / gas)
  return affordable < min(price.wantedMinor, price.leastMinor) ? undefined : affordable
}

/** Returns two halves of about the same size, or only the proposal itself if it cannot be split. */
export function halved(proposal: Proposal): readonly Proposal[] {
  const { intent } = proposal
  if (intent.kind !== 'sweep' || proposal.mayBeSplit !== true) return [proposal]
  return inParts(proposal, Math.ceil(intent.deposits.length / 2))
}

/**
 * Splits a sweep into parts. The first part keeps the id of the sweep; the others get new ids.
 * @param most is the maximum number of addresses per part
 */
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
