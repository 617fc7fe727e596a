/** Tests what the model of the simulation accepts of a request to a merchant's server. */
import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { KnownEvents } from '../../simulation/model/known-events.ts'
import { WebhookModel, type WebhookVersion } from '../../simulation/model/webhooks.ts'
import { required } from '../../src/core/assert.ts'

const hourMs = 60 * 60 * 1000
const host = 'shop.example'
const merchantId = 'merchant'

/** A version that was set at an hour, and whose token is the number of that hour. */
const versionAt = (hour: number, secret: string, changes: Partial<WebhookVersion> = {}): WebhookVersion => ({
  merchantId,
  host,
  secret,
  revokesFormer: false,
  requestedMs: hour * hourMs,
  answered: { token: `token ${hour}`, atMs: hour * hourMs },
  ...changes,
})

interface Sent {
  readonly atHour: number
  readonly secrets: readonly string[]
  readonly token: string
  readonly clockAheadMs?: number
}

/** Returns the problems that a model finds in a request, if the merchant has set these versions of its webhook. */
function problemsOf(versions: readonly WebhookVersion[], sent: Sent) {
  const { atHour, secrets, token, clockAheadMs = 0 } = sent
  const model = new WebhookModel(new KnownEvents(), 'Coffer')
  model.versions.push(...versions)
  const body = JSON.stringify({
    id: 'e',
    type: 'webhook.test',
    merchantID: merchantId,
    sequence: 1,
    data: {},
  })
  const sentMs = atHour * hourMs
  const timestamp = String(sentMs / 1_000)
  const mac = (secret: string, text: string) => createHmac('sha256', secret).update(text)
  const headers = {
    'X-Coffer-Signature': mac(required(secrets[0], 'a secret'), body).digest('hex'),
    'X-Coffer-Webhook-Token': token,
    'webhook-id': 'e',
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets
      .map((secret) => `v1,${mac(secret, `e.${timestamp}.${body}`).digest('base64')}`)
      .join(' '),
  }
  const senderClockMs = sentMs + clockAheadMs
  model.note({ host, headers, body, sentMs, senderClockMs, isConfirmed: true })
  return model.wrong.map((one) => one.replace(/^.*webhook\.test /, ''))
}

const first = versionAt(1, 'a')
const second = versionAt(2, 'b')

it.each<[string, readonly WebhookVersion[], Sent]>([
  ['the current secret', [first], { atHour: 1, secrets: ['a'], token: 'token 1' }],
  [
    'an earlier version with the same secret',
    [first, versionAt(2, 'a')],
    { atHour: 2, secrets: ['a'], token: 'token 1' },
  ],
  ['a former secret within a day', [first, second], { atHour: 26, secrets: ['b', 'a'], token: 'token 2' }],
  [
    'a former secret that was current twice',
    [first, second, versionAt(20, 'a'), versionAt(21, 'b')],
    { atHour: 40, secrets: ['b', 'a'], token: 'token 21' },
  ],
  [
    'a token of a version without an answer',
    [first, versionAt(2, 'b', { answered: undefined })],
    { atHour: 3, secrets: ['b', 'a'], token: 'unknown' },
  ],
])('accepts %s', (_case, versions, sent) => {
  expect(problemsOf(versions, sent)).toEqual([])
})

it.each<[string, readonly WebhookVersion[], Sent, string]>([
  [
    'another token',
    [first, versionAt(2, 'a')],
    { atHour: 2, secrets: ['a'], token: 'token 3' },
    'names another version of the webhook',
  ],
  [
    'another time than that of its sender',
    [first],
    { atHour: 1, secrets: ['a'], token: 'token 1', clockAheadMs: 1_000 },
    'has another time than the clock of its sender',
  ],
  [
    'a former secret after a day',
    [first, second],
    { atHour: 27, secrets: ['b', 'a'], token: 'token 2' },
    'is signed with a former secret after a day',
  ],
  [
    'a former secret that was revoked',
    [first, versionAt(2, 'b', { revokesFormer: true })],
    { atHour: 3, secrets: ['b', 'a'], token: 'token 2' },
    'is signed with a former secret that has ended',
  ],
  [
    'a secret that another former secret has replaced',
    [first, second, versionAt(3, 'c')],
    { atHour: 4, secrets: ['c', 'a'], token: 'token 3' },
    'is signed with a former secret that has ended',
  ],
])('rejects %s', (_case, versions, sent, problem) => {
  expect(problemsOf(versions, sent)).toEqual([problem])
})

it('a version that the database lost has replaced no secret', () => {
  const sent: Sent = { atHour: 5, secrets: ['c', 'a'], token: 'token 4' }
  const withSecond = (isLost: boolean) => [first, versionAt(2, 'b', { isLost }), versionAt(4, 'c')]
  expect(problemsOf(withSecond(false), sent)).toEqual(['is signed with a former secret that has ended'])
  expect(problemsOf(withSecond(true), sent)).toEqual([])
})

it('a restore loses the versions that were set since the snapshot', () => {
  const model = new WebhookModel(new KnownEvents(), 'Coffer')
  model.versions.push(versionAt(1, 'a'), versionAt(2, 'b'), versionAt(3, 'c', { answered: undefined }))
  model.lose(2 * hourMs)
  expect(model.versions.map(({ isLost }) => isLost)).toEqual([false, true, true])
})
