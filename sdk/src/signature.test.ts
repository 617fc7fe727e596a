import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { isGenuine } from './signature.ts'

const secret = 'a-secret-of-at-least-32-characters'
const body = '{"type":"invoice.paid","data":{"amount":"1.00","name":"Zoë"}}'
const signature = createHmac('sha256', secret).update(body).digest('hex')

it('knows a body that was signed with the secret, as text and as bytes', async () => {
  expect(await isGenuine(body, signature, secret)).toBe(true)
  expect(await isGenuine(new TextEncoder().encode(body), signature.toUpperCase(), secret)).toBe(true)
})

it.each([
  ['another body', `${body} `, signature, secret],
  ['another secret', body, signature, `${secret}!`],
  ['a short signature', body, signature.slice(2), secret],
  ['no signature', body, undefined, secret],
  ['no hex', body, 'z'.repeat(64), secret],
])('refuses %s', async (_name, sent, header, key) => {
  expect(await isGenuine(sent, header, key)).toBe(false)
})
