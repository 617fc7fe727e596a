/**
 * Tests the restore of a backup: everything after it is lost, and no address that was assigned since is ever
 * assigned again.
 */
import { cp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { type Manifest, readManifest, writeManifest } from '../../src/platform/db/backup-format.ts'
import {
  call,
  isMined,
  type MerchantClient,
  merchantAt,
  openMerchant,
  payFrom,
  printedLogin,
} from '../support/coffer-client.ts'
import {
  ownSettings,
  processesIn,
  runCoffer,
  type Settings,
  startCoffer,
  useDataDirs,
} from '../support/coffer-process.ts'

const dataDirs = useDataDirs()

it('assigns new addresses after a restore, forgets the invoices created after the backup, and recovers payments to them', async () => {
  const dataDir = await dataDirs.fresh()
  const settings = await ownSettings(dataDir)
  let coffer = await startCoffer(settings)
  const merchant = await openMerchant(coffer.url, printedLogin(coffer))
  const kept = await invoices(merchant, 3)
  const backup = await runCoffer(['backup'], settings)
  expect(backup.code, backup.stderr).toBe(0)
  const lostSameStart = await invoices(merchant, 3)
  await coffer.stop()
  coffer = await startCoffer(settings)
  const lostNextStart = await invoices(merchantAt(coffer.url, merchant), 3)
  const [paidBefore = '', paidLater = ''] = [...lostSameStart.values()]
  const [paidNextStart = ''] = lostNextStart.values()
  await paid(coffer, paidBefore, paidNextStart)

  const folder = backup.stdout.trim()
  const refused = await runCoffer(['restore', folder, '--replace'], settings)
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain(`Coffer is already running on ${dataDir}`)
  await coffer.stop()

  const restored = await runCoffer(['restore', folder, '--replace'], settings)
  expect(restored.code, restored.stderr).toBe(0)
  expect(restored.stderr).toMatch(/the previous database is kept as \S+/)
  expect(restored.stdout).toMatch(/API keys are as they were then: one revoked since \S+Z works again/)
  const [, since = ''] = /coffer recover --since (\S+)/.exec(restored.stdout) ?? []
  const recovered = await runCoffer(['recover', '--since', since], settings)
  expect(recovered.code, recovered.stderr).toBe(0)
  expect(recovered.stdout).toMatch(/^ethereum: \d+ addresses derived, [1-9]\d* of them newly watched/m)
  expect(processesIn(dataDir)).toEqual([])
  coffer = await startCoffer(settings)
  await paid(coffer, paidLater)
  await vi.waitFor(
    async () => {
      const listed = await runCoffer(['treasury', 'unattributed', '--json'], settings)
      for (const address of [paidBefore, paidNextStart, paidLater])
        expect(listed.stdout.toLowerCase()).toContain(address.toLowerCase())
    },
    { timeout: 30_000, interval: 500 },
  )
  const earlier = new Date(Date.parse(since) - 600_000).toISOString()
  const again = ['recover', '--since', earlier, '--until', since, '--addresses', '1']
  const tooLate = await runCoffer(again, settings)
  expect([tooLate.code, tooLate.stderr]).toEqual([
    1,
    expect.stringMatching(/^ethereum was read since, up to/m),
  ])
  const after = merchantAt(coffer.url, merchant)
  const byOldLogin = await call(`${coffer.url}/merchants`, 'GET', {
    authorization: `Bearer ${merchant.token}`,
  })
  expect(byOldLogin.status, 'a login of before the restore still works').toBe(401)
  expect([...(await after.states()).keys()].sort()).toEqual([...kept.keys()].sort())
  for (const [invoiceId, address] of kept) expect((await after.addressOf(invoiceId)).address).toBe(address)
  for (const invoiceId of [...lostSameStart.keys(), ...lostNextStart.keys()]) {
    expect((await call(publicAddress(coffer.url, invoiceId), 'GET', {})).status).toBe(404)
  }
  const givenBefore = [...kept.values(), ...lostSameStart.values(), ...lostNextStart.values()]
  const fresh = await invoices(after, 9)
  expect(new Set([...givenBefore, ...fresh.values()]).size).toBe(givenBefore.length + fresh.size)

  const { code, stdout, stderr } = await runCoffer(['verify'], settings)
  expect(code, stdout + stderr).toBe(0)
  await coffer.stop()
}, 120_000)

describe('a restore with --replace that fails', () => {
  let settings: Settings
  let folder: string
  let merchant: MerchantClient
  let given: ReadonlyMap<string, string>

  beforeAll(async () => {
    settings = await ownSettings(await dataDirs.fresh())
    const coffer = await startCoffer(settings)
    merchant = await openMerchant(coffer.url, printedLogin(coffer))
    given = await invoices(merchant, 1)
    const backup = await runCoffer(['backup'], settings)
    folder = backup.stdout.trim()
    given = new Map([...given, ...(await invoices(merchant, 1))])
    await coffer.stop()
  })

  const faults: Record<string, readonly [said: RegExp, change: (copy: string) => Promise<unknown>]> = {
    'names no backup': [/is not a backup/, (copy) => rm(copy, { recursive: true })],
    'names a damaged one': [
      /merchant\.copy\.gz is damaged/,
      (copy) => truncate(tableIn(copy, 'merchant'), 20),
    ],
    'names one of a newer Coffer': [/made by another version of Coffer/, addMigration],
    'fails while it loads': [/violates foreign key/, emptyAccounts],
  }

  it.each(Object.entries(faults))(
    'leaves the database unchanged when it %s',
    async (_how, [said, change]) => {
      const copy = join(await dataDirs.fresh(), 'copy')
      await cp(folder, copy, { recursive: true })
      await change(copy)
      const { code, stderr } = await runCoffer(['restore', copy, '--replace'], settings)
      expect([code, stderr]).toEqual([1, expect.stringMatching(said)])

      const coffer = await startCoffer(settings)
      const after = merchantAt(coffer.url, merchant)
      expect([...(await after.states()).keys()].sort()).toEqual([...given.keys()].sort())
      for (const [invoiceId, address] of given)
        expect((await after.addressOf(invoiceId)).address).toBe(address)
      await coffer.stop()
    },
  )
})

function tableIn(folder: string, name: string): string {
  return join(folder, `${name}.copy.gz`)
}

/** Changes the manifest and signs it again, so that it looks as if another Coffer had written it. */
async function changeManifest(folder: string, change: (manifest: Manifest) => Manifest): Promise<void> {
  const path = join(folder, 'manifest.json')
  await writeFile(path, writeManifest(change(readManifest(await readFile(path, 'utf8')))))
}

function addMigration(folder: string): Promise<void> {
  const later = { name: '9999-later.sql', checksum: 'f'.repeat(64) }
  return changeManifest(folder, (manifest) => ({ ...manifest, migrations: [...manifest.migrations, later] }))
}

/**
 * Creates a backup that passes every check of its files, although its sessions and members refer to no
 * account.
 */
async function emptyAccounts(folder: string): Promise<void> {
  await writeFile(tableIn(folder, 'account'), gzipSync(''))
  const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  await changeManifest(folder, (manifest) => ({
    ...manifest,
    tables: manifest.tables.map((table) =>
      table.name === 'account' ? { ...table, rows: 0, sha256 } : table,
    ),
  }))
}

/** Creates invoices and returns their addresses, by invoice. */
async function invoices(merchant: MerchantClient, count: number): Promise<Map<string, string>> {
  const made = new Map<string, string>()
  for (let number = 0; number < count; number += 1) {
    const invoiceId = await merchant.createInvoice()
    made.set(invoiceId, (await merchant.addressOf(invoiceId)).address)
  }
  return made
}

/** Pays to addresses, and waits until the payments are in blocks. */
async function paid(
  { nodeUrl }: { readonly nodeUrl: string },
  ...addresses: readonly string[]
): Promise<void> {
  for (const address of addresses) {
    const txHash = await payFrom(nodeUrl, 5, { address, amount: '0.01' })
    await vi.waitFor(async () => expect(await isMined(nodeUrl, txHash)).toBe(true), { timeout: 10_000 })
  }
}

function publicAddress(url: string, invoiceId: string): string {
  return `${url}/public/invoices/${invoiceId}/method/3/address`
}
