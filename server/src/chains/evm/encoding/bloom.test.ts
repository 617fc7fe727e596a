import fc from 'fast-check'
import { keccak256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { type BloomEntry, bloomOf, mayHold } from './bloom.ts'

describe('the logs bloom', () => {
  it('is empty without logs', () => {
    expect(bloomOf([])).toBe(`0x${'0'.repeat(512)}`)
  })

  it('sets the bits that the Yellow Paper names', () => {
    // This address is the common example for M3:2048, and its bits are known.
    const address = '0x0f572e5295c57f15886f9b263e2f6d2d6c7b5ec6'
    expect(bitsOf(bloomOf([{ address, topics: [] }]))).toEqual(
      [...new Set(bitsByDefinition(address))].sort(ascending),
    )
    expect(bitsByDefinition(address)).toEqual([1323, 431, 1319])
  })

  it('is, for any logs, exactly the union of the bits of their addresses and topics', () => {
    fc.assert(
      fc.property(fc.array(log(), { maxLength: 12 }), (logs) => {
        const parts = logs.flatMap(({ address, topics }) => [address, ...topics])
        const expected = new Set(parts.flatMap(bitsByDefinition))
        expect(bitsOf(bloomOf(logs))).toEqual([...expected].sort(ascending))
      }),
    )
  })

  it('may hold all words of its logs, and surely does not hold others if it is empty', () => {
    fc.assert(
      fc.property(fc.array(log(), { minLength: 1, maxLength: 12 }), (logs) => {
        const bloom = bloomOf(logs)
        for (const { address, topics } of logs) expect(mayHold(bloom, [address, ...topics])).toBe(true)
        expect(mayHold(bloomOf([]), [logs[0]?.address ?? ''])).toBe(false)
      }),
    )
  })

  it('does not hold an address if one of its bits is not set', () => {
    const address = '0x0f572e5295c57f15886f9b263e2f6d2d6c7b5ec6'
    const other = '0x1f572e5295c57f15886f9b263e2f6d2d6c7b5ec6'
    const bloom = bloomOf([{ address, topics: [] }])
    expect(mayHold(bloom, [address])).toBe(true)
    expect(mayHold(bloom, [address, other])).toBe(false)
  })
})

/** Returns the bits as defined: the low 11 bits of the first, second and third 16 bits of the hash. */
function bitsByDefinition(hex: string): number[] {
  const hash = keccak256(`0x${hex.slice(2)}`)
  return [0, 1, 2].map((pair) => Number.parseInt(hash.slice(2 + pair * 4, 6 + pair * 4), 16) % 2048)
}

/** Returns the set bits of a bloom. Bit 0 is the lowest bit of the last byte. */
function bitsOf(bloom: string): number[] {
  const binary = BigInt(bloom).toString(2)
  return [...binary]
    .flatMap((digit, index) => (digit === '1' ? [binary.length - 1 - index] : []))
    .sort(ascending)
}

function ascending(a: number, b: number): number {
  return a - b
}

function log(): fc.Arbitrary<BloomEntry> {
  // The range holds few different values, so that addresses and topics repeat.
  const number = fc.oneof(fc.bigInt({ min: 0n, max: 5n }), fc.bigInt({ min: 0n, max: 2n ** 160n - 1n }))
  const hex = (bytes: number) => number.map((value) => `0x${value.toString(16).padStart(bytes * 2, '0')}`)
  return fc.record({ address: hex(20), topics: fc.array(hex(32), { maxLength: 4 }) })
}
