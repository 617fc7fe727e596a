import { describe, expect, it } from 'vitest'
import {
  canonicalAddressRange,
  classifyAddress,
  isForbiddenTarget,
  isWithinRanges,
  networkOf,
} from './network-address.ts'

describe('classifyAddress', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '::ffff:1.1.1.1',
  ])('takes %s as public', (ip) => expect(classifyAddress(ip)).toBe('public'))

  it.each(['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'])(
    'takes %s as loopback',
    (ip) => expect(classifyAddress(ip)).toBe('loopback'),
  )

  it.each([
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    'fc00::1',
    'fdff::1',
    '::ffff:10.0.0.1',
  ])('takes %s as private', (ip) => expect(classifyAddress(ip)).toBe('private'))

  it.each([
    '0.0.0.0',
    '169.254.169.254',
    '100.64.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1.2.3.4',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    '64:ff9b::127.0.0.1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '5f00::1',
    '::ffff:169.254.169.254',
    '::ffff:0:127.0.0.1',
  ])('forbids %s', (ip) => expect(classifyAddress(ip)).toBe('forbidden'))

  it.each([
    '',
    'localhost',
    '1.2.3',
    '127.1',
    '0x7f000001',
    '2130706433',
    '010.0.0.1',
    '1.2.3.4.5',
    '256.1.1.1',
    'fe80::1%eth0',
    '::127.0.0.1',
    '::ffff:010.0.0.1',
    '1.2.3.4/8',
  ])('forbids "%s", which is no plain address', (ip) => expect(classifyAddress(ip)).toBe('forbidden'))
})

describe('isForbiddenTarget', () => {
  it('admits loopback and private networks only where allowed, and metadata nowhere', () => {
    for (const ip of ['127.0.0.1', '::1', '10.1.2.3', '192.168.0.1', 'fc00::1']) {
      expect(isForbiddenTarget(ip, { allowPrivate: true })).toBe(false)
      expect(isForbiddenTarget(ip, { allowPrivate: false })).toBe(true)
    }
    for (const ip of ['169.254.169.254', 'fd00:ec2::254', 'fd20:ce::254', '224.0.0.1', '0.0.0.0']) {
      expect(isForbiddenTarget(ip, { allowPrivate: true })).toBe(true)
    }
    expect(isForbiddenTarget('1.1.1.1', { allowPrivate: false })).toBe(false)
  })
})

describe('allow lists', () => {
  it.each([
    ['1.2.3.4', '1.2.3.4'],
    ['1.2.3.4/32', '1.2.3.4'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['10.129.0.0/9', '10.128.0.0/9'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['2001:db8::1/32', '2001:db8::/32'],
  ])('spell %s as %s', (text, canonical) => expect(canonicalAddressRange(text)).toBe(canonical))

  it.each([
    '',
    'a',
    '1.2.3',
    '01.2.3.4',
    '1.2.3.4/33',
    '1.2.3.4/08',
    '1.2.3.4/-1',
    '1.2.3.4/',
    '1.2.3.4/8/8',
    '::1/129',
    'fe80::1%1',
    '::ffff:1.2.3.4/95',
    '*',
  ])('refuse "%s"', (text) => expect(canonicalAddressRange(text)).toBeUndefined())

  it('compare IPv4 and its mapped form as one address', () => {
    expect(isWithinRanges('::ffff:1.2.3.4', ['1.2.3.4'])).toBe(true)
    expect(isWithinRanges('1.2.3.4', ['::ffff:1.2.3.4'])).toBe(true)
    expect(isWithinRanges('1.2.3.5', ['1.2.3.4'])).toBe(false)
    expect(isWithinRanges('10.200.0.1', ['192.0.2.1', '10.0.0.0/8'])).toBe(true)
    expect(isWithinRanges('2001:db8:1::1', ['2001:db8::/32'])).toBe(true)
    expect(isWithinRanges('2001:db9::1', ['2001:db8::/32'])).toBe(false)
    expect(isWithinRanges('::1', ['0.0.0.0/0'])).toBe(false)
    expect(isWithinRanges('nonsense', ['0.0.0.0/0', '::/0'])).toBe(false)
  })
})

describe('the network of an address', () => {
  it.each([
    ['192.0.2.77', '192.0.2.0/24'],
    ['::ffff:192.0.2.77', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::/64'],
    ['', ''],
    ['nonsense', 'nonsense'],
  ])('of %s is %s', (ip, network) => expect(networkOf(ip)).toBe(network))
})
