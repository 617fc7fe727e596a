/**
 * Tests what operators' pages show beyond the commands, and the sandbox controls, on a real development
 * chain.
 */
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { declaredRoutes } from '../../src/app/contract/sandbox-contract.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { buildServer } from '../../src/platform/http/server.ts'
import { dropBlocks, mineBlocks } from '../../src/sandbox/faucet.ts'
import { useAnvil } from '../support/anvil.ts'
import { useDatabase } from '../support/database.ts'
import { haltRecords, refusalRecords, waitRecords } from '../support/outgoing/records.ts'
import { insertOutgoingTransaction } from '../support/outgoing-transactions.ts'
import { accountRecords } from '../support/people/records.ts'
import { fromNow } from '../support/records/values.ts'
import { deliveryRecords, endpointRecords } from '../support/webhooks/records.ts'
import { type Seller, type ShopApi, startShopApi } from './shop-api.ts'

const anvil = useAnvil()
const database = useDatabase()
let api: ShopApi
let seller: Seller
let operator = ''
beforeAll(async () => {
  api = await startShopApi(database, { environment: { EVM_RPC_ETHEREUM: anvil.url } })
  seller = await api.openSeller()
  operator = (await api.register()).token
  await accountRecords.change(database.owner, { id: decodeJwt(operator).sub ?? '' }, { isOperator: true })
  return () => api.close()
})

const call = (method: string, path: string, json?: unknown) =>
  api.call(method, `/operator/${path}`, { token: operator, ...(json !== undefined && { json }) })

describe('an operator', () => {
  it('reads how many deliveries wait, since when, and whose webhooks fail', async () => {
    expect((await call('GET', 'webhooks')).body).toEqual({
      pending: 0,
      due: 0,
      oldestDueSeconds: null,
      merchants: [],
    })
    const json = { url: 'https://shop.example/hook', secret: 'x'.repeat(32) }
    await api.call('POST', `/weebhook/${seller.merchantId}`, { token: seller.token, json })
    for (const _ of [1, 2])
      await api.call('POST', `/weebhook/${seller.merchantId}/test`, { token: seller.token })
    const delivery = await deliveryRecords.one(database.db, {}, 'id')
    await deliveryRecords.change(database.db, delivery, { nextAttemptAt: fromNow('1 hour') })
    await endpointRecords.change(database.db, {}, { failingSince: '2026-01-01T00:00:00Z' })
    const { status, body } = await call('GET', 'webhooks')
    expect(status).toBe(200)
    expect(body).toMatchObject({ pending: 2, due: 1, oldestDueSeconds: expect.any(Number) })
    expect(body.merchants).toEqual([
      {
        id: seller.merchantId,
        name: 'Shop',
        pending: 2,
        failingSince: '2026-01-01T00:00:00.000Z',
        disabledAt: null,
      },
    ])
  })

  it('reads what halts outgoing transactions, and when the books were last verified', async () => {
    await haltRecords.add(database.db, { cause: 'books', detail: 'M1: something is missing' })
    const { status, body } = await call('GET', 'outgoing')
    expect(status).toBe(200)
    expect(body.halts).toEqual([
      {
        id: expect.any(String),
        cause: 'books',
        detail: 'M1: something is missing',
        since: expect.stringMatching(/Z$/),
      },
    ])
    expect(body).toHaveProperty('booksCheckedSecondsAgo')
    expect(typeof body.isBooksCheckOverdue).toBe('boolean')
  })

  it('reads why outgoing transactions wait, what the signer refused and when it is retried, and what is in flight', async () => {
    const before = (await call('GET', 'outgoing')).body
    expect(before).toMatchObject({ waits: [], refused: [], refusedTotal: 0, open: [] })
    await waitRecords.add(database.db, {
      network: 'ethereum',
      cause: 'funds:ethereum/USDT',
      detail: '5 lacking',
    })
    const ids = [newId(), newId()]
    for (const [index, id] of ids.entries())
      await refusalRecords.add(database.db, {
        outgoingTransactionId: id,
        network: 'ethereum',
        kind: 'withdrawal',
        intent: '{}',
        code: index === 0 ? 'not-allowed' : 'over-limit',
        detail: 'a test',
        refusedAt: new Date(Date.UTC(2026, 0, 1, 0, index)),
        retryAt: index === 0 ? null : new Date(Date.UTC(2026, 0, 2)),
      })
    const outgoingTransaction = {
      id: newId(),
      wallet: `0x${'1a'.repeat(20)}`,
      nonce: 0,
      txHash: `0x${'2b'.repeat(32)}`,
    }
    await insertOutgoingTransaction(database.db, {
      ...outgoingTransaction,
      intent: { kind: 'deploy' },
      state: 'needs_recheck',
    })
    const { body } = await call('GET', 'outgoing')
    const refused = { network: 'ethereum', kind: 'withdrawal', detail: 'a test' }
    expect(body).toMatchObject({
      waits: [{ network: 'ethereum', cause: 'funds:ethereum/USDT', detail: '5 lacking' }],
      refused: [
        { ...refused, id: ids[0], code: 'not-allowed', refusedAt: '2026-01-01T00:00:00.000Z', retryAt: null },
        { ...refused, id: ids[1], code: 'over-limit', retryAt: '2026-01-02T00:00:00.000Z' },
      ],
      refusedTotal: 2,
      open: [{ network: 'ethereum', state: 'needs_recheck', count: 1, oldestSeconds: expect.any(Number) }],
    })
  })

  it('gets the first 100 refusals, and their total', async () => {
    const refusal = { network: 'ethereum', kind: 'sweep', intent: '{}', code: 'over-limit', detail: 'a test' }
    const refusals = Array.from({ length: 150 }, () => ({ outgoingTransactionId: newId(), ...refusal }))
    await refusalRecords.add(database.db, ...refusals)
    const { refused, refusedTotal } = (await call('GET', 'outgoing')).body
    expect(refused).toHaveLength(100)
    expect(refusedTotal).toBeGreaterThanOrEqual(150)
  })
})

describe('a sandbox', () => {
  it.each([
    ['exact', 100n],
    ['short', 60n],
    ['over', 130n],
  ])('is paid by an external account: %s', async (how, percent) => {
    const invoiceID = await seller.createInvoice({ paymentMethodID: 3 })
    const { address, amount } = (await api.addressOf(invoiceID, 3)).body
    const paid = await call('POST', 'sandbox/payments', { invoiceID, how })
    expect(paid.status).toBe(201)
    const transaction = await anvil.rpc('eth_getTransactionByHash', [paid.body.txHash])
    expect(transaction.to).toBe(address.toLowerCase())
    expect(transaction.from).toBe(anvil.accounts[1])
    const dueMinor = BigInt(amount.split('.')[1].padEnd(18, '0'))
    const near = 10n ** 12n
    const sent = BigInt(transaction.value)
    expect(sent - (dueMinor * percent) / 100n).toBeLessThanOrEqual(near)
    expect(sent - (dueMinor * percent) / 100n).toBeGreaterThanOrEqual(0n)
    expect(paid.body.currency).toBe('ETH')
  })

  it('lets a member and a key of the merchant pay its own invoices as a customer', async () => {
    const invoiceID = await seller.createInvoice({ paymentMethodID: 3 })
    const path = `/merchants/${seller.merchantId}/invoices/${invoiceID}/sandbox-payments`
    const { address } = (await api.addressOf(invoiceID, 3)).body
    const paid = await api.call('POST', path, { token: seller.token, json: {} })
    expect(paid.status).toBe(201)
    const transaction = await anvil.rpc('eth_getTransactionByHash', [paid.body.txHash])
    expect(transaction.to).toBe(address.toLowerCase())
    expect((await api.call('POST', path, { key: seller.key, json: { how: 'short' } })).status).toBe(201)
  })

  it('lets nobody pay the invoices of another merchant, and no viewer pay any', async () => {
    const invoiceID = await seller.createInvoice({ paymentMethodID: 3 })
    const other = await api.openSeller()
    const pay = (merchantID: string, token: string) =>
      api.call('POST', `/merchants/${merchantID}/invoices/${invoiceID}/sandbox-payments`, { token, json: {} })
    expect((await pay(other.merchantId, other.token)).status).toBe(404)
    expect((await pay(seller.merchantId, other.token)).status).toBe(403)
    const json = { email: other.email, role: 'viewer' }
    await api.call('POST', `/merchants/${seller.merchantId}/members`, { token: seller.token, json })
    expect((await pay(seller.merchantId, other.token)).status).toBe(403)
  })

  it('refuses to pay an invoice that cannot be paid', async () => {
    const missing = await call('POST', 'sandbox/payments', { invoiceID: newId() })
    expect(missing.status).toBe(404)
    const invoiceID = await seller.createInvoice({ paymentMethodID: 3 })
    const other = await call('POST', 'sandbox/payments', { invoiceID, paymentMethodID: 1 })
    expect(other).toMatchObject({ status: 404, body: { code: 'method-not-offered' } })
    expect((await call('POST', 'sandbox/payments', { invoiceID, how: 'twice' })).status).toBe(400)
    expect((await call('POST', 'sandbox/blocks', { blocks: 0 })).status).toBe(400)
    expect((await call('POST', 'sandbox/reorganisations', { depth: 101 })).status).toBe(400)
  })

  it('mines blocks, and removes blocks with their transactions', async () => {
    const height = async () => Number(await anvil.rpc('eth_blockNumber'))
    const before = await height()
    expect((await call('POST', 'sandbox/blocks', { blocks: 3 })).status).toBe(204)
    expect(await height()).toBeGreaterThanOrEqual(before + 3)
    const txHash = await anvil.sendCoin({ to: `0x${'ab'.repeat(20)}`, amountMinor: 1n })
    await mineBlocks(anvil.url, 1, AbortSignal.timeout(5_000))
    const { hash } = await anvil.rpc('eth_getBlockByNumber', ['latest', false])
    expect(await anvil.rpc('eth_getTransactionReceipt', [txHash])).not.toBeNull()
    expect((await call('POST', 'sandbox/reorganisations', { depth: 2 })).status).toBe(204)
    expect(await anvil.rpc('eth_getBlockByHash', [hash, false])).toBeNull()
    expect(await anvil.rpc('eth_getTransactionReceipt', [txHash])).toBeNull()
    await dropBlocks(anvil.url, 1, AbortSignal.timeout(5_000))
  })

  it('is the only installation with such controls', () => {
    const controls = (mode: 'sandbox' | 'production') =>
      declaredRoutes('https://pay.example', mode).filter(({ path }) => path.includes('sandbox'))
    expect(controls('sandbox')).toHaveLength(4)
    expect(controls('production')).toEqual([])
  })

  it('is the only installation that pays invoices: production does not know the path', async () => {
    const routes = declaredRoutes('https://pay.example', 'production')
    const app = buildServer({
      routes,
      log: silentLog,
      publicUrl: 'https://pay.example',
      authenticator: { authenticate: async () => undefined },
    })
    onTestFinished(() => app.close())
    const url = `/merchants/${newId()}/invoices/${newId()}/sandbox-payments`
    const answer = await app.inject({ method: 'POST', url })
    expect({ status: answer.statusCode, code: answer.json().code }).toEqual({
      status: 404,
      code: 'not-found',
    })
  })
})
