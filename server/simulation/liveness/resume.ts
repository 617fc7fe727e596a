/** The operator lifts all halts that a restore or a lying node caused, as docs/signer.md and docs/production.md say. */
import { readAssetHalts } from '../../src/outgoing/engine/controls/asset-halt-store.ts'
import { resumeAsset } from '../../src/outgoing/engine/controls/asset-halts.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { fateOf, type Play } from '../play.ts'
import { type Called, request } from '../world/call-api.ts'
import type { Installation } from '../world/installation.ts'
import { liftHalts } from '../world/operator.ts'

/** Lifts the halts of all payouts and of single assets. A halt whose cause lasts comes back. */
export async function resumePayouts(db: Db, at: Date): Promise<void> {
  await liftHalts(db, at)
  await inTransaction(db, async (tx) => {
    for (const { asset } of await readAssetHalts(tx))
      await resumeAsset(tx, asset, { reason: 'the cause is known' })
  })
}

function callResume(world: Installation): Promise<Called> {
  return request(world, 'resume payouts', async ({ db }) => resumePayouts(db, world.now))
}

/** The moves of seeds in which snapshots are restored. */
export const resumePlays = {
  'resume payouts': async (world) => `the operator lifts all halts${fateOf(await callResume(world))}`,
} satisfies Readonly<Record<string, Play>>

export const resumeWeights: Readonly<Record<keyof typeof resumePlays, number>> = { 'resume payouts': 1.5 }
