import { beforeAll, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import type { Route } from '../../src/platform/http/route.ts'
import { useDatabase } from '../support/database.ts'
import type { Answer } from './api.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const api = useShopApi(useDatabase())
let alice: Seller
let bob: Seller
/** Everything of Bob's that Alice might be able to see. */
let bobs: {
  invoiceID: string
  transactionID: string
  withdrawalID: string
  tokenID: string
  traces: readonly string[]
}

beforeAll(async () => {
  alice = await api.openSeller()
  bob = await api.openSeller()
  const invoiceID = await bob.createInvoice({ description: 'of Bob alone', reference: 'bobs-reference' })
  const { address } = await api.shop.addressFor(invoiceID)
  const transfer = api.blocks.pay(address, 10_000_000n)
  await api.blocks.mine([transfer])
  await api.blocks.mine()
  const { data } = (await bob.call('POST', '/transactions/list')).body
  const transactionID = data[0].id
  const destination = `0x${'b0b'.repeat(13)}b`
  const order = { address: destination, amount: '2.5', paymentMethodID: 1 }
  const withdrawalID = (await bob.call('POST', '/withdrawals', { json: order })).body.id
  const body = { name: 'Bobs token', days: 1 }
  const { id: tokenID } = (await api.call('POST', '/auth/tokens', { token: bob.token, json: body })).body
  const shownAddress = (await api.addressOf(invoiceID)).body.address
  bobs = {
    invoiceID,
    transactionID,
    withdrawalID,
    tokenID,
    traces: [
      bob.merchantId,
      invoiceID,
      transactionID,
      withdrawalID,
      tokenID,
      shownAddress,
      transfer.txHash,
      'Bob',
      '"7.3"',
    ],
  }
})

/** Returns the path below the given merchant, with Bob's ids wherever Bob has one. */
function pathOf({ path }: Route, merchantId: string): string {
  return path
    .replace(':merchantID', merchantId)
    .replace(':invoiceID', bobs.invoiceID)
    .replace(':transactionID', bobs.transactionID)
    .replace(':withdrawalID', bobs.withdrawalID)
    .replace(':tokenID', bobs.tokenID)
    .replace(':methodID', '1')
}

const guarded = () => api.routes.filter(({ auth }) => auth !== 'open')
/**
 * The guarded routes, without those that end the caller's own session or merchant. Later requests need both.
 */
const lasting = () =>
  guarded().filter(
    ({ method, path }) =>
      path !== '/auth/logout' &&
      !(method === 'DELETE' && ['/merchants/:merchantID', '/dashboard/session'].includes(path)),
  )

interface Tried {
  readonly route: Route
  readonly merchantId: string
  readonly at: string
  readonly answer: Answer
}

/** Requests every object of Bob's from every route as Alice, once with a key and once with her token. */
async function askForBobs(): Promise<readonly Tried[]> {
  const tried: Tried[] = []
  for (const route of lasting()) {
    for (const merchantId of [bob.merchantId, alice.merchantId]) {
      // The key is generated anew each time, because one of the routes revokes it.
      const key = await api.makeKey(alice.token, alice.merchantId)
      for (const credential of [{ key }, { token: alice.token }]) {
        const answer = await api.call(route.method, pathOf(route, merchantId), credential)
        const at = `${route.method} ${pathOf(route, merchantId)} ${Object.keys(credential)} ${answer.status}`
        tried.push({ route, merchantId, at, answer })
      }
    }
  }
  return tried
}

let tried: readonly Tried[]
let before: readonly unknown[]

/** Returns everything that Bob can see of his own objects. */
async function seenByBob(): Promise<readonly unknown[]> {
  const paths = [
    '',
    '/funds',
    '/withdrawals/pending',
    '/invoices',
    `/invoices/${bobs.invoiceID}`,
    `/transactions/${bobs.transactionID}`,
  ]
  const seen: unknown[] = []
  for (const path of paths) {
    const { status, body } = await bob.call('GET', path)
    seen.push({ path, status, body })
  }
  const tokens = await api.call('GET', '/auth/tokens', { token: bob.token })
  return [...seen, tokens.body]
}

beforeAll(async () => {
  before = await seenByBob()
  tried = await askForBobs()
})

it('requires a credential on every route that is not open', async () => {
  expect(guarded().length).toBeGreaterThanOrEqual(96)
  for (const route of guarded()) {
    const { status } = await api.call(route.method, pathOf(route, bob.merchantId))
    expect({ path: route.path, status }).toEqual({ path: route.path, status: 401 })
  }
})

it('never shows another merchant’s objects to a key or an account, on any route', () => {
  let refused = 0
  for (const { route, merchantId, at, answer } of tried) {
    for (const trace of bobs.traces) {
      expect(answer.text.includes(trace) ? `${at} shows ${trace}: ${answer.text}` : '').toBe('')
    }
    if (route.path.includes(':merchantID') && merchantId === bob.merchantId) {
      expect(at).toMatch(/ 403$/)
      refused += 1
    }
  }
  // The number covers each route below a merchant, once with a key and once with a token.
  expect(refused).toBeGreaterThanOrEqual(98)
})

it('changes nothing of the other merchant', async () => {
  expect(tried.length).toBeGreaterThanOrEqual(372)
  expect(await seenByBob()).toEqual(before)
  expect((await bob.call('GET', '/funds')).body[0].balance).toBe('7.3')
  expect((await bob.call('GET', '/withdrawals/pending')).body).toHaveLength(1)
  expect((await bob.call('GET', '/invoices')).body.total).toBe(1)
  const tokens = await api.call('GET', '/auth/tokens', { token: bob.token })
  expect(tokens.body.map(({ id }: { id: string }) => id)).toContain(bobs.tokenID)
})

it('finds nothing of another merchant by its ids, references and texts', async () => {
  const key = await api.makeKey(alice.token, alice.merchantId)
  for (const query of ['search=bobs-reference', 'search=Bob', 'showArchived=true', 'tokens[]=1']) {
    expect((await alice.call('GET', `/invoices?${query}`, { key })).body).toMatchObject({
      data: [],
      total: 0,
    })
  }
  const json = { invoiceIDs: [bobs.invoiceID] }
  const listed = await alice.call('POST', '/transactions/list', { key, json })
  expect(listed.body).toMatchObject({ data: [], total: 0 })
  expect((await api.call('GET', '/merchants', { key })).body).toMatchObject([{ id: alice.merchantId }])
})

it('answers 404 if Alice requests Bob’s objects below her own merchant', async () => {
  const key = await api.makeKey(alice.token, alice.merchantId)
  const children = /^\/merchants\/:merchantID\/.*:(transaction|invoice|withdrawal)ID/
  const routes = guarded().filter(({ path }) => children.test(path))
  expect(routes.length).toBeGreaterThanOrEqual(12)
  for (const route of routes) {
    const path = pathOf(route, alice.merchantId)
    const foreign = await api.call(route.method, path, { key })
    const missingPath = [bobs.invoiceID, bobs.transactionID, bobs.withdrawalID].reduce(
      (missing, id) => missing.replace(id, newId()),
      path,
    )
    const missing = await api.call(route.method, missingPath, { key })
    expect({ ...foreign.body, requestID: '' }).toEqual({ ...missing.body, requestID: '' })
    expect(foreign.status).toBe(404)
  }
})
