import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { fail, type ProblemCode, problems } from '../core/errors.ts'
import { addressKey } from '../platform/http/limits/request-limit.ts'
import { type Route, route } from '../platform/http/route.ts'
import { oneOf, paymentMethodId } from '../platform/http/wire.ts'
import { chooseMethod } from './choose-method.ts'
import { type FollowParts, followCheckout } from './follow-checkout.ts'
import { chooseLanguage, languages } from './languages/language.ts'
import { showCheckout } from './show-checkout.ts'
import { checkoutPage, missingPage, type PageParts } from './show-page.ts'
import { CheckoutStatusView, statusView } from './view.ts'

export interface CheckoutRouteParts extends FollowParts, PageParts {
  /** The content of `coffer.js`. Undefined if the pages are not built. */
  readonly embedScript: string | undefined
}

/**
 * Returns the routes of the payment page. Anyone who has the invoice's id may open the page. The page shows
 * this invoice and the name of its merchant, and no other data of the merchant.
 */
export function checkoutRoutes(parts: CheckoutRouteParts): readonly Route[] {
  return [
    noInvoiceRoute(parts),
    pageRoute(parts),
    methodRoute(parts),
    eventsRoute(parts),
    statusRoute(parts),
    embedRoute(parts),
  ]
}

/** Serves the script under a fixed path, because shops write that path into their pages. */
function embedRoute({ embedScript }: CheckoutRouteParts): Route {
  return route({
    method: 'GET',
    path: '/coffer.js',
    auth: 'open',
    inContract: false,
    summary: 'The script with which a shop opens the checkout as a modal on its own page',
    replies: { 200: Type.String({ contentMediaType: 'text/javascript' }) },
    errors: ['not-found'],
    handle: async () => {
      if (embedScript === undefined) throw fail('not-found', 'The pages of this server are not built.')
      return { status: 200, headers: scriptHeaders, body: embedScript }
    },
  })
}

const scriptHeaders = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=3600',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
}

const lang = Type.Optional(
  oneOf(
    languages.map(({ code }) => code),
    { description: 'overrides the language that the browser prefers' },
  ),
)

const shownQuery = Type.Object({
  method: Type.Optional(paymentMethodId),
  choose: Type.Optional(Type.Boolean({ description: 'true to choose a payment method again' })),
  lang,
})

const problemCodes = Object.keys(problems) as [ProblemCode, ...ProblemCode[]]

/** Returns the route for a link from which the invoice id was cut off. */
function noInvoiceRoute(parts: CheckoutRouteParts): Route {
  return route({
    method: 'GET',
    path: '/pay',
    auth: 'open',
    inContract: false,
    summary: 'The payment page without the id of an invoice',
    replies: { 204: null },
    errors: ['not-found'],
    showProblem: (problem, headers) => missingPage(parts, problem, headers['accept-language']),
    handle: async () => {
      throw fail('not-found', 'Add the id of an invoice: GET /pay/{invoiceID}.')
    },
  })
}

function pageRoute(parts: CheckoutRouteParts): Route {
  return route({
    method: 'GET',
    path: '/pay/:invoiceID',
    auth: 'open',
    inContract: false,
    summary: 'The page on which a payer pays an invoice',
    query: Type.Object({
      ...shownQuery.properties,
      notice: Type.Optional(oneOf(problemCodes, { description: 'why no address could be assigned' })),
    }),
    replies: { 200: Type.String({ contentMediaType: 'text/html' }) },
    errors: ['not-found'],
    showProblem: (problem, headers) => missingPage(parts, problem, headers['accept-language']),
    handle: async ({ params, query, headers, isHead }) => {
      const language = chooseLanguage(query.lang, headers['accept-language'])
      const { headers: own, body } = await checkoutPage(
        parts,
        { ...asked(params, query, isHead), language },
        query,
      )
      return { status: 200, headers: { ...own, 'content-type': 'text/html; charset=utf-8' }, body }
    },
  })
}

function methodRoute(parts: CheckoutRouteParts): Route {
  return route({
    method: 'POST',
    path: '/pay/:invoiceID/method/:methodID',
    auth: 'open',
    inContract: false,
    summary: 'Choose a payment method, or get a new amount; a form of the page',
    params: { methodID: paymentMethodId },
    query: Type.Object({ lang }),
    replies: { 303: null },
    errors: ['not-found'],
    showProblem: (problem, headers) => missingPage(parts, problem, headers['accept-language']),
    handle: async ({ params, query }) => {
      const location = await chooseMethod(parts, {
        invoiceId: params.invoiceID,
        methodId: params.methodID,
        lang: query.lang,
      })
      return { status: 303, headers: { location } }
    },
  })
}

function eventsRoute(parts: CheckoutRouteParts): Route {
  return route({
    method: 'GET',
    path: '/pay/:invoiceID/events',
    auth: 'open',
    inContract: false,
    summary: 'Follow the content of the page, as server-sent events',
    query: shownQuery,
    replies: { 200: Type.Unsafe<Readable>(Type.String({ contentMediaType: 'text/event-stream' })) },
    errors: ['not-found', 'too-many-requests', 'too-busy'],
    handle: async ({ params, query, headers, address, isHead, signal }) => {
      const last = headers['last-event-id']
      const question = {
        ...asked(params, query, isHead),
        language: chooseLanguage(query.lang, headers['accept-language']),
        client: addressKey(address),
        version: typeof last === 'string' ? last : undefined,
      }
      return { status: 200, headers: streamHeaders, body: await followCheckout(parts, question, signal) }
    },
  })
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Without this header, nginx would keep events back until its buffer is full.
  'x-accel-buffering': 'no',
}

function statusRoute(parts: CheckoutRouteParts): Route {
  return route({
    method: 'GET',
    path: '/pay/:invoiceID/status',
    auth: 'open',
    inContract: false,
    summary: 'Read the current content of the page, for browsers that cannot follow it',
    query: shownQuery,
    replies: { 200: CheckoutStatusView, 304: null },
    errors: ['not-found'],
    handle: async ({ params, query, headers, isHead }) => {
      const language = chooseLanguage(query.lang, headers['accept-language'])
      const status = await showCheckout(parts, { ...asked(params, query, isHead), language })
      const etag = `"${status.version}"`
      const known = (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
      if (known.includes(etag)) return { status: 304, headers: { etag } }
      return { status: 200, headers: { etag }, body: statusView(status) }
    },
  })
}

function asked(
  { invoiceID }: { readonly invoiceID: string },
  { method, choose = false }: { readonly method?: number | undefined; readonly choose?: boolean | undefined },
  isHead: boolean,
) {
  return { invoiceId: invoiceID, methodId: method, isChoosing: choose, isGlance: isHead }
}
