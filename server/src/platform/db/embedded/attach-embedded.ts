import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive } from '../../../core/process-table.ts'
import { readOrMakeCredentials } from './credentials.ts'
import { EmbeddedServerError } from './embedded-error.ts'
import { choosePlace } from './place.ts'
import { type ServerUrls, serverUrls } from './provision.ts'

/**
 * The URLs of the server that another Coffer runs in `dataDir` right now, for commands beside it.
 * @throws EmbeddedServerError when it is not ready
 */
export async function attachEmbedded(dataDir: string, sharedDir = '/var/lib/coffer'): Promise<ServerUrls> {
  const { cluster } = await choosePlace(dataDir, sharedDir)
  const record = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  // postmaster.pid by line: 1 is the process, 4 the port, 8 the status (PostgreSQL, utils/pidfile.h).
  const [pid = '', , , port = '', , , , status = ''] = record.split('\n')
  if (status.trim() !== 'ready' || !isAlive(Number(pid))) {
    throw new EmbeddedServerError(
      'The Coffer that runs here has no database ready yet: try again in a moment',
    )
  }
  return serverUrls(Number(port), await readOrMakeCredentials(dataDir, true))
}
