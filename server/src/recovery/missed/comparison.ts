/** What a look at some addresses needs, and what it tells. How they are looked at differs between kinds of chains. */
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

/** A block that is booked and final, at which chain and books are compared. */
export interface ComparedBlock {
  readonly height: number
  readonly hash: string
  /** Where following began: what came before is nobody's payment. */
  readonly firstHeight: number
}

/** What some addresses hold beside the books. */
export interface Comparison {
  readonly missed: readonly Missed[]
  /** By `placeOf`: of which nothing was said, such as addresses that a sweep is emptying. */
  readonly uncompared: ReadonlySet<string>
}

export type Compare = (
  addresses: readonly OwnAddress[],
  at: ComparedBlock,
  signal: AbortSignal,
) => Promise<Comparison>

/** The highest block that is booked and final; undefined where there is none, or it was just taken back. */
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
