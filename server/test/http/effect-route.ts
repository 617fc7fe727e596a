import { Type } from 'typebox'
import { insertMerchant } from '../../src/merchants/store.ts'
import type { Queryable } from '../../src/platform/db/pool.ts'
import { type Route, route } from '../../src/platform/http/route.ts'

/** Returns a route that creates a merchant like the API, for an owner that the request names. */
export function effectRoute(db: Queryable): Route {
  return route({
    method: 'POST',
    path: '/effects',
    auth: 'bearer',
    idempotent: true,
    summary: 'Makes a merchant',
    body: Type.Object({ name: Type.String(), ownerId: Type.String() }),
    replies: { 201: Type.Object({ id: Type.String() }) },
    handle: async ({ body, newId: id }) => {
      await insertMerchant(db, { id, ...body })
      return { status: 201, body: { id } }
    },
  })
}
