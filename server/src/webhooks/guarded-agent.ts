/** The only way webhooks reach out: an HTTP agent that connects nowhere a merchant must not be able to send us. */
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { limits } from '../core/limits.ts'
import { classifyAddress, isForbiddenTarget } from '../core/network-address.ts'
import { isRequestPort, type NetworkPlace } from '../core/network-place.ts'
import { type OwnAddresses, openOwnPlaces } from './own-places.ts'
import { type Resolve, resolveAsSystem } from './resolve.ts'

export interface TargetRules {
  readonly allowHttp: boolean
  /** Plain HTTP goes to loopback and private addresses alone. */
  readonly isHttpInnerOnly?: boolean
  /** Admits loopback, RFC 1918 and unique local addresses; for development. */
  readonly allowPrivate: boolean
  /** Those of public addresses that may be connected to; absent or empty: all but the system ports. */
  readonly ports?: readonly number[]
  /** The port we listen on ourselves. */
  readonly ownPort: number | undefined
  /** The `host` of PUBLIC_URL as `URL` has it, which may be a proxy's: without a port it means 80 and 443. */
  readonly ownHosts: readonly string[]
  /** What we stand on: our nodes, database and Redis. Refused even where their network is admitted. */
  readonly ownPlaces?: readonly NetworkPlace[]
}

export interface GuardedAgentParts {
  readonly rules: TargetRules
  readonly connectMs?: number
  /** All addresses of a name; as the system resolves it when absent. */
  readonly resolve?: Resolve
  /** The same of our own names, which need not be known to the name servers that are asked for others. */
  readonly resolveOwn?: Resolve
  /** Certificates, as PEM, that are trusted in place of the well-known ones. */
  readonly trustedCertificates?: string
}

/** The target is not one we may connect to. Its message names no address of ours. */
export class TargetRefusedError extends Error {
  override readonly name = 'TargetRefusedError'
}

/**
 * Opens the agent. The check is made on the addresses that are connected to, after resolving, so that neither a
 * name that points inside nor one that changes between check and use gets through; literal addresses are checked
 * too, and the connected socket once more. Connections are kept alive; redirects are not followed.
 */
export function openGuardedAgent(parts: GuardedAgentParts): Agent {
  return new Agent({
    connect: guardedConnector(parts),
    // The attempt's own time limit covers waiting, headers and body together.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveMaxTimeout: 60_000,
    maxHeaderSize: 16 * 1024,
    allowH2: false,
  })
}

function guardedConnector(parts: GuardedAgentParts): buildConnector.connector {
  const { rules, connectMs, resolve = resolveAsSystem, resolveOwn = resolveAsSystem } = parts
  const { ownPlaces: places = [], ownPort } = rules
  const own = openOwnPlaces({ places, ownPort, resolve: resolveOwn })
  const ca = parts.trustedCertificates
  const timeout = connectMs ?? limits.deliveryConnectMs
  return (options, callback) => {
    const port = portOf(options)
    const connect = async () => {
      const ownHere = await own.at(port)
      const isOpenPort = isRequestPort({ protocol: options.protocol, port }, rules.ports)
      const isInnerOnly = options.protocol === 'http:' && rules.isHttpInnerOnly === true
      const guard = { rules, ownHere, isOpenPort, isInnerOnly }
      const refusal = refusalOfTarget({ ...options, port }, guard)
      if (refusal !== undefined) return callback(new TargetRefusedError(refusal), null)
      const lookup = guardedLookup({ guard, resolve })
      buildConnector({ timeout, lookup, ...(ca !== undefined && { ca }) })(options, (error, socket) => {
        if (error !== null) return callback(error, null)
        const refusedNow = refusalOfAddress(socket.remoteAddress ?? '', guard)
        if (refusedNow === undefined) return callback(null, socket)
        socket.destroy()
        callback(new TargetRefusedError(refusedNow), null)
      })
    }
    connect().catch((error: Error) => callback(error, null))
  }
}

/** The rules, and what of ours is at the port that is connected to. */
interface Guard {
  readonly rules: TargetRules
  readonly ownHere: OwnAddresses
  /** Whether the port that is connected to may be one of a public address. */
  readonly isOpenPort: boolean
  /** Whether no public address may be connected to. */
  readonly isInnerOnly: boolean
}

/** What can be refused before anything is resolved. */
function refusalOfTarget(
  target: { protocol: string; hostname: string; port: number },
  guard: Guard,
): string | undefined {
  const { rules, ownHere } = guard
  const { protocol, hostname, port } = target
  if (protocol !== 'https:' && !(protocol === 'http:' && rules.allowHttp)) return 'the URL must be https'
  const isOurs = rules.ownHosts.some((own) => isAt(own, hostname, port)) || ownHere.isNamed(hostname)
  if (isOurs) return 'the URL is that of this service'
  return isIP(hostname) === 0 ? undefined : refusalOfAddress(hostname, guard)
}

function isAt(own: string, hostname: string, port: number): boolean {
  const [, ownName = '', ownPort] = /^(.*?)(?::(\d+))?$/.exec(own) ?? []
  const isOwnPort = ownPort === undefined ? port === 80 || port === 443 : port === Number(ownPort)
  return isOwnPort && rooted(ownName) === rooted(hostname)
}

/** "pay.example.com." is the same name. */
function rooted(hostname: string): string {
  return `${hostname.toLowerCase().replace(/\.$/, '')}.`
}

function portOf({ port, protocol }: { port: string; protocol: string }): number {
  return Number(port || (protocol === 'https:' ? 443 : 80))
}

/** Why an address must not be connected to; undefined when it may. */
function refusalOfAddress(
  address: string,
  { rules, ownHere, isOpenPort, isInnerOnly }: Guard,
): string | undefined {
  if (isForbiddenTarget(address, rules)) return 'the address is private, local or reserved'
  if (ownHere.isAddress(address)) return 'the address is that of this service'
  if (classifyAddress(address) !== 'public') return undefined
  if (isInnerOnly) return 'the URL must be https: in the sandbox plain http goes to private addresses alone'
  return isOpenPort ? undefined : 'webhooks may not use this port'
}

interface LookupParts {
  readonly guard: Guard
  readonly resolve: Resolve
}

/** One denied record refuses the whole answer: which record is connected to is not ours to choose. */
function guardedLookup({ guard, resolve }: LookupParts): LookupFunction {
  return (hostname, options, callback) => {
    const answer = async () => {
      const addresses = await resolve(hostname)
      const [first] = addresses
      if (first === undefined) throw new TargetRefusedError('the name has no address')
      for (const { address } of addresses) {
        const refusal = refusalOfAddress(address, guard)
        if (refusal !== undefined) throw new TargetRefusedError(refusal)
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
