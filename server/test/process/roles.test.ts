/** Several processes on one PostgreSQL of the operator's own, with the two roles that it is meant to be used by. */

import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import { KeyTree } from '../../src/signer/key-tree.ts'
import { useAnvil } from '../support/anvil.ts'
import { openMerchant, payFrom } from '../support/coffer-client.ts'
import { runCoffer, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { useDatabase } from '../support/database.ts'
import { startMerchantServer } from '../support/merchant-server.ts'

const database = useDatabase({ migrated: false })
const anvil = useAnvil({ blockTimeS: 0.2 })
const dataDirs = useDataDirs()
const password = 'correct horse battery staple'

it('shares one database between an API and its workers, started at the same moment', async () => {
  const shared = {
    DATABASE_URL: database.urls.app,
    MIGRATION_DATABASE_URL: database.urls.owner,
    EVM_RPC_ETHEREUM: anvil.url,
    ADMIN_PASSWORD: password,
    JWT_SECRET: 'j'.repeat(32),
    ENCRYPTION_KEY: 'ab'.repeat(32),
    XPUB_EVM: new KeyTree('test test test test test test test test test test test junk', 1).depositXpub,
    PORT: '0',
  }
  const folders = [await dataDirs.fresh(), await dataDirs.fresh(), await dataDirs.fresh()] as const
  const start = (place: 0 | 1 | 2, which: string) =>
    startCoffer({ ...shared, DATA_DIR: folders[place] }, { words: ['start', '--roles', which] })
  const [api, workers, spare] = await Promise.all([
    start(0, 'api'),
    start(1, 'watcher,dispatcher'),
    start(2, 'watcher'),
  ])
  expect(workers.stdout).toContain('Coffer sandbox (watcher, dispatcher) is ready')
  expect(workers.stdout).not.toMatch(/Log in|curl/)
  expect(api.stdout).toContain(`"password":"'"$ADMIN_PASSWORD"'"`)
  expect(api.stdout + api.stderr, 'a password that was set is printed').not.toContain(password)
  expect(Number(await anvil.rpc('eth_getTransactionCount', [anvil.accounts[0], 'latest']))).toBe(2)

  const merchant = await openMerchant(api.url, { email: 'admin@coffer.test', password })
  const receiver = await startMerchantServer()
  await merchant.setWebhook(receiver.url, 'a secret of at least 32 characters')
  const invoiceId = await merchant.createInvoice()
  await payFrom(anvil.url, 2, await merchant.addressOf(invoiceId))
  await merchant.becomes(invoiceId, 'paid')
  await expect.poll(() => receiver.calls.length, { timeout: 10_000 }).toBeGreaterThan(0)
  await expect
    .poll(async () => (await merchant.transactions())[0]?.state, { timeout: 10_000 })
    .toBe('confirmed')

  const { code, stdout, stderr } = await runCoffer(['verify'], { ...shared, DATA_DIR: folders[0] })
  expect(code, stdout + stderr).toBe(0)
  for (const coffer of [api, workers, spare]) expect(await coffer.stop()).toEqual({ code: 0, signal: null })
  await receiver.close()
})

it('works as a role that cannot change what is in the journals', async () => {
  const { db } = database
  await expect(db.query(sql`update journal set kind = 'other'`)).rejects.toThrow(/permission denied/)
  await expect(db.query(sql`delete from journal_line`)).rejects.toThrow(/permission denied/)
  await expect(db.query(sql`truncate journal`)).rejects.toThrow(/permission denied/)
})
