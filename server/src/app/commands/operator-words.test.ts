import { expect, it } from 'vitest'
import { mainPaymentMethods } from '../../pricing/payment-methods/catalogue.ts'
import { paymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { UsageError } from './command.ts'
import { readTarget } from './operator-words.ts'

const idOf = (networks: readonly string[], method: string) =>
  readTarget(paymentMethods(mainPaymentMethods(), new Set(networks)), { method }).paymentMethodId

it('a payment method is named by its number, its asset or a symbol that one followed network has', () => {
  expect(idOf(['ethereum'], 'eth')).toBe(3)
  expect(idOf(['base'], 'ETH')).toBe(20)
  expect(idOf(['ethereum', 'base'], 'base/eth')).toBe(20)
  expect(idOf(['ethereum', 'base'], '20')).toBe(20)
  expect(idOf([], 'BTC')).toBe(4)
})

it('a symbol that several followed networks have, or that is unknown, is refused', () => {
  expect(() => idOf(['ethereum', 'base'], 'ETH')).toThrow(UsageError)
  expect(() => idOf(['ethereum'], 'XRP')).toThrow('matches 0 payment methods')
})
