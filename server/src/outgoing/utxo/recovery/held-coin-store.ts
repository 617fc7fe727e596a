import sql from 'sql-template-tag'
import { limits } from '../../../core/limits.ts'
import { named, type Queryable } from '../../../platform/db/pool.ts'

export interface HeldCoin {
  readonly outpoint: string
  /** Of the block that made it. */
  readonly height: number
}

/** Coins that nothing spends by our own blocks, as many of the most valuable as are looked at for a payout. */
export function readHeldCoins(on: Queryable, network: string): Promise<readonly HeldCoin[]> {
  return on.query<HeldCoin>(
    named(
      'read-held-coins',
      sql`
      select outpoint, height from coin where network = ${network} and spent_by is null
      order by amount_minor desc, outpoint limit ${limits.coinsPerPlan}`,
    ),
  )
}
