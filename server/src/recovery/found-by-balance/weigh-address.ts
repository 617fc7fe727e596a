/** Compares the coin of one address with the books, and decides what to book. */
import { type ChainReader, undefinedIfBadAnswer } from '../../chains/port.ts'
import type { Db } from '../../platform/db/pool.ts'
import { type AddressBooks, type Coin, readCoinBooks } from './coin-books-store.ts'
import { divideExcess, type ExcessAt, excessOf, type FoundAmount, type SweptSurplus } from './excess.ts'
import { balanceAt } from './paid-height.ts'
import type { PassAddress } from './pass-store.ts'

export interface WeighParts {
  readonly db: Db
  readonly chain: ChainReader
  readonly coin: Coin
  readonly firstHeight: number
}

/** An address with its balance and its books at the block of the pass. */
export interface WeighedAddress {
  readonly own: PassAddress
  readonly books: AddressBooks
  readonly balanceMinor: bigint
  readonly surpluses: readonly SweptSurplus[]
}

/** What to book for an address, and the books on which the decision was made, by height. */
export interface Weighed {
  readonly found: readonly FoundAmount[]
  readonly booksAt: ReadonlyMap<number, AddressBooks>
  readonly beforeMinor: bigint
}

/**
 * Decides what to book for an address. Returns undefined if no node has the state of a block that is needed, so
 * that nothing can be said now.
 */
export async function weighAddress(
  parts: WeighParts,
  { own, books, balanceMinor, surpluses }: WeighedAddress,
  height: number,
  signal: AbortSignal,
): Promise<Weighed | undefined> {
  const booksAt = new Map([[height, books]])
  // What was there before the first block can only lower the excess, so most addresses need no further request.
  const mostMinor = excessOf(balanceMinor, 0n, books)
  if (mostMinor === 0n && surpluses.length === 0) return { found: [], booksAt, beforeMinor: 0n }
  const beforeMinor = await readBefore(parts, { own, books }, signal)
  if (beforeMinor === undefined) return undefined
  const last = { height, excessMinor: excessOf(balanceMinor, beforeMinor, books) }
  const weighed: (SweptSurplus & ExcessAt)[] = []
  for (const surplus of surpluses) {
    const at = await readExcessAt(parts, own, { height: surplus.height, beforeMinor }, signal)
    if (at !== undefined) booksAt.set(surplus.height, at.books)
    // Without the state of the sweep's block, all that is missing from the books may be what the sweep took.
    weighed.push({ ...surplus, excessMinor: (at ?? last).excessMinor })
  }
  return { found: divideExcess(weighed, last), booksAt, beforeMinor }
}

/**
 * Returns the balance of an address at the first followed block, which pays no invoice. An address that was
 * assigned later had none. Returns undefined if that is not known and no node has the state of the block.
 */
async function readBefore(
  { chain, firstHeight }: WeighParts,
  { own, books }: Pick<WeighedAddress, 'own' | 'books'>,
  signal: AbortSignal,
): Promise<bigint | undefined> {
  const heldMinor = await balanceAt(chain, own.address, firstHeight, signal).catch(undefinedIfBadAnswer)
  return heldMinor ?? (books.isNewer ? 0n : undefined)
}

/**
 * Returns the excess of an address at an earlier block, with the books of that time. Returns undefined if no node
 * has the state of the block.
 */
export async function readExcessAt(
  { db, chain, coin }: WeighParts,
  { id, address }: PassAddress,
  { height, beforeMinor }: { readonly height: number; readonly beforeMinor: bigint },
  signal: AbortSignal,
): Promise<{ readonly books: AddressBooks; readonly excessMinor: bigint } | undefined> {
  const heldMinor = await balanceAt(chain, address, height, signal).catch(undefinedIfBadAnswer)
  const [books] = await readCoinBooks(db, coin, { addressIds: [id], height })
  if (heldMinor === undefined || books === undefined) return undefined
  return { books, excessMinor: excessOf(heldMinor, beforeMinor, books) }
}
