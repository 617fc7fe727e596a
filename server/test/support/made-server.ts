/** The route kit with routes that a test makes up, and people who need no database. */
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import { type Authentication, authenticator } from '../../src/http/auth.ts'
import { buildServer, type ServerParts } from '../../src/http/server.ts'
import { type Api, clientOf, publicUrl } from '../api/api.ts'

export const merchantIds = {
  shop: '01890a5d-ac96-774b-bcce-b302099a8057',
  stall: '01890a5d-ac96-774b-bcce-b302099a8058',
} as const

const accountIds: Readonly<Record<string, string>> = {
  alice: '01890a5d-ac96-774b-bcce-b30209900001',
  bob: '01890a5d-ac96-774b-bcce-b30209900002',
}

/** Alice and Bob, by the tokens "alice" and "bob", own both merchants; the keys "shop" and "stall" open one each. */
export const people = authenticator({
  authenticateBearer: async (token, merchantId): Promise<Authentication | undefined> => {
    const accountId = accountIds[token]
    if (accountId === undefined) return undefined
    const caller = { type: 'account', accountId, sessionId: accountId, isOperator: false } as const
    if (merchantId === undefined) return { caller, access: 'none' }
    const isKnown = Object.values<string>(merchantIds).includes(merchantId)
    return isKnown ? { caller, access: 'allowed', role: 'owner' } : { caller, access: 'missing' }
  },
  authenticateKey: async (key, merchantId): Promise<Authentication | undefined> => {
    if (key !== 'shop' && key !== 'stall') return undefined
    const own = merchantIds[key]
    const access = merchantId === undefined ? 'none' : merchantId === own ? 'allowed' : 'forbidden'
    return { caller: { type: 'key', merchantId: own }, access }
  },
})

export type MadeServer = Pick<Api, 'port' | 'call' | 'close'>

/** Starts servers that end with the test. To be called at the top of a file or a `describe`. */
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

/** A gate that the test opens: what waits for its promise goes on then. */
export function openLater(): { readonly promise: Promise<void>; resolve(): void } {
  let open = () => {}
  const promise = new Promise<void>((resolve) => {
    open = resolve
  })
  return { promise, resolve: () => open() }
}
