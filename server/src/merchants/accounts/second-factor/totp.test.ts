import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { base32, codeAt, otpauthUri, stepAt, stepOf } from './totp.ts'

const secret = Buffer.from('12345678901234567890')

describe('codes of an app', () => {
  it.each([
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ])('at %i are those of RFC 6238, appendix B', (epochS, code) => {
    expect(codeAt(secret, stepAt(epochS), 8)).toBe(code)
    expect(codeAt(secret, stepAt(epochS))).toBe(code.slice(2))
  })

  it.each([
    '755224',
    '287082',
    '359152',
    '969429',
    '338314',
    '254676',
    '287922',
    '162583',
    '399871',
    '520489',
  ])('count as those of RFC 4226, appendix D: %s', (code) => {
    expect(Array.from({ length: 10 }, (_, step) => codeAt(secret, step))).toContain(code)
  })

  it('are taken from the step before to the step after, and never twice', () => {
    const epochS = 1111111109
    const now = stepAt(epochS)
    const taken = (step: number, usedStep = 0) => stepOf(secret, codeAt(secret, step), { epochS, usedStep })
    expect([-2, -1, 0, 1, 2].map((by) => taken(now + by))).toEqual([
      undefined,
      now - 1,
      now,
      now + 1,
      undefined,
    ])
    expect(taken(now, now)).toBeUndefined()
    expect(taken(now, now + 1)).toBeUndefined()
    expect(taken(now + 1, now)).toBe(now + 1)
  })

  it('are six digits and nothing else', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), (typed) => {
        if (/^\d{6}$/.test(typed)) return
        expect(stepOf(secret, typed, { epochS: 59, usedStep: 0 })).toBeUndefined()
      }),
    )
  })

  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('have a secret that is written as RFC 4648, section 10 writes %j', (text, written) => {
    expect(base32(Buffer.from(text))).toBe(written)
  })

  it('are set up by a URI that names issuer and account, whatever is in them', () => {
    const uri = new URL(otpauthUri(secret, { issuer: 'Bob & Söhne', email: 'a+b?c@example.com' }))
    expect(uri.protocol).toBe('otpauth:')
    expect(decodeURIComponent(uri.pathname)).toContain('Bob & Söhne:a+b?c@example.com')
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      issuer: 'Bob & Söhne',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
  })
})
