/** Tests several processes on the operator's own PostgreSQL, with its two database roles. */

import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import { freePort } from '../../src/core/free-port.ts'
import { KeyTree } from '../../src/signer/keys/key-tree.ts'
import { useAnvil } from '../support/anvil.ts'
import { writeBooksKey } from '../support/books-key-file.ts'
import { call, openMerchant, payFrom } from '../support/coffer-client.ts'
import { runCoffer, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { useDatabase } from '../support/database.ts'
import { startMerchantServer } from '../support/merchant-server.ts'

const database = useDatabase({ migrated: false })
const anvil = useAnvil({ blockTimeS: 0.2 })
const dataDirs = useDataDirs()
const password = 'correct horse battery staple'

const login = { email: 'admin@coffer.test', password }

async function sharedSettings() {
  return {
    BOOKS_KEY_FILE: await writeBooksKey(await dataDirs.fresh()),
    DATABASE_URL: database.urls.app,
    MIGRATION_DATABASE_URL: database.urls.owner,
    EVM_RPC_ETHEREUM: anvil.url,
    ADMIN_PASSWORD: password,
    JWT_SECRET: 'j'.repeat(32),
    ENCRYPTION_KEY: 'ab'.repeat(32),
    XPUB_EVM: new KeyTree('test test test test test test test test test test test junk', 1).depositXpub,
    PORT: '0',
  }
}

it('an API and its workers share one database, started at the same moment', async () => {
  const shared = await sharedSettings()
  const folders = [await dataDirs.fresh(), await dataDirs.fresh(), await dataDirs.fresh()] as const
  const start = (index: 0 | 1 | 2, which: string) =>
    startCoffer({ ...shared, DATA_DIR: folders[index] }, { words: ['start', '--roles', which] })
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

  const merchant = await openMerchant(api.url, login)
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

it('F11 sends no webhook to itself, its node or its database, whether the URL is set or already stored', async () => {
  const dataDir = await dataDirs.fresh()
  const publicUrl = 'https://pay.shop.example'
  const ownPort = `${await freePort()}`
  const own = { DATA_DIR: dataDir, PUBLIC_URL: publicUrl, PORT: ownPort }
  const coffer = await startCoffer({ ...(await sharedSettings()), ...own })
  const reached = `http://127.0.0.1:${ownPort}`
  const { hostname, port } = new URL(database.urls.app)
  for (const [url, reason] of [
    [`${reached}/hook`, 'refused: the address belongs to this service'],
    [`${publicUrl}/hook`, 'refused: the URL points to this service'],
    [anvil.url, 'refused: the URL points to this service'],
    [`http://${hostname}:${port}/`, 'refused: the URL points to this service'],
  ] as const) {
    const merchant = await openMerchant(reached, login)
    const ask = (path: string, json?: unknown) => {
      const bearer = { authorization: `Bearer ${merchant.token}` }
      return call(`${reached}/weebhook/${merchant.merchantId}${path}`, 'POST', bearer, json)
    }
    // If a PUBLIC_URL is set, Coffer accepts a webhook URL with the address that it listens on itself. It
    // refuses this address only when it connects.
    if (!url.startsWith(reached)) {
      const set = await ask('', { url, secret: 'a secret of at least 32 characters' })
      expect(set.status, url).toBe(400)
      expect(JSON.stringify(set.body)).toContain('must not point to this server')
    }
    await merchant.setWebhook('https://shop.example/hook', 'a secret of at least 32 characters')
    await database.db.query(
      sql`update webhook_endpoint set url = ${url} where merchant_id = ${merchant.merchantId}`,
    )
    expect((await ask('/test')).status).toBe(202)
    await expect
      .poll(
        () =>
          database.db.query(sql`
            select status, error from delivery_attempt join delivery on id = delivery_id
            where merchant_id = ${merchant.merchantId} and number = 1`),
        { timeout: 10_000, interval: 20 },
      )
      .toEqual([{ status: null, error: reason }])
  }
  expect(await coffer.stop()).toEqual({ code: 0, signal: null })
})

it('works as a role that cannot change the journals', async () => {
  const { db } = database
  await expect(db.query(sql`update journal set kind = 'other'`)).rejects.toThrow(/permission denied/)
  await expect(db.query(sql`delete from journal_line`)).rejects.toThrow(/permission denied/)
  await expect(db.query(sql`truncate journal`)).rejects.toThrow(/permission denied/)
})
