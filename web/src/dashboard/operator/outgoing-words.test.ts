import { expect, it } from 'vitest'
import { kindWords, refusalWords, stageWords, waitWords } from './outgoing-words.ts'

it('says of a wait what it is about whatever asset it names, and shows a cause that it does not know', () => {
  expect(waitWords('funds:ethereum/USDT')).toEqual(waitWords('funds:litecoin/LTC'))
  expect(waitWords('funds:ethereum/USDT').title).toBe('Insufficient hot wallet balance')
  expect(waitWords('moon-phase')).toEqual({ title: 'moon phase', meaning: 'It ends by itself.' })
})

it('shows a word that it does not know as the API spells it', () => {
  expect(kindWords('new_kind')).toBe('new kind')
  expect(refusalWords('new-code')).toBe('new code')
  expect(stageWords('on_hold')).toBe('on hold')
})
