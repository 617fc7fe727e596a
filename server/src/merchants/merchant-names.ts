import { Type } from 'typebox'
import { required } from '../core/assert.ts'
import type { Queryable } from '../platform/db/pool.ts'
import { nullable } from '../platform/http/wire.ts'
import { readMerchantNames } from './store.ts'

export const merchantName = nullable(
  Type.String({ description: 'the merchant’s name, even if it is deleted; null if no merchant is named' }),
)

interface OfMerchant {
  readonly merchantID: string | null
}

/** Adds merchants' names to views for operators, because operators know merchants by name and not by id. */
export async function withMerchantNames<V extends OfMerchant>(
  on: Queryable,
  views: readonly V[],
): Promise<readonly (V & { readonly merchantName: string | null })[]> {
  const ids = views.flatMap(({ merchantID }) => merchantID ?? [])
  const names = await readMerchantNames(on, [...new Set(ids)])
  return views.map((view) => ({ ...view, merchantName: names.get(view.merchantID ?? '') ?? null }))
}

export async function withMerchantName<V extends OfMerchant>(on: Queryable, view: V) {
  const [named] = await withMerchantNames(on, [view])
  return required(named, 'the view with a name')
}
