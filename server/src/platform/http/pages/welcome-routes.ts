/** Serves the page at the server's root, for people who open the server's address in a browser. */
import { Type } from 'typebox'
import { fail } from '../../../core/errors.ts'
import { type Route, route } from '../route.ts'
import { type PageReply, pageReply } from './page.ts'

export interface WelcomeParts {
  readonly mode: 'sandbox' | 'production'
  /**
   * The icon that browsers show beside the page's title, as SVG; undefined if the pages of web/ are not
   * built.
   */
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
    summary: 'Show what runs on this server, as a page',
    replies: { 200: Type.String({ contentMediaType: 'text/html' }) },
    errors: ['not-found'],
    handle: async ({ headers }) => {
      // Only a browser gets the page. A program that requests the root uses a wrong path.
      if (headers.accept?.includes('text/html') !== true)
        throw fail('not-found', 'Not found. GET /openapi.json lists every path of this server.')
      return page
    },
  })
}

/** Serves the icon at the path that browsers request even if a page declares another icon. */
function iconRoute({ icon }: WelcomeParts): Route {
  return route({
    method: 'GET',
    path: '/favicon.ico',
    auth: 'open',
    isCounted: false,
    inContract: false,
    summary: 'Get the icon of the pages of this server',
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
      ? '<p>This is a <strong>sandbox</strong>: it uses test money only. Sign up in the dashboard, create an invoice and pay it from its page.</p>'
      : ''
  return pageReply(
    'Coffer',
    `<main><h1>Coffer</h1>
<p>This server accepts cryptocurrency payments for merchants and pays out their balances.</p>${sandbox}
<h3><a href="dashboard">Dashboard</a></h3>
<p>Invoices, balances, withdrawals, keys and webhooks. Sign in or sign up here.</p>
<h3><a href="docs">API documentation</a></h3>
<p>Every operation with an example to paste; for programs as <a href="openapi.json">OpenAPI</a>. Errors are explained under
<a href="problems">Problems</a>.</p>
<h3>Paying an invoice</h3>
<p>Open the link that you received. It leads to a page of this server whose path starts with <code>/pay/</code>.</p>
</main>`,
  )
}
