import { canonicalAddress } from './network-address.ts'

/** A place on a network: a host, by name or address, and a port. */
export interface NetworkPlace {
  /** In lower case, without brackets and without the root's dot; an address in canonical spelling. */
  readonly host: string
  readonly port: number
}

const defaultPorts: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'ws:': 80,
  'wss:': 443,
  'postgres:': 5432,
  'postgresql:': 5432,
  'redis:': 6379,
  'rediss:': 6379,
}

/** The host of a URL as names and addresses are compared. */
export function hostOf(url: URL): string {
  return plainHost(url.hostname)
}

export function portOf(url: URL): number {
  return url.port === '' ? (defaultPorts[url.protocol] ?? 0) : Number(url.port)
}

/** Where a URL of our own settings leads. PostgreSQL's client also takes host and port from the query. */
export function placesOf(urlText: string): readonly NetworkPlace[] {
  const url = new URL(urlText)
  const asked = url.searchParams
  const hosts = [url.hostname, ...asked.getAll('host'), ...asked.getAll('hostaddr')]
  const ports = [portOf(url), ...asked.getAll('port').map(Number)]
  return hosts.flatMap((host) => ports.map((port) => ({ host: reachedHost(plainHost(host)), port })))
}

/**
 * Whether requests may be sent to a port of the public internet: one of `ports`, or, where none is named, any that is no
 * system port (RFC 6335, 6). The two of the web itself are judged by their protocol: 80 is for http, whose use is another rule.
 */
export function isRequestPort(
  { protocol, port }: { readonly protocol: string; readonly port: number },
  ports: readonly number[] = [],
): boolean {
  if (port === 80) return protocol === 'http:'
  return ports.length === 0 ? port === 443 || port >= 1024 : ports.includes(port)
}

/** A unix socket belongs to a server on this machine, which mostly has a port too. */
function reachedHost(host: string): string {
  return host === '' || host.startsWith('/') || host.startsWith('%2f') ? 'localhost' : host
}

function plainHost(host: string): string {
  const plain = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
  return canonicalAddress(plain) ?? plain
}
