import { Type } from 'typebox'
import { fail } from '../../../core/errors.ts'
import { findInvoice } from '../../../payments/invoices/store.ts'
import { type Route, route } from '../../../platform/http/route.ts'
import { nullable } from '../../../platform/http/wire.ts'
import type { WithdrawalParts } from '../create-withdrawal.ts'
import { findByClaim } from '../store.ts'
import { WithdrawalView, withdrawalView } from '../view.ts'

/** Returns the route that shows a merchant the withdrawal that pays a `withdraw` invoice. */
export function claimPayoutRoute(parts: WithdrawalParts): Route {
  return route({
    method: 'GET',
    path: '/merchants/:merchantID/invoices/:invoiceID/payout',
    operationId: 'getInvoicePayout',
    auth: 'any',
    summary: 'Get the withdrawal that pays out a withdraw invoice',
    replies: {
      200: Type.Object({
        withdrawal: nullable(WithdrawalView, {
          description:
            'null while nobody has claimed the invoice, after a failed payout (which leaves the claim open), and for invoices of other types',
        }),
      }),
    },
    errors: ['not-found'],
    handle: async ({ merchant, params }) => {
      const found = await findInvoice(parts.db, params.invoiceID)
      const { invoice } = found ?? {}
      if (invoice?.merchantId !== merchant.id) throw fail('not-found', 'No such invoice.')
      const withdrawal = await findByClaim(parts.db, invoice.id)
      const view = withdrawal === undefined ? null : withdrawalView(parts, withdrawal)
      return { status: 200, body: { withdrawal: view } }
    },
  })
}
