/**
 * Tests the users that Coffer runs as: root in a folder that only root can enter, and an ordinary user.
 * PostgreSQL itself never runs as root.
 */
import { chmod, chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { openMerchant, payFrom, printedLogin } from '../support/coffer-client.ts'
import {
  ownSettings,
  processesIn,
  type RunningCoffer,
  runCoffer,
  startCoffer,
  stub,
  useDataDirs,
} from '../support/coffer-process.ts'
import { isReadableByOthers } from '../support/readable-by-others.ts'

const dataDirs = useDataDirs()
const isRoot = process.getuid?.() === 0
const nobodyUser = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', process.execPath]
const leftovers: string[] = []

afterEach(async () => {
  for (const folder of leftovers.splice(0)) await rm(folder, { recursive: true, force: true })
})

it.skipIf(!isRoot)('works as root in a DATA_DIR that nobody else can enter', async () => {
  const dataDir = await mkdtemp(join(homedir(), 'coffer-process-'))
  await chmod(dataDir, 0o700)
  leftovers.push(dataDir)
  const coffer = await startCoffer(await ownSettings(dataDir))
  const elsewhere = (await readFile(join(dataDir, 'postgres-location'), 'utf8')).trim()
  leftovers.push(elsewhere)
  await expectPayable(coffer)
  expect(await coffer.stop()).toEqual({ code: 0, signal: null })
  expect([...processesIn(dataDir), ...processesIn(elsewhere)]).toEqual([])
})

it.skipIf(!isRoot || !isReadableByOthers())('works as an ordinary user', async () => {
  // Builds as root first, because the ordinary user may not write here.
  expect((await runCoffer(['help'], {})).code).toBe(0)
  const dataDir = await dataDirs.fresh()
  await chown(dataDir, 65534, 65534)
  const [program = '', ...rest] = nobodyUser
  const coffer = await startCoffer(await ownSettings(dataDir), { command: [program, ...rest, stub] })
  expect(await readFile(`/proc/${coffer.pid}/status`, 'utf8')).toMatch(/^Uid:\t65534\t65534/m)
  await expectPayable(coffer)
  expect(await coffer.stop()).toEqual({ code: 0, signal: null })
  expect(processesIn(dataDir)).toEqual([])
})

async function expectPayable(coffer: RunningCoffer): Promise<void> {
  const merchant = await openMerchant(coffer.url, printedLogin(coffer))
  const invoiceId = await merchant.createInvoice()
  await payFrom(coffer.nodeUrl, 2, await merchant.addressOf(invoiceId))
  await merchant.becomes(invoiceId, 'paid')
}
