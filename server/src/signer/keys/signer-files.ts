import { join } from 'node:path'
import type { OrderKeyFiles } from './order-keys.ts'

export interface SignerFiles extends OrderKeyFiles {
  /** Only the signer's user can enter it. */
  readonly folder: string
  readonly keystore: string
  readonly passphrase: string
  readonly log: string
  /** In production it lies on a medium of its own. */
  readonly checkpoint: string
  /** Beside the folder, as the payouts role reads it too. */
  readonly intentKey: string
}

/** Where a sandbox keeps what its signer needs. */
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
