import type { BenchParts } from './bench.ts'
import { fillShop, inUsdt, type PaidIn } from './fill-shop.ts'
import type { DevNode } from './open-node.ts'
import type { OpenedDatabase, Postgres } from './open-postgres.ts'

export interface Sizes {
  /**
   * Numbers of watched addresses. The benchmark uses a separate database for each number and compares the
   * results.
   */
  readonly watched: readonly number[]
  readonly payments: number
  readonly postings: number
  readonly smallBlocks: number
  readonly fullBlocks: number
  readonly catchUps: number
  readonly latencyBlocks: number
}

/** The parts that every measurement of the watcher needs. */
export interface Prepared extends BenchParts {
  readonly sizes: Sizes
  readonly postgres: Postgres
  readonly node: DevNode
  readonly shops: readonly Shop[]
}

/** A database with open invoices. Each measurement takes a copy of it. */
export interface Shop {
  readonly template: string
  /** All watched addresses. With the same seed, a smaller shop has the first addresses of a larger shop. */
  readonly addresses: readonly string[]
}

const merchants = 500

export async function openShop(
  postgres: Postgres,
  { seed, note }: BenchParts,
  addresses: number,
  paidIn: PaidIn = inUsdt,
): Promise<Shop> {
  note(`a shop with ${addresses} watched addresses, on ${paidIn.network}`)
  const database = await postgres.copy()
  const filled = await fillShop(database.db, { seed, merchants, addresses, paidIn })
  await database.settleAndClose()
  return { template: database.name, addresses: filled }
}

/** Runs `work` on a new copy of the shop's database. */
export async function onCopy<T>(
  { postgres }: Pick<Prepared, 'postgres'>,
  shop: Shop,
  work: (database: OpenedDatabase) => Promise<T>,
): Promise<T> {
  const database = await postgres.copy(shop.template)
  try {
    return await work(database)
  } finally {
    await database.drop()
  }
}
