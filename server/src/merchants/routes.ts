import { type Static, Type } from 'typebox'
import { fail } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import type { Db } from '../platform/db/pool.ts'
import { type Route, route } from '../platform/http/route.ts'
import { nullable, pageQuery, uuid } from '../platform/http/wire.ts'
import { auditRoute } from './audit/audit-route.ts'
import { changeMerchant } from './change-merchant.ts'
import type { WebhookParts } from './change-webhook.ts'
import { ipRoutes } from './ip-routes.ts'
import { type KeyRouteParts, keyRoutes } from './key-routes.ts'
import { memberRoutes } from './member-routes.ts'
import { findMerchant, insertMerchant, listMerchants } from './store.ts'
import { balanceEntryView, merchantView, paidWhenView, viewMerchant } from './view.ts'
import { webhookRoutes } from './webhook-routes.ts'

export interface MerchantRouteParts extends KeyRouteParts, WebhookParts {
  readonly db: Db
  /** Returns the available balances of merchants. The result has an entry for every requested merchant. */
  balancesOf(
    merchantIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly Static<typeof balanceEntryView>[]>>
}

export function merchantRoutes(parts: MerchantRouteParts): readonly Route[] {
  return [
    createRoute(parts),
    listRoute(parts),
    getRoute(parts),
    changeRoute(parts),
    ...memberRoutes(parts),
    auditRoute(parts),
    ...ipRoutes(parts),
    ...keyRoutes(parts),
    ...webhookRoutes(parts),
  ]
}

/**
 * Characters that a name must not contain: line breaks and other control characters, and characters that
 * change the direction of the text around the name.
 */
const unseen = '\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069'

const merchantName = Type.String({
  minLength: 1,
  maxLength: limits.merchantNameChars,
  pattern: `^[^${unseen}]*[^\\s${unseen}][^${unseen}]*$`,
  description: 'a name that is not blank and has no control characters',
})

function createRoute({ db }: MerchantRouteParts): Route {
  return route({
    method: 'POST',
    path: '/merchants',
    auth: 'bearer',
    idempotent: true,
    summary: 'Create a merchant; the caller becomes its owner',
    body: Type.Object({ name: merchantName }),
    replies: { 201: Type.Object({ id: uuid }) },
    handle: async ({ caller, body, newId: id }) => {
      await insertMerchant(db, { id, name: body.name, ownerId: caller.accountId })
      return { status: 201, body: { id } }
    },
  })
}

function listRoute({ db, balancesOf }: MerchantRouteParts): Route {
  return route({
    method: 'GET',
    path: '/merchants',
    auth: 'any',
    summary: 'List the merchants that the caller has access to, with balances',
    query: Type.Object(pageQuery),
    replies: {
      200: Type.Array(Type.Object({ id: uuid, name: Type.String(), balances: Type.Array(balanceEntryView) })),
    },
    handle: async ({ caller, query }) => {
      const merchants = await listMerchants(db, caller, query)
      const balances = await balancesOf(merchants.map(({ id }) => id))
      const body = merchants.map(({ id, name }) => ({ id, name, balances: [...(balances.get(id) ?? [])] }))
      return { status: 200, body }
    },
  })
}

function getRoute({ db }: MerchantRouteParts): Route {
  return route({
    method: 'GET',
    path: '/merchants/:merchantID',
    auth: 'any',
    summary: 'Get a merchant with its settings',
    replies: { 200: merchantView },
    handle: async ({ merchant }) => {
      const found = await findMerchant(db, merchant.id)
      if (found === undefined) throw fail('not-found', 'No such merchant.')
      return { status: 200, body: viewMerchant(found) }
    },
  })
}

const changeBody = Type.Object({
  id: Type.Optional(uuid),
  name: Type.Optional(merchantName),
  settings: Type.Optional(
    Type.Object({
      webhookUrl: Type.Optional(nullable(Type.String({ maxLength: limits.webhookUrlChars }))),
      ipWhitelist: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 1000 })),
      paidWhen: Type.Optional(paidWhenView),
      tolerancePercent: Type.Optional(Type.String({ maxLength: 20 })),
      creditsWrongNetwork: Type.Optional(Type.Boolean()),
    }),
  ),
})

function changeRoute({ db }: MerchantRouteParts): Route {
  return route({
    method: 'PUT',
    path: '/merchants/:merchantID',
    auth: 'any',
    summary: 'Change the name or, with a Bearer token, the settings',
    body: changeBody,
    example: { body: { name: 'Corner Shop' } },
    replies: { 200: Type.Object({ id: uuid }) },
    handle: async ({ caller, merchant, body }) => {
      await changeMerchant(db, { caller, merchantId: merchant.id }, body)
      return { status: 200, body: { id: merchant.id } }
    },
  })
}
