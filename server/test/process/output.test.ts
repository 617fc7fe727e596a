/** Tests what a session logs: one line per request, and no secret outside the welcome message. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  call,
  type Login,
  logIn,
  type MerchantClient,
  openMerchant,
  payFrom,
  printedLogin,
} from '../support/coffer-client.ts'
import { ownSettings, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { startMerchantServer, status } from '../support/merchant-server.ts'

const dataDirs = useDataDirs()
const webhookSecret = 'hush, a secret of 32 characters or more'

it('G25 logs one line per request and never a secret', async () => {
  const dataDir = await dataDirs.fresh()
  const settings = await ownSettings(dataDir, { LOG_LEVEL: 'debug' })
  const coffer = await startCoffer(settings)
  const login = printedLogin(coffer)
  const receiver = await startMerchantServer(status(500))
  const merchant = await openMerchant(coffer.url, login)
  await merchant.setWebhook(receiver.url, webhookSecret)
  const invoiceId = await merchant.createInvoice()
  await payFrom(coffer.nodeUrl, 2, await merchant.addressOf(invoiceId))
  await merchant.becomes(invoiceId, 'paid')
  await expect.poll(() => receiver.calls.length, { timeout: 10_000 }).toBeGreaterThan(0)
  const wrong = 'not the password, but near it'
  await call(`${coffer.url}/auth/login`, 'POST', {}, { ...login, password: wrong })
  await call(`${coffer.url}/nowhere?key=${merchant.key}`, 'GET', {})
  await call(`${coffer.url}/merchants`, 'POST', { authorization: `Bearer ${merchant.token}x` }, { name: 1 })
  const secondToken = await logIn(coffer.url, login)
  const handedOut = await useSecrets(coffer.url, merchant, login)

  await Promise.all(Array.from({ length: 20 }, () => merchant.call('GET', '/healthz')))
  await coffer.stop()
  const lines = requestLines(coffer.stderr).filter((line) => line.includes('"/healthz"'))
  expect(lines).toHaveLength(20)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    method: 'GET',
    status: 200,
    requestId: expect.any(String),
  })
  await receiver.close()

  const made = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8'))
  const credentials = JSON.parse(readFileSync(join(dataDir, 'postgres-credentials.json'), 'utf8'))
  const texts = [...Object.values(made), ...Object.values(credentials)] as string[]
  const secrets = [...texts, merchant.key, merchant.token, secondToken, webhookSecret, wrong, ...handedOut]
  for (const secret of secrets) expect(coffer.stderr).not.toContain(secret)
  const shownOnPurpose: string = made.adminPassword
  for (const secret of secrets.filter((text) => text !== shownOnPurpose)) {
    expect(coffer.stdout).not.toContain(secret)
  }
})

/** Uses all other secrets of a client, valid and invalid ones, and returns them. */
async function useSecrets(url: string, merchant: MerchantClient, login: Login): Promise<readonly string[]> {
  const session = (await call(`${url}/auth/login`, 'POST', {}, login)).body as Record<string, string>
  const { refreshToken = '', token = '' } = session
  const bearer = { authorization: `Bearer ${token}` }
  const made = await call(`${url}/auth/tokens`, 'POST', bearer, { name: 'shop', days: 1 })
  const accessToken = (made.body as Record<string, string>)['token'] ?? ''
  await call(`${url}/merchants`, 'GET', { authorization: `Bearer ${accessToken}` })
  const refreshed = await call(`${url}/auth/refresh`, 'POST', {}, { refreshToken })
  await call(`${url}/auth/refresh`, 'POST', {}, { refreshToken })
  const pull = { amount: '5', type: 'withdraw', paymentMethodID: 1 }
  const invoice = (await merchant.call('POST', `/merchants/${merchant.merchantId}/invoices`, pull))
    .body as Record<string, string>
  const claim = /#claim=(\S+)$/.exec(invoice['claimURL'] ?? '')?.[1] ?? ''
  const address = `0x${'c0ffee'.repeat(6)}c0de`
  await call(`${url}/public/invoices/${invoice['id']}/claim`, 'POST', {}, { token: claim, address })
  await call(`${url}/public/invoices/${invoice['id']}/claim`, 'POST', {}, { token: claim, address: 5 })
  const { token: newest = '', refreshToken: newestRefresh = '' } = refreshed.body as Record<string, string>
  const secrets = [refreshToken, token, accessToken, claim, newest, newestRefresh]
  for (const secret of secrets) expect(secret.length).toBeGreaterThan(20)
  return secrets
}

function requestLines(stderr: string): readonly string[] {
  return stderr.split('\n').filter((line) => line.includes('"msg":"request"'))
}
