/**
 * The standing comparison of addresses with the books. Each look takes those that hold something or moved since the last one,
 * those that were given out last, and as many more as its rate allows, in a turn through all that were ever derived. What holds
 * more than the books say is looked at again before it is told.
 */

import type { Worker } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import { piecesOf } from '../../core/pieces.ts'
import { assertLease, type Lease } from '../../platform/db/lease.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import {
  countAddresses,
  type OwnAddress,
  readChangeAddresses,
  readHolding,
  readNewest,
  readNext,
} from './books-store.ts'
import { compareAccounts } from './compare-accounts.ts'
import { compareCoins } from './compare-coins.ts'
import {
  type Compare,
  type ComparedBlock,
  type Comparison,
  type ComparisonParts,
  readComparedBlock,
} from './comparison.ts'
import { type Missed, type MissedPayment, placeOf } from './missed-payment.ts'
import { readSearch, type Search, saveLook } from './search-store.ts'
import { endGone, noteMissed, readUnbooked } from './store.ts'

/** A run is followed by a rest so many times as long, which bounds the load on nodes and database whatever the number of addresses. */
const restsPerLook = 20

/** How many addresses are asked for at once where nodes tell balances. */
const addressesAtOnce = 500

export function searchAddresses(parts: ComparisonParts, lease: Lease): Worker {
  const { hasOutpoints } = parts.chain.traits
  const leastMs = hasOutpoints ? limits.missedSearchScanMs : limits.missedSearchMs
  let restMs: number = leastMs
  return {
    name: `compare addresses ${parts.chain.network}`,
    get idleMs() {
      return restMs
    },
    takeAndDo: async (signal) => {
      const beganMs = performance.now()
      await lookOnce(parts, lease, signal)
      restMs = Math.max(leastMs, restsPerLook * (performance.now() - beganMs))
      return 0
    },
  }
}

/**
 * Takes one look.
 * @returns what is new; undefined where nothing can be said, since nothing is final yet, nodes are on another branch, or
 * nodes do not tell what lies at an address
 */
export async function lookOnce(
  parts: ComparisonParts,
  lease: Lease,
  signal: AbortSignal,
): Promise<readonly MissedPayment[] | undefined> {
  const { db, chain } = parts
  const search = await readSearch(db, chain.network)
  const compare = comparisonOf(parts, search)
  const at = await readComparedBlock(parts)
  if (at === undefined || compare === undefined) return undefined
  const chosen = await chooseAddresses(parts, search)
  const seen = await compareAll(parts, compare, { addresses: chosen.addresses, at }, signal)
  if (seen === undefined) return undefined
  const again = await lookAgain(parts, compare, { seen, chosen }, signal)
  if (again === undefined) return undefined
  const told = await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    const fresh = await keep(parts, tx, chosen.addresses, {
      missed: again.missed,
      uncompared: new Set([...seen.uncompared, ...again.uncompared]),
    })
    await saveLook(tx, chain.network, {
      comparedHeight: at.height,
      addressId: chosen.lastId,
      addresses: chosen.ofTurn,
      endsTurn: chosen.endsTurn,
      turnTotal: chosen.turnTotal,
    })
    return fresh
  })
  for (const one of told) tell(parts, one)
  return told
}

function comparisonOf(parts: ComparisonParts, { comparedHeight }: Search): Compare | undefined {
  if (!parts.chain.traits.hasOutpoints)
    return (addresses, at, signal) => compareAccounts({ ...parts, comparedHeight }, addresses, at, signal)
  if (parts.chain.listCoins === undefined) return undefined
  return (addresses, at, signal) => compareCoins(parts, addresses, at, signal)
}

interface Chosen {
  readonly addresses: readonly OwnAddress[]
  /** Of those that the turn has come to. */
  readonly ofTurn: number
  readonly lastId: number
  readonly endsTurn: boolean
  readonly turnTotal: number
}

async function chooseAddresses(
  { db, chain: { network, traits } }: ComparisonParts,
  { comparedHeight, addressId, turnTotal }: Search,
): Promise<Chosen> {
  const { hasOutpoints } = traits
  const rows = hasOutpoints ? limits.missedSearchScanAddresses : limits.missedSearchAddresses
  const holding = await readHolding(db, network, { height: comparedHeight, hasOutpoints })
  const newest = await readNewest(db, network, limits.missedSearchNewest)
  const next = await readNext(db, network, addressId, rows)
  // A change address has no number among those of customers.
  const change = hasOutpoints ? await readChangeAddresses(db, network) : []
  const all = [...holding, ...newest, ...next, ...change.map((address) => ({ id: 0, address }))]
  return {
    addresses: [...new Map(all.map((own) => [own.address, own])).values()],
    ofTurn: next.length,
    lastId: next.at(-1)?.id ?? addressId,
    endsTurn: next.length < rows,
    turnTotal: addressId === 0 ? await countAddresses(db, network) : turnTotal,
  }
}

interface Looked {
  readonly addresses: readonly OwnAddress[]
  readonly at: ComparedBlock
}

/** Undefined where the nodes do not hold the block that is compared, before or after. */
async function compareAll(
  { chain }: ComparisonParts,
  compare: Compare,
  { addresses, at }: Looked,
  signal: AbortSignal,
): Promise<Comparison | undefined> {
  const isThere = async () => (await chain.readHeader(at.height, signal))?.hash === at.hash
  if (!(await isThere())) return undefined
  const missed: Missed[] = []
  const uncompared = new Set<string>()
  const atOnce = chain.traits.hasOutpoints ? limits.missedSearchScanAddresses : addressesAtOnce
  for (const piece of piecesOf(addresses, atOnce)) {
    const comparison = await compare(piece, at, signal)
    missed.push(...comparison.missed)
    for (const address of comparison.uncompared) uncompared.add(address)
  }
  return (await isThere()) ? { missed, uncompared } : undefined
}

/** What is seen twice, by the books of the second moment, is told. */
async function lookAgain(
  parts: ComparisonParts,
  compare: Compare,
  { seen, chosen }: { readonly seen: Comparison; readonly chosen: Chosen },
  signal: AbortSignal,
): Promise<Comparison | undefined> {
  if (seen.missed.length === 0) return seen
  const suspects = new Set(seen.missed.map(({ address }) => address))
  const addresses = chosen.addresses.filter(({ address }) => suspects.has(address))
  const at = await readComparedBlock(parts)
  if (at === undefined) return undefined
  const again = await compareAll(parts, compare, { addresses, at }, signal)
  if (again === undefined) return undefined
  const first = new Set(seen.missed.map(keyOf))
  return { ...again, missed: again.missed.filter((one) => first.has(keyOf(one))) }
}

/** Where a block cannot be told, the one at which it is found is another with each look. */
function keyOf({ address, asset, height, isLocated }: Missed): string {
  return `${address}/${asset}/${isLocated ? height : ''}`
}

/** Keeps what is new, and ends what was found before and is not there any more. */
async function keep(
  { chain: { network } }: ComparisonParts,
  tx: Tx,
  addresses: readonly OwnAddress[],
  { missed, uncompared }: Comparison,
): Promise<readonly MissedPayment[]> {
  const looked = new Set(addresses.map(({ address }) => address))
  const still = new Set(missed.map(placeOf))
  const known = await readUnbooked(tx, network)
  const gone = known.filter(
    (one) =>
      one.foundBy !== 'block' &&
      looked.has(one.address) &&
      !uncompared.has(placeOf(one)) &&
      !still.has(placeOf(one)),
  )
  await endGone(
    tx,
    gone.map(({ id }) => id),
  )
  // Where the block cannot be told, each look would find it at another.
  const knownPlaces = new Set(known.map(placeOf))
  return noteMissed(
    tx,
    missed.filter((one) => one.isLocated || !knownPlaces.has(placeOf(one))),
  )
}

/** Tells an operator of a payment that was missed. Nothing is missing, so that payouts go on. */
export function tell(
  { log }: Pick<ComparisonParts, 'log'>,
  { network, address, asset, height, amountMinor, txHash, foundBy }: MissedPayment,
): void {
  log.error(
    {
      alert: 'missed-payment',
      network,
      address,
      asset,
      height,
      amountMinor: `${amountMinor}`,
      txHash,
      foundBy,
    },
    'an address holds what the books do not tell of: run "coffer recover --missed"',
  )
}
