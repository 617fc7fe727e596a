/**
 * Tests that a sandbox's operator lifts halts with one command, and that somebody who can write the database
 * cannot.
 */
import sql from 'sql-template-tag'
import { expect, it, vi } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import { insertHalt } from '../../src/outgoing/engine/controls/halt-store.ts'
import { attachEmbedded } from '../../src/platform/db/embedded/attach-embedded.ts'
import { openDb } from '../../src/platform/db/pool.ts'
import { ownSettings, runCoffer, startCoffer, useDataDirs } from '../support/coffer-process.ts'

const dataDirs = useDataDirs()
const patience = { timeout: 60_000, interval: 100 }

it('coffer payouts resume makes a sandbox sign the lift, and heads are countersigned', {
  timeout: 180_000,
}, async () => {
  const dataDir = await dataDirs.fresh()
  const settings = await ownSettings(dataDir)
  await startCoffer(settings)
  const db = openDb({ url: (await attachEmbedded(dataDir)).app, connections: 1, log: silentLog })
  try {
    await vi.waitUntil(
      async () => (await db.query(sql`select from seal_countersignature`)).length > 0,
      patience,
    )
    await insertHalt(db, 'books', 'a test')
    const listed = await runCoffer(['payouts', 'list'], settings)
    expect(listed.stdout).toMatch(/^halt {5}books {2}[0-9a-f-]{36} /m)
    const resumed = await runCoffer(['payouts', 'resume', 'books', '--reason', 'a test'], settings)
    expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining('Payouts are resumed.') })
    const again = await runCoffer(['payouts', 'resume', 'books', '--reason', 'a test'], settings)
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no halt "books"') })
    const forged = await runCoffer(['payouts', 'resume', 'coffer-lift.abc', '--reason', 'a test'], settings)
    expect(forged).toMatchObject({ code: 1, stderr: expect.stringContaining('not signed by the signer') })
  } finally {
    await db.close()
  }
})
