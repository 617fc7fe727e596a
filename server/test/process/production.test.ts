/** Tests COFFER_MODE=production on the operator's own PostgreSQL, with its two database roles. */
import { join } from 'node:path'
import sql, { raw } from 'sql-template-tag'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { decimal } from '../../src/core/money.ts'
import { useAnvil } from '../support/anvil.ts'
import { type Answer, call, logIn, type MerchantClient, openMerchant } from '../support/coffer-client.ts'
import { runCoffer, type Settings, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { useDatabase } from '../support/database.ts'
import { newerMigration, noteNewerMigration } from '../support/newer-migration.ts'
import {
  contractOf,
  deployMainTokens,
  firstLogin,
  productionSettings,
  useMarket,
} from '../support/production.ts'

const dataDirs = useDataDirs()
const anvil = useAnvil({ isMain: true })
const market = useMarket({ ETH: '2500', USDT: '1', USDC: '1' })

async function makeOrderKey(): Promise<string> {
  const folder = await dataDirs.fresh()
  const orderKey = join(folder, 'order.key')
  const files = ['--private', orderKey, '--public', join(folder, 'order-keys.pub')]
  const { code, stderr } = await runCoffer(['keys', 'order-key', ...files], {})
  expect(code, stderr).toBe(0)
  return orderKey
}

/** Returns the messages of the log lines. */
function logged(stderr: string): readonly string[] {
  const lines = stderr.split('\n').filter((line) => line.startsWith('{'))
  return lines.map((line) => JSON.parse(line).msg)
}

/** Requests an address until there is one. None is assigned before the watcher follows the network. */
function addressOnceFollowed(shop: MerchantClient, invoiceId: string): Promise<Answer> {
  return vi.waitUntil(
    async () => {
      const paymentAddress = await shop.call('GET', `/public/invoices/${invoiceId}/method/1/address`)
      return paymentAddress.status === 503 ? false : paymentAddress
    },
    { timeout: 20_000 },
  )
}

describe('production', () => {
  const database = useDatabase({ migrated: false })
  let settings: Settings
  let forApi: Settings
  let withAccount: Settings

  beforeAll(async () => {
    await deployMainTokens(anvil, anvil.accounts[0] ?? '', anvil)
    settings = await productionSettings({ database, nodes: [anvil.url], rateSource: market.source })
    forApi = { ...settings, ORDER_KEY_FILE: await makeOrderKey() }
    withAccount = { ...forApi, ADMIN_EMAIL: firstLogin.email, ADMIN_PASSWORD: firstLogin.password }
  })

  it('never migrates at a start, and states the remedy', async () => {
    const { code, stderr } = await runCoffer(['start', '--roles', 'watcher'], settings)
    expect(code).toBe(1)
    expect(stderr).toContain('run "coffer migrate" as its owner. In production a start never migrates')
  })

  it('migrates and restores as the owner, who must be named', async () => {
    for (const words of [['migrate'], ['restore', 'a-backup']]) {
      const unnamed = await runCoffer(words, settings)
      expect(unnamed.code).toBe(1)
      expect(unnamed.stderr).toContain('set MIGRATION_DATABASE_URL')
    }
    const owner = { MIGRATION_DATABASE_URL: database.urls.owner }
    const { code, stdout } = await runCoffer(['migrate'], { ...settings, ...owner })
    expect(code).toBe(0)
    expect(stdout).toContain('Applied: 0001')
  })

  it('refuses a database that was migrated by a newer Coffer, at a start and in every command', async () => {
    await noteNewerMigration(database.owner, { onlyExpands: false })
    const rejection = `it has ${newerMigration}, which this Coffer does not know. Start the newer Coffer`
    const anHourAgo = new Date(Date.now() - 3_600_000).toISOString()
    const wordings = [['start', '--roles', 'watcher'], ['verify'], ['recover', '--since', anHourAgo]]
    for (const { code, stderr } of await Promise.all(wordings.map((words) => runCoffer(words, settings)))) {
      expect(stderr).toContain(rejection)
      expect(code).toBe(1)
    }
    // With a newer migration that only expands, Coffer still serves all following requests of this file.
    await noteNewerMigration(database.owner, { onlyExpands: true })
  })

  it('refuses a role that can change the books', async () => {
    const { code, stderr } = await runCoffer(['start', '--roles', 'watcher'], {
      ...settings,
      DATABASE_URL: database.urls.owner,
    })
    expect(code).toBe(1)
    expect(stderr).toContain('may change posted books')
  })

  it('refuses a database whose time functions were replaced', async () => {
    const body = (text: string) =>
      sql`create or replace function coffer_now() returns timestamptz language sql stable parallel safe ${raw(text)}`
    await database.owner.query(body("return now() + interval '1 day'"))
    const { code, stderr } = await runCoffer(['start', '--roles', 'watcher'], settings)
    await database.owner.query(body('return now()'))
    expect(code).toBe(1)
    expect(stderr).toContain('coffer_now() does not return the time of PostgreSQL')
  })

  it('refuses a first start without a first account, and creates no other account', async () => {
    const { code, stderr } = await runCoffer(['start', '--roles', 'api'], forApi)
    expect(code).toBe(1)
    expect(stderr).toContain('set ADMIN_EMAIL and ADMIN_PASSWORD for this first start')
  })

  it('takes a payment, confirms it, and verifies the books; nothing of a sandbox is available', async () => {
    const sentBefore = await anvil.rpc('eth_getTransactionCount', [anvil.accounts[9], 'latest'])
    const api = await startCoffer(withAccount, { words: ['start', '--roles', 'api'] })
    const worker = await startCoffer(settings, { words: ['start', '--roles', 'watcher,dispatcher'] })
    const url = `http://127.0.0.1:${settings['PORT']}`
    const printed = [api, worker].map(({ stdout, stderr }) => stdout + stderr).join('\n')
    for (const secret of [firstLogin.password, settings['JWT_SECRET'] ?? '', anvil.url])
      expect(printed, 'a secret is told').not.toContain(secret)

    const shop = await openMerchant(url, firstLogin)
    const invoiceId = await shop.createInvoice({ paymentMethodID: 1 })
    const paymentAddress = await addressOnceFollowed(shop, invoiceId)
    expect(paymentAddress.body).toMatchObject({ amount: '25' })
    await anvil.sendToken({
      contract: contractOf('USDT'),
      to: paymentAddress.body.address,
      amountMinor: decimal(paymentAddress.body.amount, 6),
    })
    await anvil.mine()
    await shop.becomes(invoiceId, 'paid')
    await anvil.mine(5)
    await expect
      .poll(async () => (await shop.transactions())[0]?.state, { timeout: 20_000 })
      .toBe('confirmed')
    const funds = await shop.call('GET', `/merchants/${shop.merchantId}/funds`)
    expect(JSON.stringify(funds.body)).toContain('"25"')

    expect((await call(`${url}/auth/register`, 'POST', {}, firstLogin)).status, 'registration').toBe(403)
    const bearer = { authorization: `Bearer ${await logIn(url, firstLogin)}` }
    const webhook = { url: 'http://127.0.0.1:9/hook', secret: 'a secret of at least 32 characters' }
    const refused = await call(`${url}/weebhook/${shop.merchantId}`, 'POST', bearer, webhook)
    expect(refused.status, 'a webhook without TLS').toBe(400)
    expect(await anvil.rpc('eth_getTransactionCount', [anvil.accounts[9], 'latest'])).toBe(sentBefore)

    const { code, stdout, stderr } = await runCoffer(['verify'], settings)
    expect(code, stdout + stderr).toBe(0)
    expect(logged(api.stderr), 'what a recovery needs').toContain('address branch opened')
    expect(logged(worker.stderr)).toEqual(
      expect.arrayContaining(['lease acquired', 'start following the chain']),
    )
    expect(logged(api.stderr), 'a line for every request').not.toContain('request')
    for (const coffer of [api, worker]) expect(await coffer.stop()).toEqual({ code: 0, signal: null })
  })
})

describe('settings in production', () => {
  it('are reported all at once, each with the remedy', async () => {
    const { code, stderr } = await runCoffer(['start'], {
      COFFER_MODE: 'production',
      PUBLIC_URL: 'http://pay.shop.example',
      JWT_SECRET: 'j'.repeat(32),
      MIGRATION_DATABASE_URL: 'postgresql://owner@db.example/coffer',
    })
    expect(code).toBe(2)
    for (const name of ['DATABASE_URL', 'ENCRYPTION_KEY', 'XPUB_EVM', 'EVM_RPC_ETHEREUM', 'RATE_SOURCES'])
      expect(stderr).toContain(`- ${name} must be set in production`)
    for (const name of ['SIGNER_SOCKET', 'INTENT_KEY_FILE', 'ORDER_PUBLIC_KEYS_FILE'])
      expect(stderr).toContain(`- ${name} must be set for the role payouts`)
    expect(stderr).toContain('- ORDER_KEY_FILE must be set for the role api')
    expect(stderr).toContain('- BOOKS_KEY_FILE must be set for the roles api, watcher and payouts')
    expect(stderr).toContain('- SANCTIONS_FILE must be set in production, or SCREENING=off explicitly')
    expect(stderr).toContain('- PUBLIC_URL must start with https://')
    expect(stderr).toContain('- JWT_SECRET is not a random secret')
    expect(stderr).toContain(
      '- MIGRATION_DATABASE_URL is for commands such as "coffer migrate": unset it here',
    )
  })

  it("are separated: only payouts get the signer's socket, and only the API gets the key of orders", async () => {
    const paths = { SIGNER_SOCKET: '/run/coffer/signer.sock', INTENT_KEY_FILE: '/etc/coffer/intent.key' }
    const orderKey = { ORDER_KEY_FILE: '/etc/coffer/order.key' }
    const [together, api, payouts] = await Promise.all([
      runCoffer(['start'], { COFFER_MODE: 'production', ...paths }),
      runCoffer(['start', '--roles', 'api,watcher'], { COFFER_MODE: 'production', ...paths }),
      runCoffer(['start', '--roles', 'payouts'], { COFFER_MODE: 'production', ...paths, ...orderKey }),
    ])
    expect(together.stderr).toContain('the roles payouts and api run in separate processes')
    expect(api.stderr).toContain('- SIGNER_SOCKET is for the role payouts only')
    expect(api.stderr).toContain('- INTENT_KEY_FILE is for the role payouts only')
    expect(payouts.stderr).toContain('- ORDER_KEY_FILE is for the role api only')
  })

  it('require a statement who terminates TLS, and refuse the well-known test mnemonic', async () => {
    const { stderr } = await runCoffer(['start'], {
      COFFER_MODE: 'production',
      PUBLIC_URL: 'https://pay.shop.example',
      XPUB_EVM:
        'xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP',
    })
    expect(stderr).toContain('or TRUST_PROXY to the proxy that terminates TLS')
    expect(stderr).toContain('XPUB_EVM belongs to the publicly known test phrase')
  })
})

describe('a node of another chain', () => {
  const database = useDatabase()
  const dev = useAnvil()

  it('stops a start in production', async () => {
    const settings = await productionSettings({ database, nodes: [dev.url], rateSource: market.source })
    const { code, stderr } = await runCoffer(['start', '--roles', 'watcher'], settings)
    expect(code).toBe(1)
    expect(stderr).toContain('is on chain 31337; ethereum is chain 1')
  })
})
