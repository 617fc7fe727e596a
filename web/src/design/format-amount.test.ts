import { expect, it } from 'vitest'
import { dollars, groupDigits, isAtLeast, isSomething } from './format-amount.ts'

it.each([
  ['0', '0'],
  ['999', '999'],
  ['1000', '1,000'],
  ['1234567.50', '1,234,567.50'],
  ['0.000000000000000001', '0.000000000000000001'],
  [
    '115792089237316195423570985008687907853269984665640564039457',
    '115,792,089,237,316,195,423,570,985,008,687,907,853,269,984,665,640,564,039,457',
  ],
])('groups the digits of %s and changes no digit', (amount, shown) => {
  expect(groupDigits(amount)).toBe(shown)
  expect(shown.replaceAll(',', '')).toBe(amount)
})

it.each([
  ['12.5', '$12.50'],
  ['12', '$12.00'],
  ['0.12345678', '$0.12345678'],
  ['1234.10', '$1,234.10'],
  ['-3.2', '−$3.20'],
])('shows %s with at least its cents', (amount, shown) => expect(dollars(amount)).toBe(shown))

it('distinguishes zero from any other amount', () => {
  expect(['0', '0.000', '-0'].map(isSomething)).toEqual([false, false, false])
  expect(['0.000000000000000001', '-3', '10'].map(isSomething)).toEqual([true, true, true])
})

it.each<[string, string, boolean]>([
  ['25.00', '25', true],
  ['25', '25.00000001', false],
  ['9.5', '10', false],
  ['10', '9.5', true],
  ['0', '0.00', true],
  ['123456789012345678901.1', '123456789012345678901.10', true],
])('compares %s with %s as decimals', (amount, least, expected) => {
  expect(isAtLeast(amount, least)).toBe(expected)
})
