/** How the hosts of webhooks become addresses. */
import { Resolver, lookup as systemLookup } from 'node:dns/promises'

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** All addresses of a name. Rejects when the name cannot be resolved; an empty answer is one without addresses. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>

const timeoutMs = 2_000
const tries = 2

/**
 * Asks these name servers, `address` or `address:port`; without any, the system, which also knows its own hosts file.
 * Nothing is kept: each connection resolves anew, and connects to what was checked.
 */
export function openResolver(servers: readonly string[] = []): Resolve {
  if (servers.length === 0) return (hostname) => systemLookup(hostname, { all: true })
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  resolver.setServers(servers)
  return async (hostname) => {
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
