import type { Queryable } from '../../../src/platform/db/pool.ts'
import { loginAttemptRecords } from './records.ts'

/**
 * Makes all login attempts look as if they came from this network, and gives them a subject of the same
 * number. Attempts at a second-factor code keep their source, which names the account.
 */
export async function forgeNetworks(on: Queryable, network: number): Promise<void> {
  const subjectHash = Buffer.from(String(network).padStart(8, '0'), 'hex')
  for (const { id, source } of await loginAttemptRecords.all(on, {}, 'id', 'source'))
    await loginAttemptRecords.change(
      on,
      { id },
      {
        source: source.startsWith('codes of ') ? source : `net ${network}`,
        subjectHash,
      },
    )
}
