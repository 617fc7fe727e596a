/**
 * Compares our addresses with the books continuously. Each search run compares:
 * - the addresses that hold something according to the books;
 * - the addresses with deposits or sweeps since the last run;
 * - the newest addresses of invoices;
 * - the next part of a rotation, that is, of one pass through all derived addresses.
 * A surplus is reported only if a second comparison finds it too.
 */

import { chunksOf } from '../../core/chunks.ts'
import { monotonicMs } from '../../core/clock.ts'
import type { Worker } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
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
import { compareOutputs } from './compare-outputs.ts'
import {
  type Compare,
  type ComparedBlock,
  type Comparison,
  type ComparisonParts,
  readComparedBlock,
} from './comparison.ts'
import { holdingKeyOf, type Missed, type MissedPayment } from './missed-payment.ts'
import { readSearch, type Search, saveProgress } from './search-store.ts'
import { endGone, noteMissed, readUnbooked } from './store.ts'

/**
 * The pause after a search run, as a multiple of the run's duration. The pause bounds the load on nodes and
 * database for any number of addresses.
 */
const restsPerSearch = 20

/** Maximum number of addresses in one query, on chains whose nodes report balances. */
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
    runBatch: async (signal) => {
      const beganMs = monotonicMs()
      await searchOnce(parts, lease, signal)
      restMs = Math.max(leastMs, restsPerSearch * (monotonicMs() - beganMs))
      return 0
    },
  }
}

/**
 * Runs one search.
 * @returns the new findings. Undefined if no comparison is possible: nothing is final yet, the nodes follow
 * another fork than the books, or no node can report what an address holds.
 */
export async function searchOnce(
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
  const again = await compareAgain(parts, compare, { seen, chosen }, signal)
  if (again === undefined) return undefined
  const reported = await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    const fresh = await keep(parts, tx, chosen.addresses, {
      missed: again.missed,
      uncompared: new Set([...seen.uncompared, ...again.uncompared]),
    })
    await saveProgress(tx, chain.network, {
      comparedHeight: at.height,
      addressId: chosen.lastId,
      addresses: chosen.ofRotation,
      endsRotation: chosen.endsRotation,
      rotationTotal: chosen.rotationTotal,
    })
    return fresh
  })
  for (const one of reported) reportMissed(parts, one)
  return reported
}

function comparisonOf(parts: ComparisonParts, { comparedHeight }: Search): Compare | undefined {
  if (!parts.chain.traits.hasOutpoints)
    return (addresses, at, signal) => compareAccounts({ ...parts, comparedHeight }, addresses, at, signal)
  if (parts.chain.listUnspent === undefined) return undefined
  return (addresses, at, signal) => compareOutputs(parts, addresses, at, signal)
}

interface Chosen {
  readonly addresses: readonly OwnAddress[]
  /** Number of addresses in this run that came from the rotation through all addresses. */
  readonly ofRotation: number
  readonly lastId: number
  readonly endsRotation: boolean
  readonly rotationTotal: number
}

async function chooseAddresses(
  { db, chain: { network, traits } }: ComparisonParts,
  { comparedHeight, addressId, rotationTotal }: Search,
): Promise<Chosen> {
  const { hasOutpoints } = traits
  const rows = hasOutpoints ? limits.missedSearchScanAddresses : limits.missedSearchAddresses
  const holding = await readHolding(db, network, { height: comparedHeight, hasOutpoints })
  const newest = await readNewest(db, network, limits.missedSearchNewest)
  const next = await readNext(db, network, addressId, rows)
  // The hot wallets' addresses are in another table than deposit addresses, so they have no id here.
  const change = hasOutpoints ? await readChangeAddresses(db, network) : []
  const all = [...holding, ...newest, ...next, ...change.map((address) => ({ id: 0, address }))]
  return {
    addresses: [...new Map(all.map((own) => [own.address, own])).values()],
    ofRotation: next.length,
    lastId: next.at(-1)?.id ?? addressId,
    endsRotation: next.length < rows,
    rotationTotal: addressId === 0 ? await countAddresses(db, network) : rotationTotal,
  }
}

interface ComparedAddresses {
  readonly addresses: readonly OwnAddress[]
  readonly at: ComparedBlock
}

/**
 * Compares what the addresses hold on chain at the block `at` with the books, in chunks. Checks before and
 * after the comparison that the nodes have this block. Returns undefined if one of the two checks fails.
 */
async function compareAll(
  { chain }: ComparisonParts,
  compare: Compare,
  { addresses, at }: ComparedAddresses,
  signal: AbortSignal,
): Promise<Comparison | undefined> {
  const isThere = async () => (await chain.readHeader(at.height, signal))?.hash === at.hash
  if (!(await isThere())) return undefined
  const missed: Missed[] = []
  const uncompared = new Set<string>()
  const atOnce = chain.traits.hasOutpoints ? limits.missedSearchScanAddresses : addressesAtOnce
  for (const chunk of chunksOf(addresses, atOnce)) {
    const comparison = await compare(chunk, at, signal)
    missed.push(...comparison.missed)
    for (const address of comparison.uncompared) uncompared.add(address)
  }
  return (await isThere()) ? { missed, uncompared } : undefined
}

/**
 * Repeats the comparison for the addresses that have findings, after reading the books again. Returns only
 * what both comparisons found. Returns undefined if the second comparison is not possible.
 */
async function compareAgain(
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

/**
 * Returns the key of a finding. If the block was not located, the key omits the height, because that height
 * is different in each comparison.
 */
function keyOf({ address, asset, height, isLocated }: Missed): string {
  return `${address}/${asset}/${isLocated ? height : ''}`
}

/** Stores new findings, and ends earlier findings that the comparison did not find again. */
async function keep(
  { chain: { network } }: ComparisonParts,
  tx: Tx,
  addresses: readonly OwnAddress[],
  { missed, uncompared }: Comparison,
): Promise<readonly MissedPayment[]> {
  const compared = new Set(addresses.map(({ address }) => address))
  const still = new Set(missed.map(holdingKeyOf))
  const known = await readUnbooked(tx, network)
  const gone = known.filter(
    (one) =>
      one.foundBy !== 'block' &&
      compared.has(one.address) &&
      !uncompared.has(holdingKeyOf(one)) &&
      !still.has(holdingKeyOf(one)),
  )
  await endGone(
    tx,
    gone.map(({ id }) => id),
  )
  // A finding without a located block has another height in each run. It is therefore not stored if its
  // address and asset already have a finding.
  const knownHoldings = new Set(known.map(holdingKeyOf))
  return noteMissed(
    tx,
    missed.filter((one) => one.isLocated || !knownHoldings.has(holdingKeyOf(one))),
  )
}

/** Reports a missed payment to the operator. No money is missing, so withdrawals continue. */
export function reportMissed(
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
    'an address holds more than is booked: run "coffer recover --missed"',
  )
}
