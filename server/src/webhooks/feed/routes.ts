import { type TSchema, Type } from 'typebox'
import { limits } from '../../core/limits.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { pageQuery } from '../../platform/http/wire.ts'
import { EventTypeView } from '../view.ts'
import { type ReadFeedParts, readFeed } from './read-feed.ts'
import type { FeedPage } from './store.ts'

export interface FeedParts extends ReadFeedParts {
  /** Schema of any event as sent. The composition root provides it, because it knows all kinds of events. */
  readonly eventView: TSchema
}

const FeedQueryView = Type.Object({
  after: Type.Integer({
    minimum: 0,
    default: 0,
    maximum: Number.MAX_SAFE_INTEGER - limits.feedScannedRows,
    description: 'the `next` of the previous page, or the sequence of the last event you have; 0 to start',
  }),
  limit: pageQuery.limit,
  types: Type.Optional(Type.Array(EventTypeView, { description: 'only events of these types' })),
  waitS: Type.Integer({
    minimum: 0,
    maximum: limits.feedWaitS,
    default: 0,
    description:
      'how many seconds to wait if there is nothing to read yet; the response is sent with the first event',
  }),
})

const description = `Returns every event in the order of its \`sequence\`, with the same bytes as a webhook delivery, even if no webhook is set. Store \`next\` and send it as \`after\` next time: no event is skipped or returned twice. While \`next\` is below \`last\`, more events can be read immediately; a page may still be empty if none of the scanned events is of the requested \`types\`. \`readAgainAfter\` is present if your \`after\` is the number of an event that the server lost in a restore or a failover, or is greater than \`last\`: it has no events that you read after \`readAgainAfter\`. Continue from \`next\` in this case too, because a number is never used for another event; what happens again gets a new event with a higher number.

With \`waitS\`, a request stays open until there is an event, for at most that time. It counts as one request for the rate limit. At most ${limits.feedReadersPerMerchant} readers of a merchant may wait at once, and ${limits.feedReadersPerAccount} of all merchants that one account owns, whichever keys they use; further ones get 429.`

export function feedRoute({ eventView, ...parts }: FeedParts): Route {
  return route({
    method: 'GET',
    path: '/merchants/:merchantID/events',
    auth: 'any',
    summary: 'Read events in order, with or without a webhook',
    description,
    query: FeedQueryView,
    replies: {
      200: Type.Unsafe<Buffer>(
        Type.Object({
          data: Type.Array(eventView),
          next: Type.Integer({ description: 'the value to send as "after" next time' }),
          last: Type.Integer({ description: 'the sequence of the newest event; 0 if there is none' }),
          incarnation: Type.Integer({
            description:
              "increases each time the server's history starts anew, after a restore or when another database server took over",
          }),
          readAgainAfter: Type.Optional(
            Type.Integer({
              description:
                'only if `after` is the number of an event that the server lost, or is greater than `last`: the number of the last earlier event that it has',
            }),
          ),
        }),
      ),
    },
    handle: async ({ merchant, query: { types, ...query }, signal, admitAgain }) => {
      const question = { ...query, types, merchantId: merchant.id }
      const page = await readFeed(parts, question, signal)
      // After the wait the caller is authenticated again: an API key that was replaced gets no events.
      if (query.waitS > 0) await admitAgain()
      return json(page)
    },
  })
}

/**
 * Returns the answer. The stored texts are inserted unchanged, so that the feed has the bytes that are
 * signed.
 */
function json({ bodies, next, last, incarnation, readAgainAfter }: FeedPage) {
  const lost = readAgainAfter === undefined ? '' : `,"readAgainAfter":${readAgainAfter}`
  const body = Buffer.from(
    `{"data":[${bodies.join(',')}],"next":${next},"last":${last},"incarnation":${incarnation}${lost}}`,
  )
  return { status: 200 as const, headers: { 'content-type': 'application/json; charset=utf-8' }, body }
}
