import { Type } from 'typebox'
import { limits } from '../core/limits.ts'
import type { Db } from '../platform/db/pool.ts'
import { type Route, route } from '../platform/http/route.ts'
import { removeIpList, setIpList, showIpList } from './change-ip-list.ts'

const path = '/ipAddress/:merchantID'

export function ipRoutes({ db }: { readonly db: Db }): readonly Route[] {
  return [showRoute(db), setRoute(db), removeRoute(db)]
}

const ipAddressesOut = Type.Array(Type.String())

function showRoute(db: Db): Route {
  return route({
    method: 'GET',
    path,
    operationId: 'getIpRestriction',
    auth: 'bearer',
    summary: 'The addresses that the API key is restricted to, and the address you call from',
    query: Type.Object({
      ipAddresses: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: limits.ipRangeChars }), {
          maxItems: limits.ipRangesPerMerchant,
          description: 'a list to be tried out in place of the stored one',
        }),
      ),
    }),
    replies: {
      200: Type.Object({
        ipAddresses: Type.Array(Type.String(), { description: 'empty where there is no restriction' }),
        yourAddress: Type.String({ description: 'as this server sees it now', examples: ['192.0.2.7'] }),
        locksYouOut: Type.Boolean({
          description: 'whether the list, tried out or stored, would refuse the API key from your address',
        }),
      }),
    },
    handle: async ({ merchant, query, address }) => ({
      status: 200,
      body: await showIpList(db, merchant.id, { address, tried: query.ipAddresses }),
    }),
  })
}

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
