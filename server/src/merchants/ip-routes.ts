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
    summary: 'Show the IP restriction of the API key and the address of the client',
    query: Type.Object({
      ipAddresses: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: limits.ipRangeChars }), {
          maxItems: limits.ipRangesPerMerchant,
          description: 'a list to test instead of the stored one',
        }),
      ),
    }),
    replies: {
      200: Type.Object({
        ipAddresses: Type.Array(Type.String(), { description: 'empty if there is no restriction' }),
        yourAddress: Type.String({
          description: 'the client’s address, as this server sees it',
          examples: ['192.0.2.7'],
        }),
        locksYouOut: Type.Boolean({
          description:
            'whether the list (the tested one, else the stored one) would reject the API key from your address',
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
    summary: 'Restrict the API key to these addresses and CIDR ranges',
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
    summary: 'Remove the IP restriction of the API key',
    replies: { 204: null },
    handle: async ({ caller, merchant }) => {
      await removeIpList(db, { accountId: caller.accountId, merchantId: merchant.id })
      return { status: 204 }
    },
  })
}
