/**
 * The HTTP agent that makes all connections of webhooks. It refuses forbidden targets, such as private
 * addresses, because a merchant could otherwise make this server connect to them.
 */
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { limits } from '../core/limits.ts'
import { classifyAddress, isForbiddenTarget } from '../core/network-address.ts'
import { isRequestPort, type NetworkEndpoint } from '../core/network-endpoint.ts'
import { type OwnAddresses, openOwnEndpoints } from './own-endpoints.ts'
import { type Resolve, resolveAsSystem } from './resolve.ts'

export interface TargetRules {
  readonly allowHttp: boolean
  /** Whether plain HTTP is allowed only to loopback and private addresses. */
  readonly isHttpInnerOnly?: boolean
  /** Allows loopback, RFC 1918 and unique local addresses; for development. */
  readonly allowPrivate: boolean
  /**
   * Ports allowed on public addresses. If undefined or empty, 443 and all ports from 1024 are allowed. Plain
   * HTTP may always use 80.
   */
  readonly ports?: readonly number[]
  /** The port that this server listens on. */
  readonly ownPort: number | undefined
  /**
   * Our own hosts in the form of `URL.host`, such as the host of PUBLIC_URL, which may belong to a proxy. A
   * host without a port stands for the ports 80 and 443.
   */
  readonly ownHosts: readonly string[]
  /**
   * Returns our nodes, database and Redis. They are refused even if the other rules allow their address. An operator
   * can add nodes while the process runs, so every connection asks.
   */
  ownEndpoints?(): readonly NetworkEndpoint[]
}

export interface GuardedAgentParts {
  readonly rules: TargetRules
  readonly connectMs?: number
  /** Resolves a name to all its addresses. If undefined, the system's resolver is used. */
  readonly resolve?: Resolve
  /** Resolves the names of our own services, which public name servers may not know. */
  readonly resolveOwn?: Resolve
  /** Certificates in PEM that are trusted instead of the default certificate authorities. */
  readonly trustedCertificates?: string
}

/** Thrown if the target is not allowed. Its message contains no address of ours. */
export class TargetRefusedError extends Error {
  override readonly name = 'TargetRefusedError'
}

/**
 * Opens the agent. The agent resolves a name, checks the addresses, and connects only to the checked
 * addresses. It therefore refuses a name that points to an internal address, even if the name changes between
 * check and connection. It also checks literal addresses, and the remote address of the connected socket.
 * Connections are kept alive, and redirects are not followed.
 */
export function openGuardedAgent(parts: GuardedAgentParts): Agent {
  return new Agent({
    connect: guardedConnector(parts),
    // These two timeouts are disabled, because each attempt has one time limit for connecting, headers and
    // body together.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveMaxTimeout: 60_000,
    maxHeaderSize: 16 * 1024,
    allowH2: false,
  })
}

function guardedConnector(parts: GuardedAgentParts): buildConnector.connector {
  const { rules, connectMs, resolve = resolveAsSystem, resolveOwn = resolveAsSystem } = parts
  const { ownEndpoints: endpoints = () => [], ownPort } = rules
  const own = openOwnEndpoints({ endpoints, ownPort, resolve: resolveOwn })
  const ca = parts.trustedCertificates
  const timeout = connectMs ?? limits.deliveryConnectMs
  return (options, callback) => {
    const port = portOf(options)
    const connect = async () => {
      const ownHere = await own.at(port)
      const isOpenPort = isRequestPort({ protocol: options.protocol, port }, rules.ports)
      const isInnerOnly = options.protocol === 'http:' && rules.isHttpInnerOnly === true
      const guard = { rules, ownHere, isOpenPort, isInnerOnly }
      const blockReason = blockReasonOfTarget({ ...options, port }, guard)
      if (blockReason !== undefined) return callback(new TargetRefusedError(blockReason), null)
      const lookup = guardedLookup({ guard, resolve })
      buildConnector({ timeout, lookup, ...(ca !== undefined && { ca }) })(options, (error, socket) => {
        if (error !== null) return callback(error, null)
        const refusedNow = blockReasonOfAddress(socket.remoteAddress ?? '', guard)
        if (refusedNow === undefined) return callback(null, socket)
        socket.destroy()
        callback(new TargetRefusedError(refusedNow), null)
      })
    }
    connect().catch((error: Error) => callback(error, null))
  }
}

/** What the check of a target needs: the rules, and our own endpoints that have the target's port. */
interface Guard {
  readonly rules: TargetRules
  readonly ownHere: OwnAddresses
  /** Whether the rules allow the target's port on public addresses. */
  readonly isOpenPort: boolean
  /** Whether public addresses are refused. */
  readonly isInnerOnly: boolean
}

/**
 * Checks what is known of a target before its name is resolved. Returns the reason to refuse the target;
 * undefined if there is none.
 */
function blockReasonOfTarget(
  target: { protocol: string; hostname: string; port: number },
  guard: Guard,
): string | undefined {
  const { rules, ownHere } = guard
  const { protocol, hostname, port } = target
  if (protocol !== 'https:' && !(protocol === 'http:' && rules.allowHttp)) return 'the URL must be https'
  const isOwnEndpoint = rules.ownHosts.some((own) => isAt(own, hostname, port)) || ownHere.isNamed(hostname)
  if (isOwnEndpoint) return 'the URL points to this service'
  return isIP(hostname) === 0 ? undefined : blockReasonOfAddress(hostname, guard)
}

function isAt(own: string, hostname: string, port: number): boolean {
  const [, ownName = '', ownPort] = /^(.*?)(?::(\d+))?$/.exec(own) ?? []
  const isOwnPort = ownPort === undefined ? port === 80 || port === 443 : port === Number(ownPort)
  return isOwnPort && rooted(ownName) === rooted(hostname)
}

/**
 * Returns the absolute form of a host name. "pay.example.com." and "pay.example.com" have the same absolute
 * form.
 */
function rooted(hostname: string): string {
  return `${hostname.toLowerCase().replace(/\.$/, '')}.`
}

function portOf({ port, protocol }: { port: string; protocol: string }): number {
  return Number(port || (protocol === 'https:' ? 443 : 80))
}

/** Returns the reason to refuse an address; undefined if it is allowed. */
function blockReasonOfAddress(
  address: string,
  { rules, ownHere, isOpenPort, isInnerOnly }: Guard,
): string | undefined {
  if (isForbiddenTarget(address, rules)) return 'the address is private, local or reserved'
  if (ownHere.isAddress(address)) return 'the address belongs to this service'
  if (classifyAddress(address) !== 'public') return undefined
  if (isInnerOnly) return 'the URL must be https: the sandbox allows plain http only to private addresses'
  return isOpenPort ? undefined : 'webhooks may not use this port'
}

interface LookupParts {
  readonly guard: Guard
  readonly resolve: Resolve
}

/**
 * Returns the lookup function of a connection. The function refuses a name if any of its addresses is
 * refused, because we cannot choose the address to which Node.js connects.
 */
function guardedLookup({ guard, resolve }: LookupParts): LookupFunction {
  return (hostname, options, callback) => {
    const answer = async () => {
      const addresses = await resolve(hostname)
      const [first] = addresses
      if (first === undefined) throw new TargetRefusedError('the host name has no address')
      for (const { address } of addresses) {
        const blockReason = blockReasonOfAddress(address, guard)
        if (blockReason !== undefined) throw new TargetRefusedError(blockReason)
      }
      return { addresses, first }
    }
    answer().then(
      ({ addresses, first }) =>
        options.all === true ? callback(null, [...addresses]) : callback(null, first.address, first.family),
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    )
  }
}
