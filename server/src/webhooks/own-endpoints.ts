/** Our own endpoints, which webhooks must not reach: this server, its nodes, its database and its Redis. */

import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { monotonicMs } from '../core/clock.ts'
import { canonicalAddress, classifyAddress } from '../core/network-address.ts'
import type { NetworkEndpoint } from '../core/network-endpoint.ts'
import type { Resolve } from './resolve.ts'

export interface OwnEndpointsParts {
  endpoints(): readonly NetworkEndpoint[]
  /** The port that this server listens on. */
  readonly ownPort: number | undefined
  readonly resolve: Resolve
}

/**
 * Our own endpoints (host and port) at one port. The functions decide whether a host name or an address
 * belongs to them.
 */
export interface OwnAddresses {
  isNamed(hostname: string): boolean
  isAddress(address: string): boolean
}

export interface OwnEndpoints {
  at(port: number): Promise<OwnAddresses>
}

/** Time for which resolved addresses of our own names are cached. */
const keptMs = 30_000

/**
 * Returns a check that recognises our own endpoints by name and by address. If an endpoint is on this host,
 * every address of this host is recognised. If one of our names resolves to a public address, this address is
 * not recognised, because other services may share it, for example at a node provider.
 */
export function openOwnEndpoints({ endpoints, ownPort, resolve }: OwnEndpointsParts): OwnEndpoints {
  const kept = new Map<string, { readonly untilMs: number; readonly addresses: Promise<readonly string[]> }>()

  function addressesOf(host: string): Promise<readonly string[]> {
    if (isIP(host) !== 0) return Promise.resolve([host])
    const found = kept.get(host)
    if (found !== undefined && found.untilMs > monotonicMs()) return found.addresses
    const addresses = resolve(host).then(insideOf, () => [])
    kept.set(host, { untilMs: monotonicMs() + keptMs, addresses })
    return addresses
  }

  return {
    async at(port) {
      const here = endpoints().filter((one) => one.port === port)
      const addresses = new Set((await Promise.all(here.map(({ host }) => addressesOf(host)))).flat())
      const isOnThisHost = port === ownPort || [...addresses].some(isOfThisHost)
      return {
        isNamed: (hostname) => here.some(({ host }) => host === hostname.toLowerCase().replace(/\.$/, '')),
        isAddress: (address) =>
          addresses.has(canonicalAddress(address) ?? address) || (isOnThisHost && isOfThisHost(address)),
      }
    },
  }
}

function insideOf(resolved: Awaited<ReturnType<Resolve>>): readonly string[] {
  return resolved
    .map(({ address }) => canonicalAddress(address) ?? address)
    .filter((address) => classifyAddress(address) !== 'public')
}

function isOfThisHost(address: string): boolean {
  if (classifyAddress(address) === 'loopback') return true
  const canonical = canonicalAddress(address)
  return Object.values(networkInterfaces()).some((own) => own?.some((one) => one.address === canonical))
}
