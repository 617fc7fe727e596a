import { existsSync } from 'node:fs'
import type { Halt } from '../../outgoing/engine/controls/halt-store.ts'
import { signerFiles } from '../../signer/keys/signer-files.ts'
import type { Config } from '../settings/config.ts'
import { runSignerVerb } from './signer-child.ts'

/**
 * Uses the sandbox's own keystore, in a short-lived process, to sign a statement that lifts a halt. Returns
 * undefined if the signer is on a separate host, as in production. The operator of that host signs the
 * statement there.
 */
export async function liftInSandbox(
  config: Config,
  { id, cause }: Halt,
  reason: string,
): Promise<string | undefined> {
  const files = signerFiles(config.dataDir)
  const keystore = config.keystoreFile ?? files.keystore
  if (config.mode === 'production' || config.signerSocket !== undefined || !existsSync(keystore))
    return undefined
  const passphrase = config.keystorePassphraseFile ?? files.passphrase
  const words = ['--halt', id, '--reason', reason, '--keystore', keystore, '--passphrase-file', passphrase]
  // After a restore, the database gets a new id, because its history continues from the restored copy.
  const more = cause === 'history' ? ['--new-database-id'] : []
  return runSignerVerb(['lift', ...words, ...more])
}
