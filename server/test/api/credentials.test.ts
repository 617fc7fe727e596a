import { expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { useDatabase } from '../support/database.ts'
import { readEverything } from '../support/records/whole-database.ts'
import { jwtSecret, password } from './api.ts'
import { useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)

it('G03 every route for Bearer tokens, of the specification or our own, answers 403 to the merchant’s key', async () => {
  const { key, merchantId } = await api.openSeller()
  const forBearer = api.routes.filter(({ auth }) => auth === 'bearer')
  for (const { method, path } of forBearer) {
    const url = path.replace(':merchantID', merchantId).replaceAll(/:\w+/g, newId())
    const { status } = await api.call(method, url, { key })
    expect([method, path, status]).toEqual([method, path, 403])
  }
  const named = forBearer.map(({ method, path }) => `${method} ${path}`)
  expect(named).toEqual(
    expect.arrayContaining([
      'POST /key/generate/:merchantID',
      'GET /key/info/:merchantID',
      'DELETE /key/revoke/:merchantID',
      'POST /merchants',
      'GET /merchants/:merchantID/limits',
      'PUT /ipAddress/:merchantID',
      'DELETE /ipAddress/:merchantID',
      'POST /weebhook/:merchantID',
      'GET /weebhook/:merchantID',
      'DELETE /weebhook/:merchantID',
    ]),
  )
})

it('G11 a dump of every table holds no secret that gives access', async () => {
  const { email, token, key, merchantId } = await api.openSeller()
  const webhookSecret = `whsec-${newId()}-${newId()}`
  const json = { url: 'http://127.0.0.1:9/hook', secret: webhookSecret }
  expect((await api.call('POST', `/weebhook/${merchantId}`, { token, json })).status).toBe(200)
  const made = await api.call('POST', '/auth/tokens', { token, json: { name: 'ci', days: 1 } })
  const login = await api.call('POST', '/auth/login', { json: { email, password } })
  await api.call('POST', '/auth/login', { json: { email, password: 'a wrong password 123' } })
  const dump = await dumpAll()
  expect(dump).toContain(email)
  const secrets = {
    password,
    'wrong password': 'a wrong password 123',
    'API key': key,
    'JWT secret': jwtSecret.reveal(),
    'webhook secret': webhookSecret,
    'session token': token,
    'API access token': made.body.token,
    'refresh token': login.body.refreshToken,
    'encryption key': 'ab'.repeat(32),
  }
  for (const [name, secret] of Object.entries(secrets)) {
    for (const form of [
      secret,
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret).toString('base64'),
    ]) {
      expect(dump.includes(form), name).toBe(false)
    }
  }
})

/** Returns every row of every table as text. */
async function dumpAll(): Promise<string> {
  const { tables, rows } = await readEverything(database.db)
  expect(tables.length).toBeGreaterThan(20)
  return rows.join('\n')
}
