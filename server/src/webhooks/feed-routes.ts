import { type TSchema, Type } from 'typebox'
import type { Db } from '../db/pool.ts'
import { type Route, route } from '../http/route.ts'
import { pageQuery } from '../http/wire.ts'
import { readEvents } from './log-store.ts'

export interface FeedParts {
  readonly db: Db
  /** Any event as it is sent; put together where all that tell are known. */
  readonly eventView: TSchema
}

const FeedQuery = Type.Object({
  after: Type.Integer({
    minimum: 0,
    default: 0,
    description: 'the sequence of the last event you have; 0 for the first ones',
  }),
  limit: pageQuery.limit,
})

export function feedRoute({ db, eventView }: FeedParts): Route {
  return route({
    method: 'GET',
    path: '/merchants/:merchantID/events',
    auth: 'any',
    summary: 'Read events in their order, webhook or not',
    query: FeedQuery,
    replies: {
      200: Type.Unsafe<Buffer>(
        Type.Object({
          data: Type.Array(eventView),
          next: Type.Integer({ description: 'what to send as "after" next time' }),
        }),
      ),
    },
    handle: async ({ merchant, query }) => {
      const events = await readEvents(db, { ...query, merchantId: merchant.id })
      return json({
        data: events.map(({ body }) => body),
        next: events.at(-1)?.sequence ?? query.after,
      })
    },
  })
}

/** The stored texts as they are: what is read here is to the byte what is signed and sent. */
function json({ data, next }: { readonly data: readonly string[]; readonly next: number }) {
  const body = Buffer.from(`{"data":[${data.join(',')}],"next":${next}}`)
  return { status: 200 as const, headers: { 'content-type': 'application/json; charset=utf-8' }, body }
}
