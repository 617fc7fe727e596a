import { describe, expect, it } from 'vitest'
import { linkTo } from './block.ts'

const tip = { height: 7, hash: 'seven' }
const block = (height: number, hash: string, parentHash: string) => ({
  height,
  hash,
  parentHash,
  minedAt: new Date(0),
})

describe('a block read at or above the tip', () => {
  it('extends, repeats or forks, by its hashes alone', () => {
    expect(linkTo(tip, block(8, 'eight', 'seven'))).toBe('extend')
    expect(linkTo(tip, block(7, 'seven', 'six'))).toBe('repeat')
    expect(linkTo(tip, block(8, 'eight', 'other seven'))).toBe('fork')
    expect(linkTo(tip, block(7, 'other seven', 'six'))).toBe('fork')
    expect(linkTo(tip, block(6, 'seven', 'six'))).toBe('fork')
  })

  it('never leaves a gap', () => {
    expect(() => linkTo(tip, block(9, 'nine', 'eight'))).toThrow(/gap/)
  })
})
