/** Routes that delete a merchant and, for a limited time, restore it. */
import { Type } from 'typebox'
import { limits } from '../core/limits.ts'
import { listRestorable } from '../merchants/store.ts'
import { permitOperator } from '../platform/http/auth.ts'
import { type Route, route } from '../platform/http/route.ts'
import { timestamp, timestampOut, uuid } from '../platform/http/wire.ts'
import { deleteMerchant } from './delete-merchant.ts'
import { type RestoreParts, restoreMerchant } from './restore-merchant.ts'

const dayMs = 86_400_000

export function merchantEndRoutes(parts: RestoreParts): readonly Route[] {
  return [deleteRoute(parts), deletedRoute(parts), restoreRoute(parts)]
}

function deleteRoute({ db }: RestoreParts): Route {
  return route({
    method: 'DELETE',
    path: '/merchants/:merchantID',
    auth: 'any',
    role: 'owner',
    idempotent: true,
    summary: 'Delete a merchant with its balances, invoices, keys and settings',
    query: Type.Object({
      ifEmpty: Type.Boolean({
        default: false,
        description: 'true: the deletion is rejected while the merchant holds money',
      }),
    }),
    replies: { 204: null },
    errors: ['merchant-has-funds'],
    handle: async ({ caller, merchant, query }) => {
      await deleteMerchant(db, { merchantId: merchant.id, caller, ifEmpty: query.ifEmpty })
      return { status: 204 }
    },
  })
}

const DeletedMerchantView = Type.Object(
  {
    id: uuid,
    name: Type.String(),
    deletedAt: timestampOut,
    restorableUntil: timestampOut,
  },
  { title: 'DeletedMerchant' },
)

function deletedView({ id, name, deletedAt }: { id: string; name: string; deletedAt: Date }) {
  const restorableUntil = new Date(deletedAt.getTime() + limits.merchantRestoreDays * dayMs)
  return { id, name, deletedAt: timestamp(deletedAt), restorableUntil: timestamp(restorableUntil) }
}

function deletedRoute({ db }: RestoreParts): Route {
  return route({
    method: 'GET',
    path: '/operator/merchants/deleted',
    operationId: 'listDeletedMerchants',
    auth: 'bearer',
    summary: 'List deleted merchants that can be restored, latest first',
    replies: { 200: Type.Array(DeletedMerchantView) },
    permit: permitOperator,
    handle: async () => {
      const deleted = await listRestorable(db)
      const body = deleted.flatMap(({ id, name, deletedAt }) =>
        deletedAt === undefined ? [] : [deletedView({ id, name, deletedAt })],
      )
      return { status: 200, body }
    },
  })
}

function restoreRoute(parts: RestoreParts): Route {
  return route({
    method: 'POST',
    // The parameter is not named `:merchantID`, because every route with that parameter requires a membership
    // of the merchant. Operators need no membership.
    path: '/operator/merchants/:id/restore',
    auth: 'bearer',
    summary:
      'Restore a merchant that was deleted in the last 30 days; its API key and webhook are not restored',
    replies: { 200: Type.Object({ id: uuid, name: Type.String() }) },
    errors: ['not-found', 'merchant-gone'],
    permit: permitOperator,
    handle: async ({ caller, params }) => ({
      status: 200,
      body: await restoreMerchant(parts, { merchantId: params.id, accountId: caller.accountId }),
    }),
  })
}
