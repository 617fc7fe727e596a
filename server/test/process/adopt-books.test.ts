/** An installation with money in its books is brought from a version without MACs to this one. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { withStoppedDatabase } from '../../src/app/open-database.ts'
import { readConfig } from '../../src/app/settings/config.ts'
import { silentLog } from '../../src/core/log.ts'
import { merchantAt, openMerchant, payFrom, printedLogin } from '../support/coffer-client.ts'
import { ownSettings, runCoffer, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { takeMacsBack } from '../support/take-macs-back.ts'

const dataDirs = useDataDirs()

it('starts on books of before once they were adopted, takes payments to addresses that were given before, and verifies', async () => {
  const dataDir = await dataDirs.fresh()
  const settings = await ownSettings(dataDir)
  let coffer = await startCoffer(settings)
  const merchant = await openMerchant(coffer.url, printedLogin(coffer))
  const paid = await merchant.createInvoice()
  const later = await merchant.createInvoice()
  await payFrom(coffer.nodeUrl, 2, await merchant.addressOf(paid))
  const given = await merchant.addressOf(later)
  await merchant.becomes(paid, 'paid')
  await expect
    .poll(async () => (await merchant.transactions())[0]?.state, { timeout: 20_000 })
    .toBe('confirmed')
  await coffer.stop()
  await withStoppedDatabase(readConfig(settings), silentLog, ({ superuser }) => takeMacsBack(superuser))
  await rm(join(dataDir, 'books.key'))

  const refused = await runCoffer(['start'], settings)
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('coffer books-key adopt')
  const adopted = await runCoffer(['books-key', 'adopt', '--reason', 'upgrade'], settings)
  expect(adopted.code, adopted.stdout + adopted.stderr).toBe(0)

  coffer = await startCoffer(settings)
  await payFrom(coffer.nodeUrl, 2, given)
  await merchantAt(coffer.url, merchant).becomes(later, 'paid')
  const verified = await runCoffer(['verify'], settings)
  expect(verified.code, verified.stdout + verified.stderr).toBe(0)
  expect(verified.stdout).toMatch(/M21-journals +OK/)
  await coffer.stop()
})
