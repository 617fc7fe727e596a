/** The part of a Coffer process that runs its database. Tests start it in order to kill it. */
import { silentLog } from '../../src/core/log.ts'
import { lockDataDir } from '../../src/platform/db/embedded/data-dir-lock.ts'
import { startEmbedded } from '../../src/platform/db/embedded/start-embedded.ts'

const dataDir = process.env['DATA_DIR'] ?? ''

try {
  lockDataDir(dataDir)
  if (process.env['LOCK_ONLY'] === undefined) {
    const { port, pid, superuserUrl } = await startEmbedded({ dataDir, log: silentLog })
    process.stdout.write(`${JSON.stringify({ port, pid, superuserUrl })}\n`)
  } else {
    process.stdout.write(`${JSON.stringify({ locked: true })}\n`)
  }
  setInterval(() => {}, 60_000)
} catch (error) {
  process.stdout.write(`${JSON.stringify({ refused: String(error) })}\n`)
}
