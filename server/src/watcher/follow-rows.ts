/**
 * Joins a watcher with the operator's own networks and tokens. A network or token is offered only once the holder
 * of the network's lease reads blocks with it, and no later holder may read blocks without it.
 */
import { readCursor } from '../chains/blocks/store.ts'
import { assert } from '../core/assert.ts'
import { assertLease, type Lease } from '../platform/db/lease.ts'
import type { Db } from '../platform/db/pool.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import { noteFollowedSerial, readFollowedSerial } from '../pricing/own-rows/store.ts'

export interface FollowRowsParts {
  readonly db: Db
  readonly network: string
  readonly lease: Lease
  /** Returns the number of the last entry about a network or its tokens that this process has taken; 0 if none. */
  rowSerialOn(network: string): number
}

/**
 * Takes a step along a chain and then notes which entries were used. The entries are counted before the step,
 * because rows that are taken during the step may be missing from what it has read.
 * @throws InvariantError before the step, if another process offered rows that this process has not taken
 */
export async function followWithRows(
  { db, network, lease, rowSerialOn }: FollowRowsParts,
  step: () => Promise<number>,
): Promise<number> {
  const serial = rowSerialOn(network)
  const noted = await readFollowedSerial(db, network)
  assert(
    noted <= serial,
    `${network} was offered with signed entry ${noted}, and this process has taken entries up to ${serial}: ` +
      'no block is read without it. Check OPERATOR_PUBLIC_KEYS and the alert own-row-refused',
  )
  const blocks = await step()
  if (noted < serial)
    await inTransaction(db, async (tx) => {
      await assertLease(tx, lease)
      // Without a cursor, following begins at a later head, above payments that come before.
      if ((await readCursor(tx, network)) !== undefined) await noteFollowedSerial(tx, network, serial)
    })
  return blocks
}
