/** The only way webhooks reach out: an HTTP agent that connects nowhere a merchant must not be able to send us. */
import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Agent, buildConnector } from 'undici'
import { limits } from '../core/limits.ts'
import { classifyAddress, isForbiddenTarget } from '../core/network-address.ts'

export interface TargetRules {
  readonly allowHttp: boolean
  /** Admits loopback, RFC 1918 and unique local addresses; for development. */
  readonly allowPrivate: boolean
  /** The port we listen on ourselves. */
  readonly ownPort: number | undefined
  /** The `host` of PUBLIC_URL as `URL` has it, which may be a proxy's: without a port it means 80 and 443. */
  readonly ownHosts: readonly string[]
}

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

export interface GuardedAgentParts {
  readonly rules: TargetRules
  readonly connectMs?: number
  /** All addresses of a name; the system's resolver unless a test says otherwise. */
  readonly resolve?: (hostname: string) => Promise<readonly ResolvedAddress[]>
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

function guardedConnector({
  rules,
  connectMs,
  resolve = resolveAll,
}: GuardedAgentParts): buildConnector.connector {
  return (options, callback) => {
    const port = portOf(options)
    const refusal = refusalOfTarget({ ...options, port }, rules)
    if (refusal !== undefined) return callback(new TargetRefusedError(refusal), null)
    const connect = buildConnector({
      timeout: connectMs ?? limits.deliveryConnectMs,
      lookup: guardedLookup({ rules, port, resolve }),
    })
    connect(options, (error, socket) => {
      if (error !== null) return callback(error, null)
      const refusedNow = refusalOfAddress({ address: socket.remoteAddress ?? '', port }, rules)
      if (refusedNow === undefined) return callback(null, socket)
      socket.destroy()
      callback(new TargetRefusedError(refusedNow), null)
    })
  }
}

/** What can be refused before anything is resolved. */
function refusalOfTarget(
  target: { protocol: string; hostname: string; port: number },
  rules: TargetRules,
): string | undefined {
  const { protocol, hostname, port } = target
  if (protocol !== 'https:' && !(protocol === 'http:' && rules.allowHttp)) return 'the URL must be https'
  if (rules.ownHosts.some((own) => isAt(own, hostname, port))) return 'the URL is that of this service'
  return isIP(hostname) === 0 ? undefined : refusalOfAddress({ address: hostname, port }, rules)
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
export function refusalOfAddress(
  { address, port }: { address: string; port: number },
  rules: Pick<TargetRules, 'allowPrivate' | 'ownPort'>,
): string | undefined {
  if (isForbiddenTarget(address, rules)) return 'the address is private, local or reserved'
  if (port === rules.ownPort && isOwnAddress(address)) return 'the address is that of this service'
  return undefined
}

function isOwnAddress(address: string): boolean {
  if (classifyAddress(address) === 'loopback') return true
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return Object.values(networkInterfaces()).some((own) => own?.some((one) => one.address === plain))
}

interface LookupParts {
  readonly rules: TargetRules
  readonly port: number
  resolve(hostname: string): Promise<readonly ResolvedAddress[]>
}

/** One denied record refuses the whole answer: which record is connected to is not ours to choose. */
function guardedLookup({ rules, port, resolve }: LookupParts): LookupFunction {
  return (hostname, options, callback) => {
    const answer = async () => {
      const addresses = await resolve(hostname)
      const [first] = addresses
      if (first === undefined) throw new TargetRefusedError('the name has no address')
      for (const { address } of addresses) {
        const refusal = refusalOfAddress({ address, port }, rules)
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

function resolveAll(hostname: string): Promise<readonly ResolvedAddress[]> {
  return systemLookup(hostname, { all: true })
}
