import { existsSync } from 'node:fs'
import type { Halt } from '../../outgoing/engine/controls/halt-store.ts'
import { signerFiles } from '../../signer/keys/signer-files.ts'
import type { Config } from '../settings/config.ts'
import { runSignerVerb } from './signer-child.ts'

/**
 * Has a sandbox's own keystore sign that a halt is over, in a process of its own that ends at once. Undefined where the signer
 * is on a host of its own, as in production: there its operator signs.
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
  // Whatever the copy was that the database was put back from, its history goes on from here.
  const more = cause === 'history' ? ['--new-incarnation'] : []
  return runSignerVerb(['lift', ...words, ...more])
}
