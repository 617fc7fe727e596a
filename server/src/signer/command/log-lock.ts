import { stat } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { SignerSetupError } from '../keys/private-file.ts'

/**
 * One signer for a log: two would each know half of what was signed. The lock is a name that the system gives back when
 * the process ends in whatever way; where there are no such names (other than Linux) it is left to whoever starts it.
 */
export async function lockLog(path: string): Promise<Server | undefined> {
  if (process.platform !== 'linux') return undefined
  const file = await stat(path).catch(() => undefined)
  if (file === undefined) return undefined
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve)
    server.once('error', () =>
      reject(new SignerSetupError(`Another signer runs on the log ${path}: stop it first`)),
    )
    server.listen(`\0coffer-signer-log-${file.dev}-${file.ino}`)
  })
  return server
}
