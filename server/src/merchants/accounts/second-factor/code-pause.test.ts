import { expect, it } from 'vitest'
import { pauseAfterS } from './code-pause.ts'

it('a wrong code costs twice the pause of the one before, up to a quarter of an hour', () => {
  const pauses = [0, 1, 2, 3, 4, 9, 10, 11, 12, 1_000].map(pauseAfterS)
  expect(pauses).toEqual([0, 1, 2, 4, 8, 256, 512, 900, 900, 900])
})
