import { readFailures } from '../blocks/failure-store.ts'
import { readProgress } from '../blocks/store.ts'
import type { Queryable } from '../db/pool.ts'
import { readHeartbeats, readIncarnation, readLostBeats, readServer } from '../incarnation/store.ts'
import { readShownHalts } from '../payouts/standing-halts.ts'
import type { CofferState } from './diagnosis.ts'

/** What "coffer doctor" looks at; it writes nothing. */
export async function readState(on: Queryable): Promise<CofferState> {
  const incarnation = await readIncarnation(on)
  return {
    server: await readServer(on),
    incarnation,
    lostBeats: incarnation === undefined ? [] : await readLostBeats(on, incarnation.number),
    halts: await readShownHalts(on),
    heartbeats: await readHeartbeats(on),
    chains: await readProgress(on),
    failures: await readFailures(on),
  }
}
