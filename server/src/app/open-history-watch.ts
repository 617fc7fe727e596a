import type { Log } from '../core/log.ts'
import { insertOwnHalt } from '../outgoing/engine/controls/halt-store.ts'
import type { Db } from '../platform/db/pool.ts'
import { HistoryWatch } from '../platform/incarnation/history-watch.ts'
import type { Loss } from '../platform/incarnation/loss.ts'
import { openMemory } from '../platform/incarnation/memory-file.ts'
import type { CloseStack } from './close-stack.ts'
import type { Role } from './jobs.ts'
import type { Config } from './settings/config.ts'

interface OpenHistoryWatchParts {
  readonly config: Pick<Config, 'dataDir'>
  readonly roles: readonly Role[]
  readonly database: { readonly db: Db }
  readonly log: Log
  readonly opened: CloseStack
  /** Is called once for each loss of database history that this process notices. */
  readonly onLoss: (loss: Loss) => void | Promise<void>
}

/**
 * Returns the history watch of this process, after its first heartbeat was written. The first heartbeat
 * checks whether the database has lost history, so everything that starts later works on a checked database.
 * At the end of the process, the history watch ends after the jobs.
 * @throws the database's error if the heartbeat cannot be written; a start on a standby is therefore refused
 */
export async function openHistoryWatch({
  config,
  roles,
  database: { db },
  log,
  opened,
  onLoss,
}: OpenHistoryWatchParts): Promise<HistoryWatch> {
  const role = [...roles].sort().join('+')
  const history = new HistoryWatch({
    db,
    log,
    role,
    memory: await openMemory(config.dataDir, role),
    halt: (tx, detail) => insertOwnHalt(tx, 'history', detail),
    onLoss,
  })
  await history.beat()
  opened.add('heartbeat', () => history.end())
  return history
}
