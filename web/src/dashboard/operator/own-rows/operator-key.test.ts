import { expect, it } from 'vitest'
import { canSign, KeyFileError, openSigner } from './operator-key.ts'

/** What the server's `textSigner` makes of the same seed and text. */
const seed = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'
const text = '{"format":"coffer/own-row/1","title":"Größe"}'
const signature =
  '21fe31df.OJhUkLIzwpM236aO92uOJWca76RSzfu14f2RygnGLQoYa5ILzCZmJwMmILt87FXhZOgZCGChOPtKZkEJJlpGDg'
const pem =
  '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----\n'

it('signs as the commands do, with the file of the commands and with a key in PEM', async () => {
  const signed = async (file: string, what: string) => (await openSigner(file))(what)
  expect(await signed(`${seed}\n`, text)).toBe(signature)
  expect(await signed(pem, text)).toBe(signature)
  expect(await signed(seed, `${text} `)).not.toBe(signature)
  expect(await canSign()).toBe(true)
})

it.each([
  ['an empty file', ''],
  ['63 digits', 'a'.repeat(63)],
  ['a public key in PEM', '-----BEGIN PUBLIC KEY-----\nMCow\n-----END PUBLIC KEY-----'],
  ['another private key in PEM', '-----BEGIN PRIVATE KEY-----\nMCow\n-----END PRIVATE KEY-----'],
  ['PEM that is not base64', '-----BEGIN PRIVATE KEY-----\nMC=ow\n-----END PRIVATE KEY-----'],
])('refuses %s', async (_what, file) => {
  await expect(openSigner(file)).rejects.toThrow(KeyFileError)
})
