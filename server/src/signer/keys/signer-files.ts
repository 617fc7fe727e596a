import { join } from 'node:path'
import type { OrderKeyFiles } from './order-keys.ts'

export interface SignerFiles extends OrderKeyFiles {
  /** Only the signer's user can enter this folder. */
  readonly folder: string
  readonly keystore: string
  readonly passphrase: string
  readonly log: string
  /** Path of the checkpoint. In production the checkpoint is on a medium outside this host. */
  readonly checkpoint: string
  /** Path of the intent key. It is outside `folder`, because the role `payouts` reads it too. */
  readonly intentKey: string
}

/** Returns the paths of the files that a sandbox's signer needs. */
export function signerFiles(dataDir: string): SignerFiles {
  const folder = join(dataDir, 'signer')
  return {
    folder,
    keystore: join(folder, 'keystore.json'),
    passphrase: join(folder, 'passphrase'),
    log: join(folder, 'signed.log'),
    checkpoint: join(folder, 'checkpoint'),
    intentKey: join(dataDir, 'intent.key'),
    orderKey: join(dataDir, 'order.key'),
    orderPublicKeys: join(dataDir, 'order-keys.pub'),
  }
}
