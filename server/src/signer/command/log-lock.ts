import { stat } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { SignerSetupError } from '../keys/private-file.ts'

/**
 * Ensures that at most one signer uses a log. Two signers on one log would each know only the signatures that
 * they made themselves. The lock is an abstract socket name, which the system releases when the process ends
 * for any reason. Only Linux has abstract socket names. On other systems the operator must ensure that only
 * one signer runs.
 * @throws SignerSetupError if another signer uses the log.
 */
export async function lockLog(path: string): Promise<Server | undefined> {
  if (process.platform !== 'linux') return undefined
  const file = await stat(path).catch(() => undefined)
  if (file === undefined) return undefined
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve)
    server.once('error', () =>
      reject(new SignerSetupError(`Another signer is using the log ${path}: stop it first`)),
    )
    server.listen(`\0coffer-signer-log-${file.dev}-${file.ino}`)
  })
  return server
}
