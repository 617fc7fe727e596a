import { describe, expect, it } from 'vitest'
import { canonicalize, mergeEntries, replacementError } from './sanctions-list.ts'

const lower = (text: string) => (/^ok:/i.test(text) ? text.toLowerCase() : undefined)

describe('the form in which addresses are compared', () => {
  it.each([
    ['the family’s own, where one can read it', ' OK:ABC ', 'ok:abc'],
    [
      'H03 lower case, of hexadecimal whose checksum is wrong',
      '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
    ],
    [
      'H03 lower case, of hexadecimal in capitals',
      '0XDE709F2102306220921060314715629080E2FB77',
      '0xde709f2102306220921060314715629080e2fb77',
    ],
    [
      'H03 lower case, of bech32 in capitals',
      'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    ],
    [
      'as it is, of base58, which tells letters apart',
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    ],
  ])('is %s', (_, written, canonical) => {
    expect(canonicalize([lower], written)).toBe(canonical)
  })

  it('merges one address under several codes and parties', () => {
    const entries = [
      { address: '0xAB'.padEnd(42, '0'), code: 'ETH', party: '7' },
      { address: '0xab'.padEnd(42, '0'), code: 'USDT', party: '9' },
      { address: '0xab'.padEnd(42, '0'), code: 'USDT', party: undefined },
    ]
    expect(mergeEntries([], entries)).toEqual([
      { canonical: '0xab'.padEnd(42, '0'), codes: ['ETH', 'USDT'], parties: ['7', '9'] },
    ])
  })
})

describe('a list in the place of another', () => {
  it('is refused where it is empty or lost more than half', () => {
    expect(replacementError(0, 0)).toContain('no address')
    expect(replacementError(101, 50)).toContain('fewer than half')
    expect(replacementError(100, 50)).toBeUndefined()
    expect(replacementError(0, 1)).toBeUndefined()
  })
})
