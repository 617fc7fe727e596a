import { describe, expect, it } from 'vitest'
import { clientAddress } from './client-address.ts'

describe('the client’s address', () => {
  it('G12 is the peer’s when no proxy is trusted, whatever the header says', () => {
    expect(clientAddress('192.0.2.1', '10.0.0.1, 198.51.100.7', undefined)).toBe('192.0.2.1')
  })

  it.each([
    ['the only entry', 1, '198.51.100.7', '198.51.100.7'],
    ['what our proxy appended, not what was sent to it', 1, '10.0.0.1, 198.51.100.7', '198.51.100.7'],
    ['what the outer of two appended', 2, '10.0.0.1, 198.51.100.7, 203.0.113.2', '198.51.100.7'],
    ['the furthest there is when proxies are missing', 3, '198.51.100.7', '198.51.100.7'],
    ['the peer when the header is absent', 1, undefined, '192.0.2.1'],
    ['the peer when the entry is garbage', 1, "1.2.3.4, '; drop table", '192.0.2.1'],
    ['the peer when the proxy hides it', 1, '1.2.3.4, unknown', '192.0.2.1'],
    ['the peer when the entry is empty', 1, '1.2.3.4, ', '192.0.2.1'],
    ['the peer when the entry is zero-padded', 1, '010.0.0.1', '192.0.2.1'],
    ['an entry with a port', 1, '198.51.100.7:4711', '198.51.100.7'],
    ['an IPv6 entry', 1, '2001:DB8:0:0::1', '2001:db8::1'],
    ['an IPv6 entry with a port', 1, '[2001:db8::1]:4711', '2001:db8::1'],
    ['a mapped entry as IPv4', 1, '::ffff:198.51.100.7', '198.51.100.7'],
  ])('G12 behind counted proxies is %s', (_name, hops, header, expected) => {
    expect(clientAddress('192.0.2.1', header, { hops })).toBe(expected)
  })

  const ranges = ['127.0.0.0/8', '::1', '10.0.0.0/8']
  it.each([
    ['the first that is no proxy of ours', '127.0.0.1', '1.1.1.1, 198.51.100.7, 10.1.2.3', '198.51.100.7'],
    ['the peer when that is none of ours', '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['a mapped peer’s IPv4 address', '::ffff:127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['the furthest when all are ours', '::1', '10.0.0.2, 10.0.0.3', '10.0.0.2'],
    ['the last proxy before garbage', '127.0.0.1', '198.51.100.7, garbage, 10.1.2.3', '10.1.2.3'],
  ])('G12 behind known proxies is %s', (_name, peer, header, expected) => {
    expect(clientAddress(peer, header, { ranges })).toBe(expected)
  })
})
