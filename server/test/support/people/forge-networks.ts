import type { Queryable } from '../../../src/platform/db/pool.ts'
import { loginAttemptRecords } from './records.ts'

/**
 * Makes all login attempts look made from this network for this subject. Attempts that are counted by
 * second-factor codes keep their source.
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
