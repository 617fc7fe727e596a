import { expect, it } from 'vitest'
import { pageOf } from './forgery.ts'

const host = 'pay.example'

it.each([
  ['https://pay.example', 'https://pay.example', 'own'],
  // A page that was loaded without TLS is foreign, because anybody on the network can alter it.
  ['https://pay.example', 'http://pay.example', 'foreign'],
  ['https://other.example', 'https://pay.example', 'foreign'],
  ['http://127.0.0.1:3000', 'http://pay.example', 'own'],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000', 'own'],
  ['http://127.0.0.1:3000', 'https://pay.example', 'foreign'],
  ['http://127.0.0.1:3000', 'http://evil.example', 'foreign'],
])('a server at %s that is asked for as pay.example takes a page of %s for %s', (publicUrl, origin, page) => {
  expect(pageOf({ host, origin }, publicUrl)).toBe(page)
})
