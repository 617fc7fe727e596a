import sql from 'sql-template-tag'
import type { Queryable } from '../db/pool.ts'

export interface Lane {
  readonly network: string
  readonly lane: number
  /** In canonical spelling. */
  readonly address: string
}

/** The hot lanes of a network, as the signer attested them. */
export function readLanes(on: Queryable, network: string): Promise<readonly Lane[]> {
  return on.query<Lane>(sql`
    select network, lane, address from hot_wallet where network = ${network} order by lane`)
}
