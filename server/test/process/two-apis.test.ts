/** Tests two API processes on one database and one Redis: a change by one of them applies to the other. */

import { beforeAll, describe, expect, it, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { KeyTree } from '../../src/signer/keys/key-tree.ts'
import { useAnvil } from '../support/anvil.ts'
import { writeBooksKey } from '../support/books-key-file.ts'
import { type Answer, call, logIn, openMerchant, payFrom } from '../support/coffer-client.ts'
import { type RunningCoffer, runCoffer, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { useDatabase } from '../support/database.ts'
import { isRedisInstalled, redisMissing, startRedis } from '../support/redis.ts'

const database = useDatabase({ migrated: false })
const anvil = useAnvil({ blockTimeS: 1 })
const dataDirs = useDataDirs()
const login = { email: 'admin@coffer.test', password: 'correct horse battery staple' }
const running: RunningCoffer[] = []

async function start(roles: string, over: Readonly<Record<string, string>> = {}): Promise<RunningCoffer> {
  const settings = {
    DATABASE_URL: database.urls.app,
    MIGRATION_DATABASE_URL: database.urls.owner,
    EVM_RPC_ETHEREUM: anvil.url,
    ADMIN_PASSWORD: login.password,
    JWT_SECRET: 'j'.repeat(32),
    ENCRYPTION_KEY: 'ab'.repeat(32),
    XPUB_EVM: new KeyTree('test test test test test test test test test test test junk', 1).depositXpub,
    BOOKS_KEY_FILE: await writeBooksKey(await dataDirs.fresh()),
    PORT: '0',
    DATA_DIR: await dataDirs.fresh(),
  }
  return startCoffer({ ...settings, ...over }, { words: ['start', '--roles', roles] })
}

beforeAll(async () => {
  // An API is ready only while some process follows the chain.
  running.push(...(await Promise.all([start('api,watcher'), start('api')])))
  return async () => {
    await Promise.all(running.map((coffer) => coffer.stop()))
  }
})

const urlOf = (index: number) => required(running[index % 2], 'a process').url

/** Opens a merchant on the first process, and returns a function that calls either process with its key. */
async function openShop() {
  const { merchantId, key, token } = await openMerchant(urlOf(0), login)
  const ask = (index: number, method: string, path: string, json?: unknown, headers = {}): Promise<Answer> =>
    call(`${urlOf(index)}/merchants/${merchantId}${path}`, method, { 'x-api-key': key, ...headers }, json)
  return { merchantId, token, ask }
}

const invoice = { amount: '10', type: 'onetime', paymentMethodID: 1 }

describe('two API processes', () => {
  it('G04 refuse a key that was replaced or revoked on the other, at once', async () => {
    const shop = await openShop()
    expect((await shop.ask(1, 'GET', '/funds')).status).toBe(200)
    const bearer = { authorization: `Bearer ${shop.token}` }
    await call(`${urlOf(0)}/key/generate/${shop.merchantId}`, 'POST', bearer)
    expect((await shop.ask(1, 'GET', '/funds')).status).toBe(401)
    const other = await openShop()
    await call(`${urlOf(1)}/key/revoke/${other.merchantId}`, 'DELETE', bearer)
    expect((await other.ask(0, 'GET', '/funds')).status).toBe(401)
  })

  it('G07 refuse a token that was logged out on the other', async () => {
    const bearer = { authorization: `Bearer ${await logIn(urlOf(0), login)}` }
    expect((await call(`${urlOf(1)}/merchants`, 'GET', bearer)).status).toBe(200)
    await call(`${urlOf(0)}/auth/logout`, 'POST', bearer)
    expect((await call(`${urlOf(1)}/merchants`, 'GET', bearer)).status).toBe(401)
  })

  it('create one invoice for one reference, however many requests both get at once', async () => {
    const shop = await openShop()
    const asked = { ...invoice, reference: 'order-1' }
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => shop.ask(index, 'POST', '/invoices', asked)),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    // Only the ids are compared: each process names its own host in the checkoutURL.
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect((await shop.ask(0, 'POST', '/invoices', { ...asked, amount: '11' })).status).toBe(409)
  })

  it('D01 accept exactly one of 100 withdrawals of the whole balance, and the books are correct', async () => {
    const merchant = await openMerchant(urlOf(0), login)
    const invoiceId = await merchant.createInvoice({ amount: '250' })
    await payFrom(anvil.url, 2, await merchant.addressOf(invoiceId))
    const ethOf = async () => {
      const { body } = await merchant.call('GET', `/merchants/${merchant.merchantId}/funds`)
      return body.find(({ symbol }: { symbol: string }) => symbol === 'ETH').balance as string
    }
    const amount = await vi.waitFor(
      async () => {
        const balance = await ethOf()
        if (balance === '0') throw new Error('nothing is credited yet')
        return balance
      },
      { timeout: 30_000, interval: 100 },
    )
    const order = { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', amount, paymentMethodID: 3 }
    const ask = (index: number) =>
      call(
        `${urlOf(index)}/merchants/${merchant.merchantId}/withdrawals`,
        'POST',
        { 'x-api-key': merchant.key },
        order,
      )
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => ask(index)))
    const answered = answers.map(({ status, body }) => (status === 201 ? 'accepted' : body.code)).sort()
    expect(answered).toEqual(['accepted', ...Array(99).fill('insufficient-balance')])
    expect(await ethOf()).toBe('0')
    const { code, stdout, stderr } = await runCoffer(['verify'], required(running[0], 'a process').settings)
    expect(code, stdout + stderr).toBe(0)
  })

  it('M15 create one invoice under one Idempotency-Key, however many requests both get at once', async () => {
    const shop = await openShop()
    const headers = { 'idempotency-key': newId() }
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => shop.ask(index, 'POST', '/invoices', invoice, headers)),
    )
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1)
    expect((await shop.ask(1, 'GET', '/invoices')).body).toMatchObject({ total: 1 })
  })
})

it('G21 two API processes count the requests of one key together, with Redis', async ({ skip }) => {
  skip(!isRedisInstalled, redisMissing)
  const redis = await startRedis()
  const shared = { REDIS_URL: redis.url.reveal(), RATE_LIMIT_PER_SECOND: '50' }
  const [one, other] = await Promise.all([start('api', shared), start('api', shared)])
  const { key } = await openMerchant(one.url, login)
  const remaining = async ({ url }: RunningCoffer) => {
    const { headers } = await fetch(`${url}/merchants`, { headers: { 'x-api-key': key } })
    return Number(headers.get('ratelimit-remaining'))
  }
  // The first request of a window leaves 99. Only a shared count leaves 98 for the other process. A window
  // may end in between, so the test polls.
  await vi.waitFor(async () => expect([await remaining(one), await remaining(other)]).toEqual([99, 98]), {
    timeout: 30_000,
    interval: 100,
  })
  await Promise.all([one.stop(), other.stop()])
})
