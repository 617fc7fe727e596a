import sql from 'sql-template-tag'
import { limits } from '../../../core/limits.ts'
import { named, type Queryable } from '../../../platform/db/pool.ts'

export interface HeldUtxo {
  readonly outpoint: string
  /** The height of the block that made the UTXO. */
  readonly height: number
}

/**
 * Returns the most valuable UTXOs that are unspent in the booked blocks, at most as many as one plan reads.
 */
export function readHeldUtxos(on: Queryable, network: string): Promise<readonly HeldUtxo[]> {
  return on.query<HeldUtxo>(
    named(
      'read-held-utxos',
      sql`
      select outpoint, height from own_output where network = ${network} and spent_by is null
      order by amount_minor desc, outpoint limit ${limits.utxosPerPlan}`,
    ),
  )
}
