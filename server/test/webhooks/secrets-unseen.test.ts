/** Checks that no webhook secret occurs in the API's answers, in the log or in the database. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Log } from '../../src/core/log.ts'
import { openSealer } from '../../src/core/seal.ts'
import { Secret } from '../../src/core/settings.ts'
import { webhookSecretContext } from '../../src/merchants/webhook-endpoint.ts'
import { backup } from '../../src/platform/db/backup.ts'
import { useShopApi } from '../api/shop-api.ts'
import { useDatabase } from '../support/database.ts'
import { openMerchantServer, status } from '../support/merchant-server.ts'
import { startDispatching } from './dispatching.ts'

const logged: string[] = []
const logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
const log: Log = {
  debug: (fields, message) => logger.debug(fields, message),
  info: (fields, message) => logger.info(fields, message),
  warn: (fields, message) => logger.warn(fields, message),
  error: (fields, message) => logger.error(fields, message),
}
const database = useDatabase()
const environment = { WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOW_PRIVATE: 'true' }
const api = useShopApi(database, { log, isFollowed: false, environment })
const sealer = openSealer(new Secret('ab'.repeat(32)))

/** Returns the whole database as text. */
async function dump(): Promise<string> {
  const into = mkdtempSync(join(tmpdir(), 'coffer-dump-'))
  onTestFinished(() => rmSync(into, { recursive: true }))
  const folder = await backup(database.owner, into)
  const read = (name: string) => {
    const bytes = readFileSync(join(folder, name))
    return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  }
  return readdirSync(folder).map(read).join('\n')
}

/** Returns the secret as it is, and as it would appear in a column of bytes or in a header. */
function encodingsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    encodeURIComponent(secret),
  ]
}

it('F20 the secret, current, former or refused, is in no answer, no log line and no dump of the database', async () => {
  const secrets = ['first', 'second', 'refused', 'revoked'].map((word) => `${word}-${'s3cr3t!'.repeat(6)}`)
  const [first = '', second = '', refused = '', revoked = ''] = secrets
  const server = await openMerchantServer(status(500), status(200))
  const { merchantId, token, key } = await api.openSeller()
  const answers: string[] = []
  const call = async (method: string, path: string, json?: object) => {
    const answer = await api.call(method, path, {
      token,
      json,
      headers: { 'idempotency-key': `${answers.length}` },
    })
    answers.push(`${answer.text} ${JSON.stringify([...answer.headers])}`)
    return answer
  }
  const hook = `/weebhook/${merchantId}`
  for (const secret of [revoked, first, second])
    expect((await call('POST', hook, { url: server.url, secret })).status).toBe(200)
  for (const wrong of [
    { url: `ftp://${refused}@shop.example`, secret: refused },
    { url: 'https://10.0.0.1:22/', secret: refused, more: refused },
    { url: server.url, secret: `${refused}${'x'.repeat(512)}` },
    { url: server.url, secret: { refused } },
  ])
    expect((await call('POST', hook, wrong)).status).toBe(400)
  expect((await api.call('POST', hook, { key, json: { url: server.url, secret: refused } })).status).toBe(403)
  const openSecret = (sealed: Buffer, id: string) => sealer.open(sealed, webhookSecretContext(id))
  const { dispatcher } = startDispatching(database.db, { parts: { log, openSecret } })
  expect((await call('POST', `${hook}/test`)).status).toBe(202)
  dispatcher.wake.now()
  const deliveries = await vi.waitFor(async () => {
    const { body } = await call('GET', `${hook}/deliveries`)
    expect(body.data[0]?.attempts).toBe(1)
    return body.data
  }, 10_000)
  await call('POST', `${hook}/deliveries/${deliveries[0].id}/redeliver`)
  for (const path of [hook, '/merchants', `/merchants/${merchantId}`, `/merchants/${merchantId}/events`])
    expect((await call('GET', path)).status).toBe(200)
  await vi.waitFor(() => expect(server.calls).toHaveLength(2), { timeout: 5_000 })

  const outputs = { answers: answers.join('\n'), log: logged.join('\n'), dump: await dump() }
  expect(outputs.dump).toContain(server.url)
  expect(outputs.log).toContain('weebhook')
  for (const [index, text] of Object.entries(outputs))
    for (const encoding of secrets.flatMap(encodingsOf)) expect(text.includes(encoding), index).toBe(false)
})
