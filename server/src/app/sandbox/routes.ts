import { Type } from 'typebox'
import { fail, failField } from '../../core/errors.ts'
import { findInvoice } from '../../payments/invoices/store.ts'
import { permitOperator } from '../../platform/http/auth.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { boundedText, decimalOf, oneOf, paymentMethodId, uuid } from '../../platform/http/wire.ts'
import { dropBlocks, mineBlocks } from '../../sandbox/faucet.ts'
import { onDevChain, paidHow, payInSandbox, type SandboxParts } from './pay-in-sandbox.ts'

const blocksMax = 100

/** Returns the routes that exist only in a sandbox. An installation with real money does not have them. */
export function sandboxRoutes(parts: SandboxParts): readonly Route[] {
  return [payRoute(parts), payOwnRoute(parts), mineRoute(parts), dropRoute(parts)]
}

const paidFields = {
  paymentMethodID: Type.Optional(paymentMethodId),
  how: Type.Optional(
    oneOf(paidHow, {
      description: 'default exact; short: 60 percent of the amount due; over: 130 percent',
    }),
  ),
}

const sentView = Type.Object({
  txHash: boundedText('the transaction on chain'),
  amount: decimalOf('the amount that was sent'),
  currency: boundedText('the symbol of the asset'),
})

const payErrors = [
  'not-found',
  'method-not-offered',
  'invoice-not-payable',
  'below-minimum',
  'rate-unavailable',
  'too-busy',
  'not-ready',
] as const

/**
 * Returns the route by which a user who may create invoices can also pay them. It lets a merchant try a whole
 * payment without a wallet.
 */
function payOwnRoute(parts: SandboxParts): Route {
  return route({
    method: 'POST',
    path: '/merchants/:merchantID/invoices/:invoiceID/sandbox-payments',
    operationId: 'payInvoiceInSandbox',
    auth: 'any',
    summary: 'Pay an invoice of the merchant with test money, as a customer would',
    description: 'A real transaction on the dev chain. Only a sandbox has this operation.',
    body: Type.Object(paidFields),
    replies: { 201: sentView },
    errors: payErrors,
    handle: async ({ merchant, params, body, signal }) => {
      const found = await findInvoice(parts.db, params.invoiceID)
      if (found?.invoice.merchantId !== merchant.id) throw fail('not-found', 'No such invoice.')
      const payment = {
        invoiceId: params.invoiceID,
        paymentMethodId: body.paymentMethodID,
        how: body.how ?? 'exact',
      }
      return { status: 201, body: await payInSandbox(parts, payment, signal) }
    },
  })
}

function payRoute(parts: SandboxParts): Route {
  return route({
    method: 'POST',
    path: '/operator/sandbox/payments',
    operationId: 'payInSandbox',
    auth: 'bearer',
    permit: permitOperator,
    summary: 'Pay an invoice with test money, as a customer would',
    description: 'A real transaction on the dev chain, from an account that Coffer does not control.',
    body: Type.Object({ invoiceID: uuid, ...paidFields }),
    replies: { 201: sentView },
    errors: payErrors,
    handle: async ({ body, signal }) => ({
      status: 201,
      body: await payInSandbox(
        parts,
        { invoiceId: body.invoiceID, paymentMethodId: body.paymentMethodID, how: body.how ?? 'exact' },
        signal,
      ),
    }),
  })
}

const devNetwork = boundedText('the EVM network of the dev chain; default ethereum')

/** @throws Problem invalid-request if the sandbox has no dev chain of this network */
function devChainOf({ evmUrls }: SandboxParts, network = 'ethereum'): string {
  const url = evmUrls.get(network)
  if (url !== undefined) return url
  throw failField('/network', `must be one of ${[...evmUrls.keys()].join(', ')}`)
}

function mineRoute(parts: SandboxParts): Route {
  return route({
    method: 'POST',
    path: '/operator/sandbox/blocks',
    operationId: 'mineInSandbox',
    auth: 'bearer',
    permit: permitOperator,
    summary: 'Mine blocks on the dev chain at once',
    body: Type.Object({
      blocks: Type.Integer({ minimum: 1, maximum: blocksMax }),
      network: Type.Optional(devNetwork),
    }),
    replies: { 204: null },
    errors: ['not-ready'],
    async handle({ body, signal }) {
      await onDevChain(mineBlocks(devChainOf(parts, body.network), body.blocks, signal))
      return { status: 204 }
    },
  })
}

function dropRoute(parts: SandboxParts): Route {
  return route({
    method: 'POST',
    path: '/operator/sandbox/reorganisations',
    operationId: 'reorganiseSandbox',
    auth: 'bearer',
    permit: permitOperator,
    summary: 'Remove the last blocks of the dev chain, with all their transactions',
    body: Type.Object({
      depth: Type.Integer({ minimum: 1, maximum: blocksMax }),
      network: Type.Optional(devNetwork),
    }),
    replies: { 204: null },
    errors: ['not-ready'],
    async handle({ body, signal }) {
      await onDevChain(dropBlocks(devChainOf(parts, body.network), body.depth, signal))
      return { status: 204 }
    },
  })
}
