/**
 * What an IP address stands for, decided on its bytes: whom we may connect to on a merchant's behalf, and who a
 * merchant lets in.
 */
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = readonly [Address, number]

/**
 * `public` may be reached from anywhere; `loopback` and `private` (RFC 1918, unique local RFC 4193) only where
 * development allows it; `forbidden` (link-local, cloud metadata, multicast, reserved, tunnels) never.
 */
export type AddressClass = 'public' | 'loopback' | 'private' | 'forbidden'

/** Whether a webhook must not be sent to `ip`. Text that is no IP address is forbidden. */
export function isForbiddenTarget(ip: string, options: { readonly allowPrivate: boolean }): boolean {
  switch (classifyAddress(ip)) {
    case 'public':
      return false
    case 'loopback':
    case 'private':
      return !options.allowPrivate
    case 'forbidden':
      return true
  }
}

/** Classifies an IPv4 or IPv6 address in text; an IPv4-mapped one (RFC 4291, 2.5.5.2) is its IPv4 address. */
export function classifyAddress(ip: string): AddressClass {
  const address = parseAddress(ip)
  if (address === undefined || within(address, forbiddenFirst)) return 'forbidden'
  if (within(address, loopbacks)) return 'loopback'
  if (within(address, privates)) return 'private'
  return within(address, forbidden) || !within(address, assigned) ? 'forbidden' : 'public'
}

/** An address in canonical spelling, an IPv4-mapped one as IPv4; undefined for text that is no IP address. */
export function canonicalAddress(text: string): string | undefined {
  return parseAddress(text)?.toString()
}

/**
 * Reads one entry of an allow list, an address or a CIDR range, in canonical spelling; undefined when it is
 * neither. IPv4-mapped entries become IPv4; bits beyond the prefix are cleared.
 */
export function canonicalAddressRange(text: string): string | undefined {
  const range = parseRange(text)
  if (range === undefined) return undefined
  const [address, bits] = range
  const width = widthOf(address)
  return bits === width ? address.toString() : `${clearHostBits(address, bits).toString()}/${bits}`
}

/**
 * The network that one customer of a provider gets, as far as addresses tell: an IPv4 /24 or an IPv6 /64 in canonical
 * spelling. What is no address stands for itself.
 */
export function networkOf(ip: string): string {
  const address = parseAddress(ip.replace(/%.*$/, ''))
  if (address === undefined) return ip
  const bits = address.kind() === 'ipv4' ? 24 : 64
  return `${clearHostBits(address, bits).toString()}/${bits}`
}

/** Whether `ip` lies in any of the ranges; IPv4 and its mapped IPv6 form are the same address. */
export function isWithinRanges(ip: string, ranges: readonly string[]): boolean {
  const address = parseAddress(ip)
  if (address === undefined) return false
  return ranges.some((text) => {
    const range = parseRange(text)
    return range !== undefined && within(address, [range])
  })
}

// Four plain decimal parts only: "010.0.0.1" is octal to some readers and decimal to others.
const ipv4Pattern = /^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/

function parseAddress(text: string): Address | undefined {
  if (text.includes(':')) return parseIpv6(text)
  return ipv4Pattern.test(text) && ipaddr.IPv4.isValid(text) ? ipaddr.IPv4.parse(text) : undefined
}

function parseIpv6(text: string): Address | undefined {
  // A zone ("%eth0") only has meaning on the machine that wrote it.
  if (text.includes('%') || !ipaddr.IPv6.isValid(text)) return undefined
  const tail = text.slice(text.lastIndexOf(':') + 1)
  // The deprecated IPv4-compatible form (RFC 4291, 2.5.5.1) is read as the mapped one by the library; it is neither.
  if (tail.includes('.') && (!ipv4Pattern.test(tail) || text === `::${tail}`)) return undefined
  return ipaddr.process(text)
}

function parseRange(text: string): Range | undefined {
  const [ip = '', prefix, ...rest] = text.split('/')
  const address = parseAddress(ip)
  if (address === undefined || rest.length > 0) return undefined
  if (prefix === undefined) return [address, widthOf(address)]
  if (!/^(0|[1-9]\d{0,2})$/.test(prefix)) return undefined
  const isMapped = address.kind() === 'ipv4' && ip.includes(':')
  const bits = Number(prefix) - (isMapped ? 96 : 0)
  return bits >= 0 && bits <= widthOf(address) ? [address, bits] : undefined
}

function widthOf(address: Address): number {
  return address.kind() === 'ipv4' ? 32 : 128
}

function clearHostBits(address: Address, bits: number): Address {
  const bytes = address.toByteArray().map((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8))
    return byte & (0xff << (8 - kept)) & 0xff
  })
  return ipaddr.fromByteArray(bytes)
}

function within(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
}

function ranges(...texts: readonly string[]): readonly Range[] {
  return texts.map((text) => {
    const range = parseRange(text)
    if (range === undefined) throw new TypeError(`"${text}" is no address range`)
    return range
  })
}

// Cloud metadata inside ranges that are otherwise private or public: AWS and Google over IPv6, Azure's wire server.
const forbiddenFirst = ranges('fd00:ec2::/32', 'fd20:ce::254', '168.63.129.16')
const loopbacks = ranges('127.0.0.0/8', '::1')
const privates = ranges('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7')

// The IANA special-purpose registries of RFC 6890, less what is classed above.
const forbidden = ranges(
  '0.0.0.0/8',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // IPv6: protocol assignments with Teredo and ORCHID, documentation, 6to4, direct delegation, documentation again.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
)

// Of IPv6 only 2000::/3 is global unicast; all else (NAT64 64:ff9b::/96, discard 100::/64, 5f00::/16, fe80::/10,
// ff00::/8, ::/96) is refused by not being in it.
const assigned = ranges('0.0.0.0/0', '2000::/3')
