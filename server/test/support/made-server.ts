/** The HTTP server with routes that a test defines. */
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import { buildServer, type ServerParts } from '../../src/platform/http/server.ts'
import { type Api, clientOf, publicUrl } from '../api/api.ts'
import { people } from './made-people.ts'

export type MadeServer = Pick<Api, 'port' | 'call' | 'close'>

/** Starts servers that close with the test. Call this at the top of a file or a `describe`. */
export function useMadeServers(): (
  parts: Pick<ServerParts, 'routes'> & Partial<ServerParts>,
) => Promise<MadeServer> {
  const closes: (() => Promise<void>)[] = []
  afterEach(async () => {
    await Promise.all(closes.splice(0).map((close) => close()))
  })
  return async (parts) => {
    const app = buildServer({ authenticator: people, log: silentLog, publicUrl, ...parts })
    await app.listen({ host: '127.0.0.1', port: 0 })
    closes.push(() => app.close())
    const { port } = app.server.address() as AddressInfo
    return clientOf(port, () => app.close())
  }
}

/** Returns a promise that the test resolves by hand, to hold up whatever waits for it. */
export function openLater(): { readonly promise: Promise<void>; resolve(): void } {
  let open = () => {}
  const promise = new Promise<void>((resolve) => {
    open = resolve
  })
  return { promise, resolve: () => open() }
}
