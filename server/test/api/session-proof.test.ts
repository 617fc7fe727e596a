/** Tests what a session's cookie may not do alone: send money, or give somebody the means to send money. */
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { declaredRoutes } from '../../src/app/contract/sandbox-contract.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { codeAt, stepAt } from '../../src/merchants/accounts/second-factor/totp.ts'
import { makeOperator } from '../support/appoint.ts'
import { useDatabase } from '../support/database.ts'
import { idempotencyRecords, loginAttemptRecords, secondFactorRecords } from '../support/people/records.ts'
import { present } from '../support/records/values.ts'
import { type Answer, password } from './api.ts'
import { type Browser, logInBrowser } from './browser.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
const outside = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const order = { address: outside, amount: '10', paymentMethodID: 1 }

let seller: Seller
let browser: Browser
beforeAll(async () => {
  seller = await api.openFunded()
  browser = await logInBrowser(api, seller)
})

const proofPath = '/dashboard/session/proof'
const withdrawals = () => `/merchants/${seller.merchantId}/withdrawals`
const withProof = (proof: string) => ({ 'x-session-proof': proof })
const proofOf = async (by: Browser): Promise<string> =>
  (await by.call('POST', proofPath, { json: { password } })).body.proof

describe('a withdrawal that is ordered with a session’s cookie', () => {
  it('is refused until the password is entered again, and the refusal says so', async () => {
    const refused = await browser.call('POST', withdrawals(), { json: order })
    expect(refused).toMatchObject({ status: 403, body: { code: 'proof-required' } })
    expect(refused.body.detail).toMatch(/password.*two-factor "code".*X-Session-Proof/)
    expect((await seller.call('GET', '/withdrawals')).body.total).toBe(0)
    const sent = await browser.callProven('POST', withdrawals(), { json: order })
    expect(sent).toMatchObject({ status: 201, body: { state: 'pending', amount: '10' } })
  })

  it('is accepted from a Bearer token and an API key as specified, without a proof', async () => {
    const byToken = await api.call('POST', withdrawals(), { token: seller.token, json: order })
    const byKey = await seller.call('POST', '/withdrawals', { json: order })
    expect([byToken.status, byKey.status]).toEqual([201, 201])
  })

  it('is checked for its own errors before a proof is required', async () => {
    const { status } = await browser.call('POST', withdrawals(), { json: { ...order, amount: 10 } })
    expect(status).toBe(400)
  })

  it('is ordered once under its Idempotency-Key: refused, proven, and proven again', async () => {
    const key = { 'idempotency-key': newId() }
    const asked = (headers: Readonly<Record<string, string>>): Promise<Answer> =>
      browser.call('POST', withdrawals(), { json: order, headers: { ...key, ...headers } })
    const before = (await seller.call('GET', '/withdrawals')).body.total
    expect((await asked({})).body.code).toBe('proof-required')
    const first = await asked(withProof(await proofOf(browser)))
    expect(first.status).toBe(201)
    // The answer and the page were lost. The returning user gives a new proof and gets the same answer.
    expect((await asked({})).body.code).toBe('proof-required')
    const again = await asked(withProof(await proofOf(browser)))
    expect({ status: again.status, body: again.body }).toEqual({ status: 201, body: first.body })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await seller.call('GET', '/withdrawals')).body.total).toBe(before + 1)
  })

  it('stores nothing of the password with the request', async () => {
    const kept = await idempotencyRecords.texts(database.owner)
    expect(JSON.stringify(kept)).not.toContain(password)
  })
})

describe('a proof', () => {
  const spend = (by: Browser, proof: string) =>
    by.call('POST', '/auth/tokens', { json: { name: 'ci', days: 1 }, headers: withProof(proof) })

  it('is valid for its own session, and for no other of the same account', async () => {
    const other = await logInBrowser(api, seller)
    const proof = await proofOf(browser)
    expect((await spend(other, proof)).body.code).toBe('proof-required')
    expect((await spend(browser, proof)).status).toBe(201)
  })

  it('is refused if one character differs, or if it is not a proof at all', async () => {
    const proof = await proofOf(browser)
    const [until = '', tag = ''] = proof.split('.')
    const longer = `${Number(until) + 60_000}.${tag}`
    const altered = `${until}.${tag.startsWith('A') ? 'B' : 'A'}${tag.slice(1)}`
    for (const forged of [longer, altered, until, `${until}.`, '9999999999999.', 'x'.repeat(5_000), ''])
      expect((await spend(browser, forged)).body.code, forged).toBe('proof-required')
  })

  it('expires after a few minutes', async () => {
    const proof = await proofOf(browser)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + limits.sessionProofMs - 1_000 })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    expect((await spend(browser, proof)).status).toBe(201)
    vi.setSystemTime(Date.now() + 2_000)
    expect((await spend(browser, proof)).body.code).toBe('proof-required')
  })

  it('is given for the current password only, and wrong passwords count like failed logins', async () => {
    const person = await api.register()
    const own = await logInBrowser(api, person)
    const wrong = () => own.call('POST', proofPath, { json: { password: 'wrong password 123' } })
    expect((await wrong()).body.errors).toEqual([
      { pointer: '/password', detail: 'is not the current password' },
    ])
    expect((await own.call('POST', proofPath, { json: {} })).body.errors[0].pointer).toBe('/password')
    const counted = await loginAttemptRecords.all(
      database.owner,
      { accountId: decodeJwt(person.token).sub ?? '', failedAt: present },
      'failedAt',
    )
    expect(counted).toHaveLength(1)
    let answer = await wrong()
    for (let tries = 0; tries < 20 && answer.status === 400; tries += 1) answer = await wrong()
    expect(answer).toMatchObject({ status: 429, body: { code: 'too-many-requests' } })
    // These wrong attempts also block a login from that network.
    const login = await api.call('POST', '/auth/login', { json: { email: person.email, password } })
    expect(login.status).toBe(429)
    await loginAttemptRecords.remove(database.owner)
  })

  it('requires a code instead of the password if a second factor is on, and uses up the code', async () => {
    const person = await api.register()
    const own = await logInBrowser(api, person)
    const shown = await own.call('POST', '/auth/second-factor', { json: { password } })
    const secret = bytesOf(shown.body.secret)
    const now = () => stepAt(Date.now() / 1000)
    await own.call('POST', '/auth/second-factor/confirm', { json: { code: codeAt(secret, now()) } })
    await secondFactorRecords.change(database.owner, {}, { usedStep: 0 })
    const byPassword = await own.call('POST', proofPath, { json: { password } })
    expect(byPassword.body.code).toBe('two-factor-required')
    const code = codeAt(secret, now())
    expect(
      (await own.callProven('POST', '/auth/tokens', { json: { name: 'ci', days: 1 } }, code)).status,
    ).toBe(201)
    const again = await own.call('POST', proofPath, { json: { code } })
    expect(again.body.code).toBe('invalid-code')
  })

  it('is never given to an API access token', async () => {
    const { token } = (
      await api.call('POST', '/auth/tokens', { token: seller.token, json: { name: 'ci', days: 1 } })
    ).body
    const asked = await api.call('POST', proofPath, { token, json: { password } })
    expect(asked).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  })
})

describe('a cookie without a proof', () => {
  it.each<[string, string, (merchantId: string) => string, unknown]>([
    ['makes no API key', 'POST', (id) => `/key/generate/${id}`, undefined],
    ['makes no API access token', 'POST', () => '/auth/tokens', { name: 'ci', days: 1 }],
    [
      'makes no claim that pays out',
      'POST',
      (id) => `/merchants/${id}/invoices`,
      { amount: '10', type: 'withdraw', paymentMethodID: 1 },
    ],
    [
      'lets nobody in who could',
      'POST',
      (id) => `/merchants/${id}/members`,
      { email: 'eve@example.com', role: 'owner' },
    ],
    [
      'raises nobody to where they could',
      'PUT',
      (id) => `/merchants/${id}/members/${newId()}`,
      { role: 'admin' },
    ],
  ])('%s', async (_what, method, path, json) => {
    const options = json === undefined ? {} : { json }
    const refused = await browser.call(method, path(seller.merchantId), options)
    expect(refused).toMatchObject({ status: 403, body: { code: 'proof-required' } })
    const byToken = await api.call(method, path(seller.merchantId), { token: seller.token, ...options })
    expect(byToken.body?.code).not.toBe('proof-required')
  })

  it('still sells, reads and adds a viewer', async () => {
    const invoice = { json: { amount: '10', type: 'onetime', paymentMethodID: 1 } }
    expect((await browser.call('POST', `/merchants/${seller.merchantId}/invoices`, invoice)).status).toBe(201)
    const viewer = await api.register()
    const member = { json: { email: viewer.email, role: 'viewer' } }
    expect((await browser.call('POST', `/merchants/${seller.merchantId}/members`, member)).status).toBe(201)
  })
})

describe('an operator’s cookie without a proof', () => {
  it.each<[string, string, unknown]>([
    [
      'gives nobody unattributed money',
      `unattributed/${newId()}/assign`,
      { owner: 'merchant', merchantID: newId() },
    ],
    ['releases no payment from quarantine', `quarantine/${newId()}/release`, {}],
    ['approves no withdrawal', `approvals/${newId()}/approve`, {}],
    ['writes off no debt', 'write-offs', { merchantID: newId(), paymentMethodID: 1, amount: '1' }],
  ])('%s', async (_what, path, json) => {
    const person = await api.register()
    await makeOperator(database.db, person.email)
    const operator = await logInBrowser(api, person)
    const refused = await operator.call('POST', `/operator/${path}`, { json })
    expect(refused).toMatchObject({ status: 403, body: { code: 'proof-required' } })
    const proven = await operator.callProven('POST', `/operator/${path}`, { json })
    expect(proven.body.code).not.toBe('proof-required')
    expect(proven.status).not.toBe(403)
    const byToken = await api.call('POST', `/operator/${path}`, { token: person.token, json })
    expect(byToken.body.code).toBe(proven.body.code)
  })
})

/**
 * Every route that changes something requires a proof, always or for some bodies, or is listed here with a
 * reason. The reason says why a stolen cookie cannot send money through that route. A new route must be added
 * to one of the lists.
 */
describe('each route other than GET', () => {
  const always = [
    'POST /auth/tokens',
    'POST /key/generate/:merchantID',
    'POST /merchants/:merchantID/invoices/:invoiceID/claim-link',
    'POST /merchants/:merchantID/withdrawals',
    'POST /operator/approvals/:withdrawalID/approve',
    'POST /operator/own-entries',
    'POST /operator/own-entries/check',
    'POST /operator/own-entries/network',
    'POST /operator/quarantine/:transactionID/release',
    'POST /operator/unattributed/:transactionID/assign',
    'POST /operator/write-offs',
  ]
  /**
   * These routes require a proof only for some bodies, such as withdraw invoices and roles that may send
   * money. The cases above show these bodies.
   */
  const byItsBody = [
    'POST /merchants/:merchantID/invoices',
    'POST /merchants/:merchantID/members',
    'PUT /merchants/:merchantID/members/:accountID',
  ]
  const reasons: Readonly<Record<string, readonly string[]>> = {
    'a session’s cookie does not count there: it is open to all, or asks for a secret of its own': [
      'POST /auth/register',
      'POST /auth/login',
      'POST /auth/refresh',
      'POST /auth/password',
      'POST /auth/second-factor',
      'POST /auth/second-factor/confirm',
      'POST /auth/second-factor/recovery-codes',
      'POST /auth/second-factor/disable',
      'POST /dashboard/session',
      'POST /dashboard/session/proof',
      'POST /public/invoices/:invoiceID/claim',
      'POST /pay/:invoiceID/method/:methodID',
    ],
    'it ends what somebody may do': [
      'POST /auth/logout',
      'DELETE /auth/tokens/:tokenID',
      'DELETE /auth/sessions/:sessionID',
      'DELETE /auth/sessions',
      'DELETE /dashboard/session',
      'DELETE /key/revoke/:merchantID',
      'DELETE /merchants/:merchantID',
      'DELETE /merchants/:merchantID/members/:accountID',
      'DELETE /merchants/:merchantID/withdrawals/:withdrawalID',
      'POST /operator/approvals/:withdrawalID/reject',
    ],
    'it only reads': [
      'POST /merchants/:merchantID/transactions/list',
      'POST /merchants/:merchantID/withdrawals/preview',
      'POST /operator/own-entries/state',
      'POST /operator/own-entries/token',
    ],
    'what it makes or changes takes money in, or tells of it': [
      'POST /merchants',
      'PUT /merchants/:merchantID',
      'POST /merchants/:merchantID/invoices/:invoiceID',
      'DELETE /merchants/:merchantID/invoices/:invoiceID',
      'POST /merchants/:merchantID/invoices/:invoiceID/close',
      'POST /merchants/:merchantID/invoices/:invoiceID/accept',
      'POST /merchants/:merchantID/transactions/:transactionID/credit',
      'POST /weebhook/:merchantID',
      'DELETE /weebhook/:merchantID',
      'POST /weebhook/:merchantID/deliveries/:deliveryID/redeliver',
      'POST /weebhook/:merchantID/replay',
      'POST /weebhook/:merchantID/test',
    ],
    'whoever is let in from more addresses needs a key all the same': [
      'PUT /ipAddress/:merchantID',
      'DELETE /ipAddress/:merchantID',
    ],
    'it gives a merchant back to those who had it': ['POST /operator/merchants/:id/restore'],
    'it says what an order costs or what it is worth at least, and orders nothing': [
      'PUT /operator/fees',
      'DELETE /operator/fees',
      'PUT /operator/limits',
      'DELETE /operator/limits',
    ],
    'its money stays the operator’s: it goes to the cold address or nowhere': [
      'POST /operator/quarantine/:transactionID/seize',
      'POST /operator/treasury-withdrawals',
    ],
    'its money is a sandbox’s': [
      'POST /operator/sandbox/payments',
      'POST /merchants/:merchantID/invoices/:invoiceID/sandbox-payments',
      'POST /operator/sandbox/blocks',
      'POST /operator/sandbox/reorganisations',
    ],
  }

  it('requires a proof, or has a reason why not', () => {
    const changing = declaredRoutes('http://localhost').filter(({ method }) => method !== 'GET')
    const nameOf = ({ method, path }: Pick<(typeof changing)[number], 'method' | 'path'>) =>
      `${method} ${path}`
    const proving = changing.filter(({ errors }) => errors.includes('proof-required'))
    expect(proving.map(nameOf).sort()).toEqual([...always, ...byItsBody].sort())
    expect(
      proving
        .filter((route) => route.needsProof({}) && !byItsBody.includes(nameOf(route)))
        .map(nameOf)
        .sort(),
    ).toEqual([...always].sort())
    const free = changing.filter((route) => !proving.includes(route))
    expect(free.map(nameOf).sort()).toEqual(Object.values(reasons).flat().sort())
  })
})

/** Decodes base32 (RFC 4648, section 6). */
function bytesOf(text: string): Buffer {
  const bits = [...text]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
