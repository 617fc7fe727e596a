import { Type } from 'typebox'
import { fail } from '../../../core/errors.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { type Route, route } from '../../../platform/http/route.ts'
import { findInvoice } from '../store.ts'
import { claimUrl } from './claim.ts'
import { type ClaimKeys, showClaimToken } from './show-claim.ts'

export interface ClaimLinkParts extends ClaimKeys {
  readonly db: Db
  readonly publicUrl: string
}

/**
 * Returns the route that shows the claim link of a withdraw invoice. Whoever has the link can claim the
 * money, so the route requires the same permission as sending money. A viewer therefore never sees the link.
 */
export function claimLinkRoute(parts: ClaimLinkParts): Route {
  return route({
    method: 'POST',
    path: '/merchants/:merchantID/invoices/:invoiceID/claim-link',
    operationId: 'showClaimLink',
    auth: 'any',
    needsProof: true,
    summary: 'Get the claim link of a withdraw invoice',
    replies: {
      200: Type.Object({
        claimURL: Type.String({
          examples: ['https://pay.example/pay/0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70#claim=EXAMPLE'],
        }),
      }),
    },
    errors: ['not-found', 'invoice-not-payable'],
    handle: async ({ merchant, params }) => {
      const found = await findInvoice(parts.db, params.invoiceID)
      const { invoice } = found ?? {}
      if (invoice?.merchantId !== merchant.id || invoice.type !== 'withdraw')
        throw fail('not-found', 'No such withdraw invoice.')
      if (invoice.state !== 'pending')
        throw fail('invoice-not-payable', 'The claim has ended: create another withdraw invoice.')
      const token = await showClaimToken(parts, invoice.id)
      return { status: 200, body: { claimURL: claimUrl(parts.publicUrl, invoice.id, token) } }
    },
  })
}
