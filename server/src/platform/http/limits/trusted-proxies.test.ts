import { describe, expect, it } from 'vitest'
import { trustedProxies } from './trusted-proxies.ts'

const { read } = trustedProxies('TRUST_PROXY', 'proxies')

describe('TRUST_PROXY', () => {
  it('is a number of proxies, ranges, or nobody', () => {
    expect(read(undefined)).toEqual({ value: undefined })
    expect(read('2')).toEqual({ value: { hops: 2 } })
    expect(read('loopback, 10.1.2.3/8,2001:DB8::7,::ffff:192.0.2.1')).toEqual({
      value: { ranges: ['127.0.0.0/8', '::1', '10.0.0.0/8', '2001:db8::7', '192.0.2.1'] },
    })
  })

  it.each([
    '0',
    '11',
    '-1',
    'true',
    'all',
    '10.0.0.0/33',
    '010.0.0.1',
    '0.0.0.0/0',
    '::/0',
    'loopback,',
    'toString',
  ])('refuses %j and says what to write', (text) => {
    expect(read(text)).toEqual({ problem: expect.stringContaining('TRUST_PROXY must be') })
  })
})
