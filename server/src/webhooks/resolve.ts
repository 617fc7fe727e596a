/** Resolves the hosts of webhooks to addresses. */
import { Resolver, lookup as systemLookup } from 'node:dns/promises'

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/**
 * Returns all addresses of a name, or an empty list if the name has no address. Rejects if the name cannot be
 * resolved.
 */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>

/**
 * Resolves a name as the operating system does, including its hosts file. Each lookup occupies one of the few
 * threads of the process until the name server answers, and at most two lookups run at once. Names that
 * untrusted merchants choose must not be resolved here: a name server that does not answer would block
 * connections to our nodes and to all other receivers.
 */
export const resolveAsSystem: Resolve = (hostname) => systemLookup(hostname, { all: true })

export interface WebhookResolverParts {
  /**
   * Name servers as `address` or `address:port`. If the list is empty, the system's name servers are used.
   */
  readonly servers: readonly string[]
  /** Whether webhooks may connect to internal networks. Only the system's resolver may know their names. */
  readonly allowPrivate: boolean
  readonly serversOfSystem?: () => readonly string[]
}

/** Returns the resolver for names that merchants choose. */
export function openWebhookResolver(parts: WebhookResolverParts): Resolve {
  const { servers, allowPrivate, serversOfSystem = readServersOfSystem } = parts
  if (servers.length > 0) return openResolver(() => servers)
  return allowPrivate ? resolveAsSystem : openResolver(serversOfSystem)
}

/** Reads the system's name servers at each lookup, because they may change while the process runs. */
function readServersOfSystem(): readonly string[] {
  return new Resolver().getServers()
}

const timeoutMs = 2_000
const tries = 2

/**
 * Returns a resolver that queries name servers without occupying a thread. Nothing is cached: each connection
 * resolves its name again, and connects to the addresses that were checked.
 */
export function openResolver(servers: () => readonly string[]): Resolve {
  return async (hostname) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries })
    resolver.setServers(servers())
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = answers.flatMap((answer, index) =>
      answer.status === 'fulfilled'
        ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
        : [],
    )
    // Many name servers return an error if a name has no record of the queried type. The addresses of one of
    // the two types (A or AAAA) are therefore enough.
    if (addresses.length > 0) return addresses
    const failed = answers.find((answer) => answer.status === 'rejected' && !isEmptyAnswer(answer.reason))
    if (failed?.status === 'rejected') throw failed.reason
    return []
  }
}

function isEmptyAnswer(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENODATA'
}
