import { expect, it } from 'vitest'
import { actionText, detailText } from './audit-words.ts'

it.each([
  ['api_key.generated', 'API key generated'],
  ['merchant.ip_list_set', 'Merchant IP list set'],
  ['withdrawal.lookalike_refused', 'Withdrawal lookalike refused'],
  ['something.new', 'Something new'],
])('shows %s as %s', (action, text) => {
  expect(actionText(action)).toBe(text)
})

it('shows the details of an entry without brackets, quotes and missing values', () => {
  const details = {
    before: null,
    after: { percent: '0.8', flat: '0', merchantID: null },
    addresses: ['203.0.113.7', '203.0.113.8'],
    note: '',
    isOwn: false,
  }
  expect(detailText(details)).toBe(
    'after: percent 0.8, flat 0; addresses: 203.0.113.7, 203.0.113.8; isOwn: false',
  )
})
