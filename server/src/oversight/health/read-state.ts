import { readFailures } from '../../chains/blocks/failure-store.ts'
import { readProgress } from '../../chains/blocks/store.ts'
import { addressFamilyOf, networkOf } from '../../chains/networks.ts'
import { readShownHalts } from '../../outgoing/engine/controls/active-halts.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import {
  readHeartbeats,
  readIncarnation,
  readLostBeats,
  readServer,
} from '../../platform/incarnation/store.ts'
import { readHolds } from '../../recovery/lost-history/fence-store.ts'
import type { CofferState, NetworkHold } from './diagnosis.ts'

/** Reads the state that `coffer doctor` describes, and writes nothing. */
export async function readState(on: Queryable): Promise<CofferState> {
  const incarnation = await readIncarnation(on)
  const chains = await readProgress(on)
  return {
    server: await readServer(on),
    incarnation,
    lostBeats: incarnation === undefined ? [] : await readLostBeats(on, incarnation.number),
    halts: await readShownHalts(on),
    heartbeats: await readHeartbeats(on),
    chains,
    holds: await readNetworkHolds(
      on,
      chains.map(({ network }) => network),
    ),
    failures: await readFailures(on),
  }
}

async function readNetworkHolds(on: Queryable, names: readonly string[]): Promise<readonly NetworkHold[]> {
  const followed = names.filter((name) => networkOf(name) !== undefined)
  const holds = await readHolds(on, followed.map(addressFamilyOf))
  return followed.flatMap((network) =>
    holds
      .filter(({ family }) => family === addressFamilyOf(network))
      .map(({ cause, since }) => ({ network, cause, since })),
  )
}
