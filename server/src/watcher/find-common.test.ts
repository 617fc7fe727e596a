import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findCommon } from './find-common.ts'

it('the highest common block is found, with few questions even if the fork is deep', async () => {
  const cases = fc
    .nat({ max: 5_000 })
    .chain((length) => fc.record({ length: fc.constant(length), differing: fc.nat({ max: length }) }))
  await fc.assert(
    fc.asyncProperty(cases, async ({ length, differing }) => {
      const held = Array.from({ length }, (_, depth) => length - depth)
      let asked = 0
      const found = await findCommon(held, async (block) => {
        asked += 1
        return block <= length - differing
      })
      expect(found).toBe(differing === length ? undefined : length - differing)
      expect(asked).toBeLessThanOrEqual(2 + 2 * Math.log2(differing + 1))
    }),
  )
})
