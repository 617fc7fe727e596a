/**
 * Joins a watcher with the operator's own networks and tokens. A network or token is offered only once the holder
 * of the network's lease reads blocks with it, and no later holder may read blocks without it.
 */
import { readCursor } from '../chains/blocks/store.ts'
import { assert } from '../core/assert.ts'
import { monotonicMs } from '../core/clock.ts'
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

/** How long a number that was read is used. The database may lose it when another server takes over. */
const rereadMs = 10_000

/**
 * Returns a function that takes a step along a chain and then notes which entries were used. The entries are counted
 * before the step, because rows that are taken during the step may be missing from what it has read. While the lease
 * is held, nobody else notes a number, so it is not read before every step.
 * @returns throws InvariantError before the step, if another process offered rows that this process has not taken
 */
export function rowsFollower({
  db,
  network,
  lease,
  rowSerialOn,
}: FollowRowsParts): (step: () => Promise<number>) => Promise<number> {
  let known: { readonly noted: number; readonly untilMs: number } | undefined
  const readNoted = async () => {
    if (known !== undefined && monotonicMs() < known.untilMs) return known.noted
    const noted = await readFollowedSerial(db, network)
    known = { noted, untilMs: monotonicMs() + rereadMs }
    return noted
  }
  return async (step) => {
    const serial = rowSerialOn(network)
    const noted = await readNoted()
    assert(
      noted <= serial,
      `${network} was offered with signed entry ${noted}, and this process has taken entries up to ${serial}: ` +
        'no block is read without it. Check OPERATOR_PUBLIC_KEYS and the alert own-row-refused',
    )
    const blocks = await step()
    if (noted < serial) {
      known = undefined
      await inTransaction(db, async (tx) => {
        await assertLease(tx, lease)
        // Without a cursor, following begins at a later head, above payments that come before.
        if ((await readCursor(tx, network)) !== undefined) await noteFollowedSerial(tx, network, serial)
      })
    }
    return blocks
  }
}
