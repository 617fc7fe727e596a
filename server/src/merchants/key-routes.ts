import { Type } from 'typebox'
import type { Db } from '../platform/db/pool.ts'
import { type Route, route } from '../platform/http/route.ts'
import { nullable, optionalTimestamp, timestamp, timestampOut, uuid } from '../platform/http/wire.ts'
import { generateApiKey, readApiKey, revokeApiKey } from './change-api-key.ts'
import type { LastUsed } from './last-used.ts'

export interface KeyRouteParts {
  readonly db: Db
  readonly lastUsed: LastUsed
}

export function keyRoutes(parts: KeyRouteParts): readonly Route[] {
  return [generateRoute(parts), infoRoute(parts), revokeRoute(parts)]
}

function generateRoute({ db }: KeyRouteParts): Route {
  return route({
    method: 'POST',
    path: '/key/generate/:merchantID',
    auth: 'bearer',
    needsProof: true,
    summary: 'Generate an API key, which replaces the current one immediately',
    replies: {
      200: Type.Object({
        apiKey: Type.String(),
        key: Type.String(),
        merchantId: uuid,
        createdAt: timestampOut,
      }),
    },
    handle: async ({ caller, merchant }) => {
      const owner = { accountId: caller.accountId, merchantId: merchant.id }
      const { key, createdAt } = await generateApiKey(db, owner)
      const body = { apiKey: key, key, merchantId: merchant.id, createdAt: timestamp(createdAt) }
      return { status: 200, body }
    },
  })
}

function infoRoute(parts: KeyRouteParts): Route {
  return route({
    method: 'GET',
    path: '/key/info/:merchantID',
    auth: 'bearer',
    summary: 'Show when the API key was generated and last used',
    replies: { 200: Type.Object({ createdAt: timestampOut, lastUsedAt: nullable(timestampOut) }) },
    errors: ['not-found'],
    handle: async ({ merchant }) => {
      const { createdAt, lastUsedAt } = await readApiKey(parts, merchant.id)
      return {
        status: 200,
        body: { createdAt: timestamp(createdAt), lastUsedAt: optionalTimestamp(lastUsedAt) },
      }
    },
  })
}

function revokeRoute({ db }: KeyRouteParts): Route {
  return route({
    method: 'DELETE',
    path: '/key/revoke/:merchantID',
    auth: 'bearer',
    summary: 'Revoke the API key',
    replies: { 204: null },
    handle: async ({ caller, merchant }) => {
      await revokeApiKey(db, { accountId: caller.accountId, merchantId: merchant.id })
      return { status: 204 }
    },
  })
}
