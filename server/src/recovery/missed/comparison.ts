/**
 * The input and the result of a comparison of addresses with the books. EVM chains and UTXO chains each have
 * a comparison of their own (`compare-accounts.ts`, `compare-outputs.ts`).
 */
import type { ChainReader } from '../../chains/port.ts'
import type { Log } from '../../core/log.ts'
import type { Db } from '../../platform/db/pool.ts'
import { finalHeightOf, type PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { type OwnAddress, readBlockHash, readBookedRange } from './books-store.ts'
import type { Missed } from './missed-payment.ts'

export interface ComparisonParts {
  readonly db: Db
  readonly chain: ChainReader
  readonly methods: PaymentMethods
  readonly log: Log
}

/** A booked and final block, at which chain and books are compared. */
export interface ComparedBlock {
  readonly height: number
  readonly hash: string
  /** The height of the first block that Coffer followed. Transfers in earlier blocks pay no invoice. */
  readonly firstHeight: number
}

/** Result of comparing some addresses with the books. */
export interface Comparison {
  readonly missed: readonly Missed[]
  /**
   * Keys (`holdingKeyOf`) of the holdings that could not be compared, for example because a sweep is emptying
   * the address.
   */
  readonly uncompared: ReadonlySet<string>
}

export type Compare = (
  addresses: readonly OwnAddress[],
  at: ComparedBlock,
  signal: AbortSignal,
) => Promise<Comparison>

/**
 * Returns the highest block that is booked and final. Returns undefined if there is no such block, or if that
 * block was just reverted.
 */
export async function readComparedBlock({
  db,
  chain: { network },
  methods,
}: ComparisonParts): Promise<ComparedBlock | undefined> {
  const range = await readBookedRange(db, network)
  if (range === undefined) return undefined
  const { firstHeight } = range
  const height = Math.min(range.height, finalHeightOf(methods, network, range))
  if (height < firstHeight) return undefined
  const hash = await readBlockHash(db, network, height)
  return hash === undefined ? undefined : { height, hash, firstHeight }
}
