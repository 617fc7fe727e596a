import { Type } from 'typebox'
import type { Queryable } from '../../platform/db/pool.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { page, pageOf, pagingQuery } from '../../platform/http/wire.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { listCollections } from './store.ts'
import { CollectionStateView, CollectionView, collectionView } from './view.ts'

export interface CollectionRoutesParts {
  readonly db: Queryable
  readonly methods: PaymentMethods
}

export function collectionRoutes({ db, methods }: CollectionRoutesParts): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/merchants/:merchantID/collections',
      auth: 'any',
      summary: 'List collections: how payments are brought together, by asset',
      query: Type.Object({
        ...pagingQuery(['createdAt', 'amount']),
        states: Type.Optional(Type.Array(CollectionStateView)),
      }),
      replies: { 200: pageOf(CollectionView) },
      handle: async ({ merchant, query }) => {
        const filter = { merchantId: merchant.id, states: query.states }
        const { collections, total } = await listCollections(db, filter, query)
        const views = collections.map((collection) => collectionView(methods, collection))
        return { status: 200, body: page(views, total, query) }
      },
    }),
  ]
}
