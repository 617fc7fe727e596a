/** Finds the hosts and ports to which a URL connects, and decides to which ports requests may be sent. */
import { canonicalAddress } from './network-address.ts'

/** A host (a name or an IP address) and a port. */
export interface NetworkEndpoint {
  /**
   * A host name in lower case, without the trailing dot of the root zone, or an IP address in canonical form,
   * without brackets.
   */
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

/** Returns the host of a URL in a normalized form, so that two hosts can be compared. */
export function hostOf(url: URL): string {
  return plainHost(url.hostname)
}

export function portOf(url: URL): number {
  return url.port === '' ? (defaultPorts[url.protocol] ?? 0) : Number(url.port)
}

/**
 * Returns every endpoint to which a client can connect when it uses this URL, which is from our own settings.
 * Hosts and ports in the query are included, because PostgreSQL's client reads them too.
 */
export function endpointsOf(urlText: string): readonly NetworkEndpoint[] {
  const url = new URL(urlText)
  const asked = url.searchParams
  const hosts = [url.hostname, ...asked.getAll('host'), ...asked.getAll('hostaddr')]
  const ports = [portOf(url), ...asked.getAll('port').map(Number)]
  return hosts.flatMap((host) => ports.map((port) => ({ host: reachedHost(plainHost(host)), port })))
}

/**
 * Decides whether requests may be sent to a port of a public host. The allowed ports are `ports`. If `ports`
 * is empty, they are 443 and every port that is not a system port (RFC 6335, section 6). Port 80 is an
 * exception: it is allowed for http and for no other protocol. This function does not decide whether http
 * itself is allowed.
 */
export function isRequestPort(
  { protocol, port }: { readonly protocol: string; readonly port: number },
  ports: readonly number[] = [],
): boolean {
  if (port === 80) return protocol === 'http:'
  return ports.length === 0 ? port === 443 || port >= 1024 : ports.includes(port)
}

/**
 * Returns `localhost` for an empty host or the path of a Unix socket, and any other host unchanged. A server
 * that listens on a Unix socket usually also listens on a port of the same machine.
 */
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
