import { type TSchema, Type } from 'typebox'
import { limits } from '../../core/limits.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { pageQuery } from '../../platform/http/wire.ts'
import { EventTypeView } from '../view.ts'
import { type ReadFeedParts, readFeed } from './read-feed.ts'
import type { FeedPage } from './store.ts'

export interface FeedParts extends ReadFeedParts {
  /** Any event as it is sent; put together where all that tell are known. */
  readonly eventView: TSchema
}

const FeedQueryView = Type.Object({
  after: Type.Integer({
    minimum: 0,
    default: 0,
    maximum: Number.MAX_SAFE_INTEGER - limits.feedScannedRows,
    description: 'the `next` of the page before, or the sequence of the last event you have; 0 to begin',
  }),
  limit: pageQuery.limit,
  types: Type.Optional(Type.Array(EventTypeView, { description: 'only events of these types' })),
  waitS: Type.Integer({
    minimum: 0,
    maximum: limits.feedWaitS,
    default: 0,
    description:
      'how many seconds to wait where there is nothing to read yet; the answer comes with the first event',
  }),
})

const description = `Every event in the order of its \`sequence\`, to the byte as it is sent to the webhook, whether or not one is set. Keep \`next\` and send it as \`after\` next time: nothing is skipped and nothing comes twice. While \`next\` is below \`last\` there is more to read at once; a page may be empty all the same where \`types\` leave nothing of what was looked through. \`readAgainAfter\` is there where your \`after\` is the number of an event that the server lost, by a restore or a failover: it no longer has what you read after that number. Go on from \`next\` all the same, since no number is ever given to another event; what happened again is told again under a higher number.

With \`waitS\` a request stays open until there is an event, at most so long. It counts once towards the limit of requests. At most ${limits.feedReadersPerMerchant} readers of a merchant wait at once, and ${limits.feedReadersPerAccount} of all merchants that one account owns, whichever keys they have; the next is answered 429.`

export function feedRoute({ eventView, ...parts }: FeedParts): Route {
  return route({
    method: 'GET',
    path: '/merchants/:merchantID/events',
    auth: 'any',
    summary: 'Read events in their order, webhook or not',
    description,
    query: FeedQueryView,
    replies: {
      200: Type.Unsafe<Buffer>(
        Type.Object({
          data: Type.Array(eventView),
          next: Type.Integer({ description: 'what to send as "after" next time' }),
          last: Type.Integer({ description: 'the sequence of the newest event there is; 0 without any' }),
          incarnation: Type.Integer({
            description:
              "rises each time the server's history begins anew, after a restore or where another database server took over",
          }),
          readAgainAfter: Type.Optional(
            Type.Integer({
              description:
                'only where `after` is the number of an event that the server lost: the last one before it that it still has',
            }),
          ),
        }),
      ),
    },
    handle: async ({ merchant, query: { types, ...query }, signal, admitAgain }) => {
      const question = { ...query, types, merchantId: merchant.id }
      const page = await readFeed(parts, question, signal)
      // A key that was replaced while it waited is told nothing more.
      if (query.waitS > 0) await admitAgain()
      return json(page)
    },
  })
}

/** The stored texts as they are: what is read here is to the byte what is signed and sent. */
function json({ bodies, next, last, incarnation, readAgainAfter }: FeedPage) {
  const lost = readAgainAfter === undefined ? '' : `,"readAgainAfter":${readAgainAfter}`
  const body = Buffer.from(
    `{"data":[${bodies.join(',')}],"next":${next},"last":${last},"incarnation":${incarnation}${lost}}`,
  )
  return { status: 200 as const, headers: { 'content-type': 'application/json; charset=utf-8' }, body }
}
