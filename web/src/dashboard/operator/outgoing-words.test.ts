import { expect, it } from 'vitest'
import { kindWords, refusalWords, stageWords, waitWords } from './outgoing-words.ts'

it('shows the reason of a wait for any asset, and an unknown reason as it is', () => {
  expect(waitWords('funds:ethereum/USDT')).toEqual(waitWords('funds:litecoin/LTC'))
  expect(waitWords('funds:ethereum/USDT').title).toBe('Insufficient hot wallet balance')
  expect(waitWords('moon-phase')).toEqual({ title: 'moon phase', meaning: 'It ends by itself.' })
})

it('shows an unknown word of the API with spaces', () => {
  expect(kindWords('new_kind')).toBe('new kind')
  expect(refusalWords('new-code')).toBe('new code')
  expect(stageWords('on_hold')).toBe('on hold')
})
