import { hash, verify } from '@node-rs/argon2'
import { expect, it } from 'vitest'
import { openPasswords } from './passwords.ts'

it('knows the right password, in either form of Unicode, and no other', async () => {
  const passwords = openPasswords()
  const stored = await passwords.hash('caf\u00e9 au lait noir')
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await passwords.matches('cafe\u0301 au lait noir', stored)).toBe(true)
  expect(await passwords.matches('cafe au lait noir', stored)).toBe(false)
  expect(await passwords.matches('', stored)).toBe(false)
})

it('says no without a hash, after one comparison with a hash of the same parameters', async () => {
  const compared: string[] = []
  const passwords = openPasswords(undefined, {
    hash,
    verify: (stored, typed) => {
      compared.push(String(stored))
      return verify(stored, typed)
    },
  })
  const stored = await passwords.hash('caf\u00e9 au lait noir')
  expect(await passwords.matches('anything', stored)).toBe(false)
  expect(await passwords.matches('anything', undefined)).toBe(false)
  const parametersOf = (text: string) => text.split('$').slice(0, 4).join('$')
  expect(compared.map(parametersOf)).toEqual([parametersOf(stored), parametersOf(stored)])
  expect(compared[1]).toHaveLength(stored.length)
})

it('refuses what does not fit its queue with 503 and Retry-After, and serves the rest', async () => {
  const passwords = openPasswords(3)
  const stored = await passwords.hash('a long enough password')
  const tries = Array.from({ length: 20 }, () => passwords.matches('a long enough password', stored))
  const settled = await Promise.allSettled(tries)
  const refused = settled.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  expect(settled.length - refused.length).toBeGreaterThanOrEqual(4)
  expect(settled.length - refused.length).toBeLessThanOrEqual(5)
  for (const reason of refused)
    expect(reason).toMatchObject({ code: 'too-many-requests', extras: { retryAfterS: 2 } })
  expect(await passwords.matches('a long enough password', stored)).toBe(true)
})

it('lets one network do so much at once, and others go on meanwhile', async () => {
  const passwords = openPasswords()
  let end = () => {}
  const held = new Promise<void>((resolve) => {
    end = resolve
  })
  const flood = Array.from({ length: 40 }, () => passwords.inShare('192.0.2.0/24', () => held))
  const settled = Promise.allSettled(flood)
  expect(await passwords.inShare('198.51.100.0/24', async () => 'in')).toBe('in')
  end()
  expect((await settled).filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
  expect(await passwords.inShare('192.0.2.0/24', async () => 'in')).toBe('in')
})
