/**
 * Compares the balances of addresses with the books, on chains whose nodes report balances at any block
 * (EVM).
 */
import { addressFamilyOf } from '../../chains/networks.ts'
import { type ChainReader, type TransferAsset, undefinedIfBadAnswer } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import { groupBy } from '../../core/group-by.ts'
import { sum } from '../../core/money.ts'
import { externalTransfers } from '../../payments/deposits/recording/external-transfers.ts'
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
import { isCoinLate } from './late-coin-store.ts'
import { type Holding, holdingKeyOf, type Missed, surplusesIn } from './missed-payment.ts'

interface AccountHolding extends Holding {
  readonly own: OwnAddress
  readonly method: PaymentMethod
  /** The unswept deposits of this asset at the address, with the heights of their blocks. */
  readonly unswept: readonly UnsweptDeposit[]
}

interface AccountParts extends ComparisonParts {
  /**
   * The height at which the last search compared addresses with the books. Lower than `firstHeight` if there
   * was no search yet.
   */
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
  const isLate = await isCoinLate(parts.db, parts.chain)
  for (const method of methodsOf(parts)) {
    const { asset } = method
    // Addresses may hold more coin than is booked. Comparing balances books it.
    const isLeftOut = isLate && method.contract === undefined
    for (const { id, address } of addresses)
      if (isLeftOut || books.isUncompared(id, asset)) uncompared.add(holdingKeyOf({ address, asset }))
    const compared = addresses.filter(({ address }) => !uncompared.has(holdingKeyOf({ address, asset })))
    if (compared.length === 0) continue
    const listedAddresses = compared.map(({ address }) => address)
    const held = await parts.chain.readBalances(assetOf(method), listedAddresses, at.height, signal)
    for (const [index, own] of compared.entries()) {
      const unswept = books.unsweptOn(own.id, method.asset)
      const bookedMinor = sum(unswept.map(({ amountMinor }) => amountMinor))
      const { address } = own
      holdings.push({
        own,
        method,
        unswept,
        address,
        asset: method.asset,
        heldMinor: held[index] ?? 0n,
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

/**
 * Reads the books in one snapshot. Two snapshots could disagree about a sweep: one would show its deposit as
 * swept, and the other would not contain the sweep.
 */
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

/**
 * Maximum number of payments that one search finds for one asset at one address. Later searches find the
 * other payments, after these are booked.
 */
const locatedMax = 20

/**
 * Finds the blocks that brought a surplus. Returns an empty list if the whole surplus was there before the
 * first followed block. The block of the last search is one of the blocks at which the bisection may start.
 * Most surpluses are newer than this block, and every node still has its state. If the nodes lack the state
 * of old blocks, returns the whole surplus as one finding without its block.
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
  const transfers = await locateTransfers(surplusAt, lastFirst, at.height)
    .then((all) => withoutOwn({ db, chain }, { own, method }, all, signal))
    .catch(undefinedIfBadAnswer)
  return transfers === undefined
    ? [{ ...found, height: at.height, amountMinor: surplusMinor, isLocated: false }]
    : transfers.map((transfer) => ({ ...found, ...transfer, isLocated: true }))
}

/**
 * Subtracts the amounts that our own addresses sent, because internal transfers are not deposits. For
 * example, a withdrawal may have been sent to the address of an invoice.
 */
async function withoutOwn(
  { db, chain }: Pick<ComparisonParts, 'db' | 'chain'>,
  { own, method }: Pick<AccountHolding, 'own' | 'method'>,
  transfers: readonly LocatedTransfer[],
  signal: AbortSignal,
): Promise<readonly LocatedTransfer[]> {
  const { network } = chain
  const left: LocatedTransfer[] = []
  for (const { height, amountMinor } of transfers) {
    const facts = await chain.readBlock(height, signal)
    const moved = (facts?.transfers ?? []).filter(({ recipient, asset }) => {
      const contract = asset.type === 'token' ? asset.contract : undefined
      return recipient === own.address && contract === method.contract
    })
    const senders = [...new Set(moved.flatMap(({ sender }) => sender ?? []))]
    const watched = await findWatched(db, { family: addressFamilyOf(network), network }, senders)
    const ownAddresses = new Set(watched.map(({ address }) => address))
    const others = new Set(await externalTransfers(chain, moved, ownAddresses, signal))
    const sent = moved.filter((transfer) => !others.has(transfer))
    const restMinor = amountMinor - sum(sent.map((transfer) => transfer.amountMinor))
    if (restMinor > 0n) left.push({ height, amountMinor: restMinor })
  }
  return left
}

function surplusReader(
  reader: ChainReader,
  { own, method, unswept }: Pick<AccountHolding, 'own' | 'method' | 'unswept'>,
  signal: AbortSignal,
): (height: number) => Promise<bigint> {
  return async (height) => {
    const [held = 0n] = await reader.readBalances(assetOf(method), [own.address], height, signal)
    const booked = unswept.filter((one) => one.isFoundByBalance || one.height <= height)
    return held - sum(booked.map(({ amountMinor }) => amountMinor))
  }
}

interface LocatedTransfer {
  readonly height: number
  readonly amountMinor: bigint
}

/**
 * Finds by bisection the blocks in which a surplus grew. Starts at a block after which nothing has left the
 * address, because the surplus can only grow from that block on.
 * @param emptied possible heights for the start, highest first. At such a height a sweep may have emptied the
 * address, or the surplus may not have existed yet. The last element is the height of the first followed
 * block.
 */
export async function locateTransfers(
  surplusAt: (height: number) => Promise<bigint>,
  emptied: readonly number[],
  upTo: number,
): Promise<readonly LocatedTransfer[]> {
  const transfers: LocatedTransfer[] = []
  let since = required(emptied.at(-1), 'the block where following began')
  for (const height of emptied) {
    if ((await surplusAt(height)) > 0n) continue
    since = height
    break
  }
  while (transfers.length < locatedMax) {
    const before = await surplusAt(since)
    const least = before > 0n ? before : 0n
    if ((await surplusAt(upTo)) <= least) return transfers
    let without = since
    let withIt = upTo
    while (withIt - without > 1) {
      const middle = Math.floor((without + withIt) / 2)
      if ((await surplusAt(middle)) > least) withIt = middle
      else without = middle
    }
    transfers.push({ height: withIt, amountMinor: (await surplusAt(withIt)) - least })
    since = withIt
  }
  return transfers
}
