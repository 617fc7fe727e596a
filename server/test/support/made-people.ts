/** People for servers that tests define, who need no database. */
import { type Authentication, authenticator } from '../../src/platform/http/auth.ts'

export const merchantIds = {
  shop: '01890a5d-ac96-774b-bcce-b302099a8057',
  stall: '01890a5d-ac96-774b-bcce-b302099a8058',
} as const

const accountIds: Readonly<Record<string, string>> = {
  alice: '01890a5d-ac96-774b-bcce-b30209900001',
  bob: '01890a5d-ac96-774b-bcce-b30209900002',
}

/**
 * Authenticates Alice and Bob by the tokens "alice" and "bob", both of whom own both merchants. The keys
 * "shop" and "stall" give access to one merchant each.
 */
export const people = authenticator({
  authenticateBearer: async (token, merchantId): Promise<Authentication | undefined> => {
    const accountId = accountIds[token]
    if (accountId === undefined) return undefined
    const caller = { type: 'account', accountId, sessionId: accountId, isOperator: false } as const
    if (merchantId === undefined) return { caller, access: 'none' }
    const isKnown = Object.values<string>(merchantIds).includes(merchantId)
    return isKnown ? { caller, access: 'allowed', role: 'owner' } : { caller, access: 'missing' }
  },
  authenticateCookie: async () => undefined,
  authenticateKey: async (key, merchantId): Promise<Authentication | undefined> => {
    if (key !== 'shop' && key !== 'stall') return undefined
    const own = merchantIds[key]
    const access = merchantId === undefined ? 'none' : merchantId === own ? 'allowed' : 'forbidden'
    return { caller: { type: 'key', merchantId: own }, access }
  },
})
