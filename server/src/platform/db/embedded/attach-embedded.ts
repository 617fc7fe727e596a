import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive } from '../../../core/process-table.ts'
import { readOrMakeCredentials } from './credentials.ts'
import { EmbeddedServerError } from './embedded-error.ts'
import { chooseLocation } from './location.ts'
import { type ServerUrls, serverUrls } from './provision.ts'

/**
 * Returns the URLs of the embedded server that a running Coffer has started in `dataDir`, for commands that
 * run beside that Coffer.
 * @throws EmbeddedServerError if that server is not ready
 */
export async function attachEmbedded(dataDir: string, sharedDir = '/var/lib/coffer'): Promise<ServerUrls> {
  const { cluster } = await chooseLocation(dataDir, sharedDir)
  const record = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  // The lines of postmaster.pid: 1 is the process id, 4 the port, 8 the status (PostgreSQL, utils/pidfile.h).
  const [pid = '', , , port = '', , , , status = ''] = record.split('\n')
  if (status.trim() !== 'ready' || !isAlive(Number(pid))) {
    throw new EmbeddedServerError(
      'The database of the running Coffer is not ready yet: try again in a moment',
    )
  }
  return serverUrls(Number(port), await readOrMakeCredentials(dataDir, true))
}
