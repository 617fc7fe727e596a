import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { isSigned, openReceiver } from './receiver.ts'

const secret = 'a secret of at least 32 characters'
const sign = (body: string, key = secret) => createHmac('sha256', key).update(body).digest('hex')

it('believes the hex HMAC-SHA256 of the very bytes, and nothing else', () => {
  const body = '{"type":"invoice.paid"}'
  const bytes = Buffer.from(body)
  expect(isSigned(bytes, secret, sign(body))).toBe(true)
  expect(isSigned(Buffer.from(`${body} `), secret, sign(body))).toBe(false)
  expect(isSigned(bytes, secret, sign(body, 'another secret'))).toBe(false)
  for (const wrong of [undefined, '', 'x', sign(body).toUpperCase(), [sign(body)], `${sign(body)}00`]) {
    expect(isSigned(bytes, secret, wrong)).toBe(false)
  }
})

it('hands on signed events alone and says what came instead', async () => {
  const signal = new AbortController().signal
  const receiver = await openReceiver({ secret, signatureHeader: 'x-service-signature', signal })
  const post = async (body: string, signature: string) => {
    const headers = { 'x-service-signature': signature }
    return (await fetch(receiver.url, { method: 'POST', headers, body })).status
  }
  const event = JSON.stringify({ type: 'invoice.paid', data: { amount: '25' } })
  expect(await post(event, sign(event, 'another'))).toBe(401)
  expect(await post('no json', sign('no json'))).toBe(401)
  await expect(receiver.next('invoice.paid', 50)).rejects.toThrow(/no events received; 2 rejected/)
  expect(await post(event, sign(event))).toBe(200)
  expect((await receiver.next('invoice.paid', 50)).data).toEqual({ amount: '25' })
  await expect(receiver.next('transaction.confirmed', 50)).rejects.toThrow(/received: invoice\.paid/)
  await receiver.close()
})
