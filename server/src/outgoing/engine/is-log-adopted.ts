import type { Queryable } from '../../platform/db/pool.ts'
import { type Signer, SignerAwayError } from '../../signing/signer-port.ts'
import { readLogPosition } from './log-position-store.ts'

/**
 * Returns true if the database contains every entry of the signer's log. Entries are missing after a restore,
 * until they are adopted. Returns false if the signer does not answer.
 */
export async function isLogAdopted(on: Queryable, signer: Pick<Signer, 'readLog'>): Promise<boolean> {
  try {
    return (await signer.readLog(await readLogPosition(on), 1)).length === 0
  } catch (error) {
    if (error instanceof SignerAwayError) return false
    throw error
  }
}
