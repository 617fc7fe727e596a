import { Type } from 'typebox'
import { limits } from '../core/limits.ts'
import type { Db } from '../db/pool.ts'
import { type Route, route } from '../http/route.ts'
import { removeIpList, setIpList } from './change-ip-list.ts'

const path = '/ipAddress/:merchantID'

export function ipRoutes({ db }: { readonly db: Db }): readonly Route[] {
  return [setRoute(db), removeRoute(db)]
}

const ipAddressesOut = Type.Array(Type.String())

function setRoute(db: Db): Route {
  return route({
    method: 'PUT',
    path,
    operationId: 'restrictIpAddresses',
    auth: 'bearer',
    summary: 'Accept the API key from these addresses and CIDR ranges alone',
    body: Type.Object({
      ipAddresses: Type.Array(Type.String({ minLength: 1, maxLength: limits.ipRangeChars }), {
        minItems: 1,
        maxItems: limits.ipRangesPerMerchant,
      }),
    }),
    replies: { 200: Type.Object({ ipAddresses: ipAddressesOut }) },
    handle: async ({ caller, merchant, body }) => {
      const owner = { accountId: caller.accountId, merchantId: merchant.id }
      const ipAddresses = await setIpList(db, owner, body.ipAddresses)
      return { status: 200, body: { ipAddresses: [...ipAddresses] } }
    },
  })
}

function removeRoute(db: Db): Route {
  return route({
    method: 'DELETE',
    path,
    operationId: 'liftIpRestriction',
    auth: 'bearer',
    summary: 'Accept the API key from anywhere again',
    replies: { 204: null },
    handle: async ({ caller, merchant }) => {
      await removeIpList(db, { accountId: caller.accountId, merchantId: merchant.id })
      return { status: 204 }
    },
  })
}
