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
  /** `coffer.js`; undefined where the pages are not built. */
  readonly embedScript: string | undefined
}

/** The page on which a payer pays. Whoever holds the invoice's id may open it; it shows nothing else of its merchant. */
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

/** Under one name for ever, as shops write it into their pages. */
function embedRoute({ embedScript }: CheckoutRouteParts): Route {
  return route({
    method: 'GET',
    path: '/coffer.js',
    auth: 'open',
    inContract: false,
    summary: 'The script with which a shop opens the checkout above its own page',
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
    { description: 'instead of what the browser prefers' },
  ),
)

const shownQuery = Type.Object({
  method: Type.Optional(paymentMethodId),
  choose: Type.Optional(Type.Boolean({ description: 'to choose among the methods again' })),
  lang,
})

const problemCodes = Object.keys(problems) as [ProblemCode, ...ProblemCode[]]

/** Where a link to an invoice was cut short. */
function noInvoiceRoute(parts: CheckoutRouteParts): Route {
  return route({
    method: 'GET',
    path: '/pay',
    auth: 'open',
    inContract: false,
    summary: 'The page on which a payer pays, without the invoice it needs',
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
      notice: Type.Optional(oneOf(problemCodes, { description: 'why no address could be given' })),
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
    summary: 'Choose how to pay, or have a new amount given; a form of the page',
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
    summary: 'Follow what the page shows, as server-sent events',
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
  // Else nginx would keep events until its buffer is full.
  'x-accel-buffering': 'no',
}

function statusRoute(parts: CheckoutRouteParts): Route {
  return route({
    method: 'GET',
    path: '/pay/:invoiceID/status',
    auth: 'open',
    inContract: false,
    summary: 'What the page shows now, for browsers that cannot follow it',
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
