import type { Queryable } from '../../platform/db/pool.ts'
import { type Signer, SignerAwayError } from '../../signing/signer-port.ts'
import { readLogMark } from './log-mark-store.ts'

/** Whether the database knows of all that the signer ever signed; a restored one does not, until that was taken over. */
export async function isLogAdopted(on: Queryable, signer: Pick<Signer, 'readLog'>): Promise<boolean> {
  try {
    return (await signer.readLog(await readLogMark(on), 1)).length === 0
  } catch (error) {
    if (error instanceof SignerAwayError) return false
    throw error
  }
}
