import { createHmac } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { signTestEvent } from './sign-test-event.ts'
import { verifyWebhook, type WebhookToVerify } from './verify-webhook.ts'
import { WebhookRefusedError } from './webhook-refused-error.ts'
import { openSigner, standardSignature } from './webhook-signature.ts'

const secret = 'käse und brot, und noch mehr als 32 ₿'
const other = 'another secret of at least 32 characters'
const now = new Date('2026-11-22T12:00:00.700Z')

const signed = (over: Partial<Parameters<typeof signTestEvent>[0]> = {}) =>
  signTestEvent({ type: 'webhook.test', data: { testID: 'größe' }, secret, sentAt: now, ...over })

type Made = Awaited<ReturnType<typeof signed>>

/** Returns the reason for the rejection of a request, or the type of the accepted event. */
async function verdictFor(request: Partial<WebhookToVerify> & Pick<WebhookToVerify, 'body' | 'headers'>) {
  try {
    return (await verifyWebhook({ secret, now, ...request })).type
  } catch (error) {
    if (error instanceof WebhookRefusedError) return error.reason
    throw error
  }
}

const standardNames = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

/** Returns the headers of one signature scheme, and the headers that belong to no scheme. */
function family({ headers }: Made, which: 'standard' | 'body'): Record<string, string> {
  const isStandard = (name: string) => standardNames.includes(name)
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => isStandard(name) === (which === 'standard')),
  )
}

describe('verifyWebhook', () => {
  it('returns the event of a valid request, with either signature alone or with both', async () => {
    const made = await signed()
    expect(await verifyWebhook({ ...made, secret, now })).toEqual(made.event)
    expect(await verdictFor({ body: made.body, headers: family(made, 'standard') })).toBe('webhook.test')
    expect(await verdictFor({ body: made.body, headers: family(made, 'body') })).toBe('webhook.test')
  })

  it('accepts the body as text and as bytes of every kind, and headers in the form of every framework', async () => {
    const { body, headers } = await signed()
    const bytes = new TextEncoder().encode(body)
    const padded = Buffer.concat([Buffer.from('xx'), bytes, Buffer.from('yy')])
    const bodies = [bytes, Buffer.from(body), padded.subarray(2, -2), bytes.buffer]
    // Test runners create such arrays: their `Uint8Array` class is not the class of this file.
    bodies.push(runInNewContext('Uint8Array.from(bytes)', { bytes: [...bytes] }))
    for (const one of bodies) expect(await verdictFor({ body: one, headers })).toBe('webhook.test')
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    )
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
    for (const one of [new Headers(headers), upper, lists, { ...headers, cookie: undefined }])
      expect(await verdictFor({ body, headers: one })).toBe('webhook.test')
  })

  it('uses only the signature over id, time and body if it is present', async () => {
    const made = await signed()
    const wrong = { 'webhook-signature': `v1,${btoa('0'.repeat(32))}` }
    expect(await verdictFor({ body: made.body, headers: { ...made.headers, ...wrong } })).toBe(
      'signature-wrong',
    )
    const standard = { ...made.headers, 'X-Service-Signature': '0'.repeat(64) }
    expect(await verdictFor({ body: made.body, headers: standard })).toBe('webhook.test')
  })

  it('accepts any of several signatures and any of several secrets, so that a secret can be changed', async () => {
    const made = await signed()
    const older = await signed({ id: 'the same', secret: other })
    const both = (await signed({ id: 'the same' })).headers['webhook-signature']
    const headers = {
      ...older.headers,
      'webhook-signature': `v1a,xx ${both} ${older.headers['webhook-signature']}`,
    }
    expect(await verdictFor({ body: older.body, headers, secret: other })).toBe('webhook.test')
    const { body } = made
    const changing = { body, headers: made.headers, secrets: [other, secret], now }
    expect((await verifyWebhook(changing)).type).toBe('webhook.test')
    expect(await verdictFor({ ...made, secret: other })).toBe('signature-wrong')
    const byBody = { body, headers: family(made, 'body') }
    expect(await verdictFor({ ...byBody, secret: other, secrets: [secret] })).toBe('webhook.test')
    expect(await verdictFor({ ...byBody, secret: other })).toBe('signature-wrong')
  })

  it('accepts the signature header of a server with its own name', async () => {
    const made = await signed({ serviceName: 'AcmePay' })
    const headers = family(made, 'body')
    expect(await verdictFor({ body: made.body, headers, serviceName: 'AcmePay' })).toBe('webhook.test')
    expect(await verdictFor({ body: made.body, headers })).toBe('header-missing')
  })

  it('Q4 accepts the signature of a server without its own name under either of its two header names', async () => {
    const made = await signed()
    const both = Object.entries(made.headers).filter(([name]) => /^x-.*-signature$/i.test(name))
    expect(both.map(([name]) => name)).toEqual(['X-Service-Signature', 'X-Coffer-Signature'])
    for (const [name, signature] of both) {
      expect(await verdictFor({ body: made.body, headers: { [name]: signature } })).toBe('webhook.test')
      expect(await verdictFor({ body: `${made.body} `, headers: { [name]: signature } })).toBe(
        'signature-wrong',
      )
    }
  })

  it('refuses a request from too long ago or from the future, to the second', async () => {
    const sentS = Math.floor(now.getTime() / 1000)
    const at = async (ageS: number, rules = {}) =>
      verdictFor({ ...(await signed()), now: new Date((sentS + ageS) * 1000), ...rules })
    expect([await at(300), await at(301)]).toEqual(['webhook.test', 'too-old'])
    expect([await at(-300), await at(-301)]).toEqual(['webhook.test', 'too-new'])
    expect([await at(9, { toleranceS: 8 }), await at(9e9, { toleranceS: Infinity })]).toEqual([
      'too-old',
      'webhook.test',
    ])
    // The signature in `X-Service-Signature` does not cover the time of sending. An old request with only this
    // signature is therefore accepted, unless `mustBeDated` is set.
    const made = await signed()
    const old = { body: made.body, headers: family(made, 'body'), now: new Date(sentS * 2000) }
    expect([await verdictFor(old), await verdictFor({ ...old, mustBeDated: true })]).toEqual([
      'webhook.test',
      'header-missing',
    ])
  })

  it.each(standardNames)(
    'refuses a request whose %s was removed while the others are present',
    async (name) => {
      const made = await signed()
      const { [name]: _dropped, ...headers } = family(made, 'standard')
      expect(await verdictFor({ body: made.body, headers })).toBe('header-missing')
    },
  )

  it.each([
    ['webhook-timestamp', ''],
    ['webhook-timestamp', '1e9'],
    ['webhook-timestamp', ' '],
    ['webhook-signature', ''],
    ['webhook-signature', 'v2,AAAA'],
    ['webhook-signature', 'v1'],
  ])('refuses %s "%s" and does not fall back to the other signature', async (name, value) => {
    const made = await signed()
    const verdict = await verdictFor({ body: made.body, headers: { ...made.headers, [name]: value } })
    expect(verdict).toBe(value === '' ? 'header-missing' : 'header-malformed')
  })

  it('refuses a parsed body with a remedy, and a missing body', async () => {
    const { event, headers } = await signed()
    for (const body of [event, {}, undefined, null, 7]) {
      const given = { body: body as unknown as string, headers, secret, now }
      await expect(verifyWebhook(given)).rejects.toMatchObject({
        reason: 'body-not-raw',
        message: expect.stringContaining('express.raw'),
      })
    }
  })

  it('reports signed content that is not an event', async () => {
    const whole = { id: '1', type: 'invoice.paid', merchantID: '2', timestamp: '3', sequence: 4, data: {} }
    const lacking = Object.keys(whole).map((field) => JSON.stringify({ ...whole, [field]: undefined }))
    const odd = [
      { sequence: '4' },
      { sequence: 4.5 },
      { merchantID: 2 },
      { timestamp: null },
      { data: [null][0] },
    ]
    const others = odd.map((fields) => JSON.stringify({ ...whole, ...fields }))
    for (const body of ['{"test": 2432232314}', '[]', 'null', '', ...lacking, ...others]) {
      const signature = createHmac('sha256', secret).update(body).digest('hex')
      expect(await verdictFor({ body, headers: { 'x-service-signature': signature } })).toBe('not-an-event')
    }
  })

  it.each([
    ['no secret', { secret: undefined }],
    ['an empty secret', { secret: '' }],
    ['an empty list', { secret: undefined, secrets: [] }],
    ['a list with nothing in it', { secrets: [undefined] }],
    ['a tolerance that is no number', { toleranceS: Number.NaN }],
    ['a tolerance below zero', { toleranceS: -1 }],
    ['a time that is none', { now: new Date('soon') }],
    ['no headers', { headers: undefined }],
    // If the SDK accepted these values, it would read them as a key that anybody can guess.
    ['a secret in a list', { secret: ['a secret of a program without types'] }],
    ['a secret that is still to come', { secret: Promise.resolve(secret) }],
    ['a secret that is a number', { secret: 12_345_678 }],
    ['bytes that are no Uint8Array', { secret: new TextEncoder().encode(other).buffer }],
    ['a text in place of several secrets', { secrets: other }],
    ['bytes in place of several secrets', { secrets: Buffer.from(other) }],
  ])('throws a TypeError for %s, whatever the request contains', async (_name, configured) => {
    const request = { ...(await signed()), secret, now, ...configured } as unknown as WebhookToVerify
    await expect(verifyWebhook(request)).rejects.toThrow(TypeError)
  })
})

it('does not use the letters of one secret as several secrets', async () => {
  const { body, headers } = await signed({ secret: 'a' })
  const configured = { secret, secrets: other } as unknown as WebhookToVerify
  await expect(verifyWebhook({ ...configured, body, headers, now })).rejects.toThrow(TypeError)
})

it('accepts a secret as bytes of any class', async () => {
  const { body, headers } = await signed()
  const bytes = new TextEncoder().encode(secret)
  const foreign = runInNewContext('Uint8Array.from(bytes)', { bytes: [...bytes] })
  for (const one of [bytes, Buffer.from(bytes), foreign])
    expect(await verdictFor({ body, headers, secret: one })).toBe('webhook.test')
})

describe('no altered request passes', () => {
  /** Returns a text in which a character is replaced or removed, or to which characters are appended. */
  const altered = (text: string, index: number, letters: string) => {
    const at = index % (text.length + 1)
    return text.slice(0, at) + letters + text.slice(at + 1)
  }
  const positions = fc.nat({ max: 10_000 })
  const letters = fc
    .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 })
    .filter((one) => one !== ' ')
  const rejections = ['signature-wrong', 'header-malformed', 'header-missing', 'too-old', 'too-new']

  it('with any byte of the body changed, dropped or added', async () => {
    const made = await signed()
    const bytes = Buffer.from(made.body)
    const change = fc.tuple(
      positions,
      fc.integer({ min: 1, max: 255 }),
      fc.constantFrom('flip', 'drop', 'add'),
    )
    await fc.assert(
      fc.asyncProperty(change, fc.constantFrom('standard', 'body'), async ([index, bits, how], which) => {
        const at = index % bytes.length
        const middle =
          how === 'flip' ? [(bytes[at] ?? 0) ^ bits] : how === 'add' ? [bits, bytes[at] ?? 0] : []
        const body = Buffer.concat([bytes.subarray(0, at), Buffer.from(middle), bytes.subarray(at + 1)])
        expect(await verdictFor({ body, headers: family(made, which as 'body') })).toBe('signature-wrong')
      }),
      { numRuns: 300 },
    )
  })

  it.each([...standardNames, 'X-Service-Signature'])(
    'with any character of %s changed, dropped or added',
    async (name) => {
      const made = await signed()
      const headers = family(made, standardNames.includes(name) ? 'standard' : 'body')
      const genuine = headers[name] ?? ''
      // Upper-case and lower-case hex digits mean the same.
      const isHex = name === 'X-Service-Signature'
      const isOther = (value: string) => value !== genuine && !(isHex && value.toLowerCase() === genuine)
      await fc.assert(
        fc.asyncProperty(positions, letters, async (index, written) => {
          const value = altered(genuine, index, written)
          fc.pre(isOther(value))
          const verdict = await verdictFor({ body: made.body, headers: { ...headers, [name]: value } })
          expect(rejections).toContain(verdict)
        }),
        { numRuns: 300 },
      )
    },
  )
})

describe('Standard Webhooks', () => {
  /** The library `standardwebhooks` expects the secret in base64. */
  const base64 = (text: string) => `whsec_${Buffer.from(text).toString('base64')}`

  it('signs the example of its specification', async () => {
    const sign = await openSigner(Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64'))
    const parts = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: '1614265330',
      body: new TextEncoder().encode('{"test": 2432232314}'),
    }
    expect(await standardSignature(sign, parts)).toBe('g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })

  it("verifies our signatures with its library, and its library's with ours", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: 'grapheme', minLength: 1 }), fc.constant('whsec_c2VjcmV0')),
        fc.jsonValue(),
        fc.uuid(),
        async (key, value, id) => {
          const data = { value } as never
          const ownSignature = await signTestEvent({ type: 'webhook.test', data, secret: key, id })
          const theirs = new Webhook(base64(key))
          expect(theirs.verify(ownSignature.body, { ...ownSignature.headers })).toEqual(ownSignature.event)
          const headers = {
            'webhook-id': id,
            'webhook-timestamp': Math.floor(now.getTime() / 1000).toString(),
            'webhook-signature': theirs.sign(id, now, ownSignature.body),
          }
          expect(await verifyWebhook({ body: ownSignature.body, headers, secret: key, now })).toEqual(
            ownSignature.event,
          )
        },
      ),
      { numRuns: 100 },
    )
  })

  it('its library refuses what we refuse', async () => {
    const made = await signed({ sentAt: new Date() })
    const { verify } = {
      verify: (body: string) => new Webhook(base64(secret)).verify(body, { ...made.headers }),
    }
    expect(verify(made.body)).toEqual(made.event)
    expect(() => verify(made.body.replace('größe', 'grösse'))).toThrow('No matching signature')
  })
})
