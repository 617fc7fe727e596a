/** Compares what addresses hold with the books where nodes tell balances of any block (EVM). */
import { addressFamilyOf } from '../../chains/networks.ts'
import { type ChainReader, isBadAnswer, type TransferAsset } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import { groupBy } from '../../core/group-by.ts'
import { sum } from '../../core/money.ts'
import { fromOthers } from '../../payments/deposits/recording/from-others.ts'
import { findWatched } from '../../payments/deposits/recording/watched-store.ts'
import { inSnapshot } from '../../platform/db/transaction.ts'
import type { PaymentMethod } from '../../pricing/payment-methods/payment-method.ts'
import {
  type OwnAddress,
  readTakenHeights,
  readUncompared,
  readUnswept,
  type UnsweptDeposit,
} from './books-store.ts'
import type { ComparedBlock, Comparison, ComparisonParts } from './comparison.ts'
import { type Holding, type Missed, placeOf, surplusesIn } from './missed-payment.ts'

interface AccountHolding extends Holding {
  readonly own: OwnAddress
  readonly method: PaymentMethod
  /** By the blocks that brought it. */
  readonly unswept: readonly UnsweptDeposit[]
}

interface AccountParts extends ComparisonParts {
  /** The block of the last look; below `firstHeight` before the first. */
  readonly comparedHeight: number
}

export async function compareAccounts(
  parts: AccountParts,
  addresses: readonly OwnAddress[],
  at: ComparedBlock,
  signal: AbortSignal,
): Promise<Comparison> {
  const books = await readBooks(parts, addresses, at.height)
  const holdings: AccountHolding[] = []
  const uncompared = new Set<string>()
  for (const method of methodsOf(parts)) {
    const { asset } = method
    for (const { id, address } of addresses)
      if (books.isUncompared(id, asset)) uncompared.add(placeOf({ address, asset }))
    const compared = addresses.filter(({ address }) => !uncompared.has(placeOf({ address, asset })))
    if (compared.length === 0) continue
    const spelled = compared.map(({ address }) => address)
    const held = await parts.chain.readBalances(assetOf(method), spelled, at.height, signal)
    for (const [place, own] of compared.entries()) {
      const unswept = books.unsweptOn(own.id, method.asset)
      const bookedMinor = sum(unswept.map(({ amountMinor }) => amountMinor))
      const { address } = own
      holdings.push({
        own,
        method,
        unswept,
        address,
        asset: method.asset,
        heldMinor: held[place] ?? 0n,
        bookedMinor,
      })
    }
  }
  const missed: Missed[] = []
  for (const surplus of surplusesIn(holdings)) {
    missed.push(...(await locate(parts, surplus, at, signal)))
  }
  return { missed, uncompared }
}

function methodsOf({ methods, chain }: ComparisonParts): readonly PaymentMethod[] {
  return methods.all.filter(({ network }) => network === chain.network)
}

export function assetOf({ contract }: Pick<PaymentMethod, 'contract'>): TransferAsset {
  return contract === undefined ? { type: 'coin' } : { type: 'token', contract }
}

interface AddressBooks {
  unsweptOn(addressId: number, asset: string): readonly UnsweptDeposit[]
  isUncompared(addressId: number, asset: string): boolean
}

/** In one snapshot: a deposit must not be seen swept and its sweep not yet. */
async function readBooks(
  parts: ComparisonParts,
  addresses: readonly OwnAddress[],
  height: number,
): Promise<AddressBooks> {
  const { db, chain } = parts
  const ids = addresses.map(({ id }) => id)
  const own = methodsOf(parts)
  const assets = own.map(({ asset }) => asset)
  const coin = own.find(({ contract }) => contract === undefined)?.asset
  const { unswept, uncompared } = await inSnapshot(db, async (on) => ({
    unswept: await readUnswept(on, chain.network, { ids, assets, height }),
    uncompared: await readUncompared(on, chain.network, { ids, coin, height }),
  }))
  const keyOf = (addressId: number, asset = 'any') => `${addressId}/${asset}`
  const byKey = groupBy(unswept, ({ addressId, asset }) => keyOf(addressId, asset))
  const left = new Set(uncompared.map(({ addressId, asset }) => keyOf(addressId, asset)))
  return {
    unsweptOn: (addressId, asset) => byKey.get(keyOf(addressId, asset)) ?? [],
    isUncompared: (addressId, asset) => left.has(keyOf(addressId)) || left.has(keyOf(addressId, asset)),
  }
}

/** Payments that are told apart in one look at one address; the others are found once these are booked. */
const locatedMax = 20

/**
 * Finds the blocks that brought a surplus; none where all of it lay there before the chain was followed. The last look is tried as the
 * start: it is so lately that every node keeps the state since, and most of what is found came after it.
 */
async function locate(
  { db, chain, comparedHeight }: AccountParts,
  { own, method, unswept, surplusMinor }: AccountHolding & { readonly surplusMinor: bigint },
  at: ComparedBlock,
  signal: AbortSignal,
): Promise<readonly Missed[]> {
  const { network } = chain
  const { asset } = method
  const taken = await readTakenHeights(db, network, { addressId: own.id, asset })
  const surplusAt = surplusReader(chain, { own, method, unswept }, signal)
  const found = { network, address: own.address, asset, txHash: undefined, foundBy: 'balance' } as const
  const starts = [...taken, comparedHeight].filter((height) => height > at.firstHeight && height <= at.height)
  const lastFirst = [...starts.toSorted((left, right) => right - left), at.firstHeight]
  const arrivals = await findArrivals(surplusAt, lastFirst, at.height)
    .then((all) => withoutOwn({ db, chain }, { own, method }, all, signal))
    .catch(asUntold)
  return arrivals === undefined
    ? [{ ...found, height: at.height, amountMinor: surplusMinor, isLocated: false }]
    : arrivals.map((arrival) => ({ ...found, ...arrival, isLocated: true }))
}

/** Takes off what addresses of ours sent, which is no deposit: a withdrawal may go to an address of another invoice. */
async function withoutOwn(
  { db, chain }: Pick<ComparisonParts, 'db' | 'chain'>,
  { own, method }: Pick<AccountHolding, 'own' | 'method'>,
  arrivals: readonly Arrival[],
  signal: AbortSignal,
): Promise<readonly Arrival[]> {
  const { network } = chain
  const left: Arrival[] = []
  for (const { height, amountMinor } of arrivals) {
    const facts = await chain.readBlock(height, signal)
    const moved = (facts?.transfers ?? []).filter(({ recipient, asset }) => {
      const contract = asset.type === 'token' ? asset.contract : undefined
      return recipient === own.address && contract === method.contract
    })
    const senders = [...new Set(moved.flatMap(({ sender }) => sender ?? []))]
    const watched = await findWatched(db, { family: addressFamilyOf(network), network }, senders)
    const ours = new Set(watched.map(({ address }) => address))
    const others = new Set(await fromOthers(chain, moved, ours, signal))
    const sent = moved.filter((transfer) => !others.has(transfer))
    const restMinor = amountMinor - sum(sent.map((transfer) => transfer.amountMinor))
    if (restMinor > 0n) left.push({ height, amountMinor: restMinor })
  }
  return left
}

/** Nodes that keep no state of old blocks cannot tell. With a cause the node is away, and the look is repeated. */
function asUntold(error: unknown): undefined {
  if (isBadAnswer(error)) return undefined
  throw error
}

function surplusReader(
  reader: ChainReader,
  { own, method, unswept }: Pick<AccountHolding, 'own' | 'method' | 'unswept'>,
  signal: AbortSignal,
): (height: number) => Promise<bigint> {
  return async (height) => {
    const [held = 0n] = await reader.readBalances(assetOf(method), [own.address], height, signal)
    return held - sum(unswept.flatMap((one) => (one.height <= height ? [one.amountMinor] : [])))
  }
}

interface Arrival {
  readonly height: number
  readonly amountMinor: bigint
}

/**
 * Finds the blocks in which a surplus grew, by halving: nothing has left the address since the last block that emptied it, so that
 * the surplus only grows from there.
 * @param emptied blocks that may have emptied the address, and others at which nothing may have been missing yet, the last first, and
 * at the end the one where following began
 */
export async function findArrivals(
  surplusAt: (height: number) => Promise<bigint>,
  emptied: readonly number[],
  upTo: number,
): Promise<readonly Arrival[]> {
  const arrivals: Arrival[] = []
  let since = required(emptied.at(-1), 'the block where following began')
  for (const height of emptied) {
    if ((await surplusAt(height)) > 0n) continue
    since = height
    break
  }
  while (arrivals.length < locatedMax) {
    const before = await surplusAt(since)
    const least = before > 0n ? before : 0n
    if ((await surplusAt(upTo)) <= least) return arrivals
    let without = since
    let withIt = upTo
    while (withIt - without > 1) {
      const middle = Math.floor((without + withIt) / 2)
      if ((await surplusAt(middle)) > least) withIt = middle
      else without = middle
    }
    arrivals.push({ height: withIt, amountMinor: (await surplusAt(withIt)) - least })
    since = withIt
  }
  return arrivals
}
