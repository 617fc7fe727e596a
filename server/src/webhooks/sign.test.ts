import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Secret } from '../core/settings.ts'
import { signatureHeaders, signingKey } from './sign.ts'

interface SignInput {
  readonly body: string
  readonly eventId?: string
  readonly sentAt?: Date
  readonly serviceName?: string
}

function signed(
  key: KeyObject,
  { body, eventId = 'event-1', sentAt = new Date(), serviceName = 'Acme' }: SignInput,
) {
  return signatureHeaders({
    key,
    serviceName,
    eventId,
    token: 'whk_1',
    body: Buffer.from(body, 'utf8'),
    sentAt,
  })
}

describe('signatureHeaders', () => {
  // Test cases 2 and 6 of RFC 4231. One key is shorter than the hash's block, the other key is longer.
  it.each([
    [
      Buffer.from('Jefe'),
      'what do ya want for nothing?',
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    [
      Buffer.alloc(131, 0xaa),
      'Test Using Larger Than Block-Size Key - Hash Key First',
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    ],
  ])('signs the raw body in hex under the service name', (key, body, expected) => {
    expect(signed(createSecretKey(key), { body })['X-Acme-Signature']).toBe(expected)
  })

  it('Q4 signs under Service and Coffer alike where the server has no name of its own, else under its name alone', () => {
    const key = createSecretKey(Buffer.from('Jefe'))
    const namesOf = (serviceName: string) => {
      const headers = Object.entries(signed(key, { body: '{}', serviceName }))
      return headers.filter(([name]) => name.endsWith('-Signature')).map(([name, value]) => [name, value])
    }
    const hex = createHmac('sha256', 'Jefe').update('{}').digest('hex')
    expect(namesOf('Service')).toEqual([
      ['X-Service-Signature', hex],
      ['X-Coffer-Signature', hex],
    ])
    expect(namesOf('Acme')).toEqual([['X-Acme-Signature', hex]])
  })

  it('signs id, time and body as the example of the Standard Webhooks libraries', () => {
    const key = createSecretKey(Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64'))
    const headers = signed(key, {
      body: '{"test": 2432232314}',
      eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      sentAt: new Date(1_614_265_330_999),
    })
    expect(headers).toMatchObject({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      'X-Acme-Webhook-Token': 'whk_1',
    })
  })

  it('takes the secret as the bytes the merchant typed: no prefix is cut, nothing is decoded', () => {
    for (const secret of ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'käse-und-brot-und-noch-etwas-mehr-₿']) {
      const body = '{"name":"₿"}'
      const expected = createHmac('sha256', Buffer.from(secret, 'utf8'))
        .update(Buffer.from(body))
        .digest('hex')
      expect(signed(signingKey(new Secret(secret)), { body })['X-Acme-Signature']).toBe(expected)
    }
  })
})
