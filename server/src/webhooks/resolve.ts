/** How the hosts of webhooks become addresses. */
import { Resolver, lookup as systemLookup } from 'node:dns/promises'

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** All addresses of a name. Rejects when the name cannot be resolved; an empty answer is one without addresses. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>

/**
 * As the system resolves, which also knows its hosts file. Of the process's few threads two at most do this at once, and
 * until the name server answers: names that strangers choose must not be asked for so where there are strangers, for one
 * whose name server is silent would keep us from our nodes and from every other receiver.
 */
export const resolveAsSystem: Resolve = (hostname) => systemLookup(hostname, { all: true })

export interface WebhookResolverParts {
  /** `address` or `address:port`; empty: those of the system. */
  readonly servers: readonly string[]
  /** Whether webhooks may go to inner networks, whose names need not be known to any name server. */
  readonly allowPrivate: boolean
  readonly serversOfSystem?: () => readonly string[]
}

/** How the names that merchants give are resolved. */
export function openWebhookResolver(parts: WebhookResolverParts): Resolve {
  const { servers, allowPrivate, serversOfSystem = readServersOfSystem } = parts
  if (servers.length > 0) return openResolver(() => servers)
  return allowPrivate ? resolveAsSystem : openResolver(serversOfSystem)
}

/** Read anew each time: a machine may come to have others while we run. */
function readServersOfSystem(): readonly string[] {
  return new Resolver().getServers()
}

const timeoutMs = 2_000
const tries = 2

/**
 * Asks name servers without holding a thread. Nothing is kept: each connection resolves anew, and connects to what was
 * checked.
 */
export function openResolver(servers: () => readonly string[]): Resolve {
  return async (hostname) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries })
    resolver.setServers(servers())
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = answers.flatMap((answer, place) =>
      answer.status === 'fulfilled'
        ? answer.value.map((address) => ({ address, family: place === 0 ? 4 : 6 }))
        : [],
    )
    // Many name servers fail on the record type they lack: what the other question brought is what there is.
    if (addresses.length > 0) return addresses
    const failed = answers.find((answer) => answer.status === 'rejected' && !isEmptyAnswer(answer.reason))
    if (failed?.status === 'rejected') throw failed.reason
    return []
  }
}

function isEmptyAnswer(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENODATA'
}
