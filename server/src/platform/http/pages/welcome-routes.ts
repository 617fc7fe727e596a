/** What a person finds who opens the server's own address. */
import { Type } from 'typebox'
import { fail } from '../../../core/errors.ts'
import { type Route, route } from '../route.ts'
import { type PageReply, pageReply } from './page.ts'

export interface WelcomeParts {
  readonly mode: 'sandbox' | 'production'
  /** The picture that browsers show beside the address, as SVG; undefined where the pages are not built. */
  readonly icon: string | undefined
}

export function welcomeRoutes(parts: WelcomeParts): readonly Route[] {
  return [welcomeRoute(parts), iconRoute(parts)]
}

function welcomeRoute({ mode }: WelcomeParts): Route {
  const page = welcomePage(mode)
  return route({
    method: 'GET',
    path: '/',
    auth: 'open',
    inContract: false,
    summary: 'What runs here, for people',
    replies: { 200: Type.String({ contentMediaType: 'text/html' }) },
    errors: ['not-found'],
    handle: async ({ headers }) => {
      // A program that asks for the root has lost its way; a page would tell it nothing.
      if (headers.accept?.includes('text/html') !== true)
        throw fail('not-found', 'Nothing is here. GET /openapi.json lists every path of this server.')
      return page
    },
  })
}

/** Browsers ask for it by themselves, whatever a page says of its icon. */
function iconRoute({ icon }: WelcomeParts): Route {
  return route({
    method: 'GET',
    path: '/favicon.ico',
    auth: 'open',
    isCounted: false,
    inContract: false,
    summary: 'The icon of the pages of this server',
    replies: { 200: Type.String({ contentMediaType: 'image/svg+xml' }) },
    errors: ['not-found'],
    handle: async () => {
      if (icon === undefined) throw fail('not-found', 'The pages of this server are not built.')
      return { status: 200, headers: iconHeaders, body: icon }
    },
  })
}

const iconHeaders = { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' }

function welcomePage(mode: WelcomeParts['mode']): PageReply {
  const sandbox =
    mode === 'sandbox'
      ? '<p>This is a <strong>sandbox</strong>: its money is test money. Sign up in the dashboard, create an invoice and pay it from its page.</p>'
      : ''
  return pageReply(
    'Coffer',
    `<main><h1>Coffer</h1>
<p>This server takes payments in cryptocurrency for merchants, and pays out.</p>${sandbox}
<h3><a href="dashboard">Dashboard</a></h3>
<p>Invoices, balances, withdrawals, keys and webhooks. Sign in or sign up here.</p>
<h3><a href="docs">API documentation</a></h3>
<p>Every operation with an example to paste; for programs as <a href="openapi.json">OpenAPI</a>. What went wrong is explained under
<a href="problems">Problems</a>.</p>
<h3>Paying an invoice</h3>
<p>Open the link that you were sent. It leads to a page of this server whose address goes on with <code>/pay/</code>.</p>
</main>`,
  )
}
