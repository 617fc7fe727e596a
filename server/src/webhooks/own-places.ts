/** What of ours a webhook could be aimed at: this server, and the nodes, the database and the Redis it stands on. */
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { canonicalAddress, classifyAddress } from '../core/network-address.ts'
import type { NetworkPlace } from '../core/network-place.ts'
import type { Resolve } from './resolve.ts'

export interface OwnPlacesParts {
  readonly places: readonly NetworkPlace[]
  /** The port we listen on ourselves. */
  readonly ownPort: number | undefined
  readonly resolve: Resolve
}

/** What of ours is at one port. */
export interface OwnAddresses {
  isNamed(hostname: string): boolean
  isAddress(address: string): boolean
}

export interface OwnPlaces {
  at(port: number): Promise<OwnAddresses>
}

/** How long the addresses of our own names are taken to be the same. */
const keptMs = 30_000

/**
 * A place of ours is refused by its name, by its address, and, where it is on this machine, by each address of the
 * machine. A public address that only a name leads to is not: many others may be behind it, as at a provider of nodes.
 */
export function openOwnPlaces({ places, ownPort, resolve }: OwnPlacesParts): OwnPlaces {
  const kept = new Map<string, { readonly untilMs: number; readonly addresses: Promise<readonly string[]> }>()

  function addressesOf(host: string): Promise<readonly string[]> {
    if (isIP(host) !== 0) return Promise.resolve([host])
    const found = kept.get(host)
    if (found !== undefined && found.untilMs > performance.now()) return found.addresses
    const addresses = resolve(host).then(insideOf, () => [])
    kept.set(host, { untilMs: performance.now() + keptMs, addresses })
    return addresses
  }

  return {
    async at(port) {
      const here = places.filter((place) => place.port === port)
      const addresses = new Set((await Promise.all(here.map(({ host }) => addressesOf(host)))).flat())
      const isOnThisMachine = port === ownPort || [...addresses].some(isOfThisMachine)
      return {
        isNamed: (hostname) => here.some(({ host }) => host === hostname.toLowerCase().replace(/\.$/, '')),
        isAddress: (address) =>
          addresses.has(canonicalAddress(address) ?? address) ||
          (isOnThisMachine && isOfThisMachine(address)),
      }
    },
  }
}

function insideOf(resolved: Awaited<ReturnType<Resolve>>): readonly string[] {
  return resolved
    .map(({ address }) => canonicalAddress(address) ?? address)
    .filter((address) => classifyAddress(address) !== 'public')
}

function isOfThisMachine(address: string): boolean {
  if (classifyAddress(address) === 'loopback') return true
  const canonical = canonicalAddress(address)
  return Object.values(networkInterfaces()).some((own) => own?.some((one) => one.address === canonical))
}
