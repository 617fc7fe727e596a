import { describe, expect, it } from 'vitest'
import { type Quote, quoteExpiry, quoteInForce } from './quote.ts'

const minute = (count: number) => new Date(Date.UTC(2026, 0, 1, 0, count))

function quote(id: string, from: number, to: number): Quote {
  return {
    id,
    invoiceId: 'i',
    paymentMethodId: 3,
    priceUsd: 1n,
    fullMinor: 1n,
    quotedAt: minute(from),
    expiresAt: minute(to),
  }
}

describe('a quote', () => {
  it('ends after 20 minutes, 60 for a stable asset, and never after its invoice', () => {
    expect(quoteExpiry(minute(0), false, undefined)).toEqual(minute(20))
    expect(quoteExpiry(minute(0), true, undefined)).toEqual(minute(60))
    expect(quoteExpiry(minute(0), true, minute(15))).toEqual(minute(15))
  })

  it('prices a payment made while it was open, the newest one first', () => {
    const quotes = [quote('a', 0, 20), quote('b', 10, 30)]
    expect(quoteInForce(quotes, minute(5))?.id).toBe('a')
    expect(quoteInForce(quotes, minute(15))?.id).toBe('b')
    expect(quoteInForce(quotes, minute(30))).toBeUndefined()
  })

  it('prices a payment whose block is stamped just before the address was shown', () => {
    expect(quoteInForce([quote('a', 10, 20)], minute(9))?.id).toBe('a')
    expect(quoteInForce([], minute(9))).toBeUndefined()
  })
})
