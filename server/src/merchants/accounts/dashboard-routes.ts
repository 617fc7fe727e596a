import { Type } from 'typebox'
import { fail } from '../../core/errors.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { endedCookie, readSessionCookie, sessionCookieOf } from '../../platform/http/session-cookie.ts'
import { idOf, oneOf, timestamp, timestampOut } from '../../platform/http/wire.ts'
import { type DashboardSessionParts, openDashboardSession } from './dashboard-session.ts'
import { logOut } from './log-in.ts'
import { codeIn, loginBody, loginErrors, passwordIn } from './login-body.ts'
import { proveSession, type SessionProofParts } from './prove-session.ts'
import { findSessionAccount, type SessionAccount } from './store.ts'

export interface DashboardRouteParts extends DashboardSessionParts, SessionProofParts {
  readonly mode: 'sandbox' | 'production'
  /** The URL at which browsers reach the server. */
  readonly publicUrl: string
}

export function dashboardSessionRoutes(parts: DashboardRouteParts): readonly Route[] {
  return [openRoute(parts), showRoute(parts), proveRoute(parts), endRoute(parts)]
}

const sessionView = Type.Object({
  csrfToken: Type.String({
    description: 'to be sent as X-CSRF-Token with each request that changes something',
  }),
  expiresAt: Type.String({ ...timestampOut, description: 'when the session ends, even if it is in use' }),
  account: Type.Object({
    id: idOf('an account'),
    email: Type.String(),
    isOperator: Type.Boolean({ description: 'whether it has access to the operator pages' }),
    hasSecondFactor: Type.Boolean({ description: 'whether two-factor authentication is enabled' }),
  }),
  mode: oneOf(['sandbox', 'production'], { description: 'the mode of this server' }),
})

function viewOf({ mode }: DashboardRouteParts, shown: SessionAccount & { readonly csrfToken: string }) {
  const { id, email, isOperator } = shown.account
  const { csrfToken, expiresAt, hasSecondFactor } = shown
  const account = { id, email, isOperator, hasSecondFactor }
  return { csrfToken, expiresAt: timestamp(expiresAt), account, mode }
}

function openRoute(parts: DashboardRouteParts): Route {
  return route({
    method: 'POST',
    path: '/dashboard/session',
    operationId: 'openDashboardSession',
    auth: 'open',
    ownPagesOnly: true,
    summary: 'Log a browser in to the dashboard',
    description:
      'Sets the cookie `coffer_session` (`__Host-coffer_session` over TLS), which a browser then sends instead of a Bearer token. With this cookie, each request that changes something also needs `X-CSRF-Token` and must come from a page of this server. Programs use `POST /auth/login`.',
    body: loginBody,
    replies: { 200: sessionView },
    errors: [...loginErrors, 'forbidden'],
    async handle({ body, address, userAgent, headers: sent }) {
      const former = readSessionCookie(sent.cookie, parts.publicUrl)
      const { cookie, ...opened } = await openDashboardSession(parts, body, { address, userAgent, former })
      const headers = { 'set-cookie': sessionCookieOf(cookie, parts.publicUrl, parts.sessionLifetimeMs) }
      return { status: 200, headers, body: viewOf(parts, opened) }
    },
  })
}

function showRoute(parts: DashboardRouteParts): Route {
  return route({
    method: 'GET',
    path: '/dashboard/session',
    operationId: 'getDashboardSession',
    auth: 'bearer',
    summary: 'Get the logged-in account and the CSRF token of the session',
    replies: { 200: sessionView },
    async handle({ caller: { accountId, sessionId } }) {
      const found = await findSessionAccount(parts.db, { accountId, sessionId })
      if (found === undefined) throw fail('unauthenticated', 'The session has ended.')
      const csrfToken = parts.tokens.csrfTokenOf(sessionId)
      return { status: 200, body: viewOf(parts, { ...found, csrfToken }) }
    },
  })
}

function proveRoute(parts: DashboardRouteParts): Route {
  return route({
    method: 'POST',
    path: '/dashboard/session/proof',
    operationId: 'proveDashboardSession',
    auth: 'bearer',
    summary: 'Re-authenticate in a browser session, for requests that send money',
    description:
      'A request that sends money, or lets somebody send it, is rejected with `proof-required` if only a session cookie authenticates it. Repeat it with the `proof` from this response as `X-Session-Proof`. Tokens and API keys need no proof.',
    body: Type.Object({
      password: Type.Optional(passwordIn),
      code: Type.Optional(codeIn),
    }),
    replies: {
      200: Type.Object({
        proof: Type.String({ description: 'valid for this session, for five minutes' }),
        expiresAt: timestampOut,
      }),
    },
    errors: ['forbidden', 'two-factor-required', 'invalid-code', 'too-many-requests'],
    async handle({ caller, body, address }) {
      const { proof, expiresAt } = await proveSession(parts, caller, { ...body, address })
      return { status: 200, body: { proof, expiresAt: timestamp(expiresAt) } }
    },
  })
}

function endRoute(parts: DashboardRouteParts): Route {
  return route({
    method: 'DELETE',
    path: '/dashboard/session',
    operationId: 'endDashboardSession',
    auth: 'bearer',
    summary: 'Log out: end the session and remove its cookie',
    replies: { 204: null },
    async handle({ caller }) {
      await logOut(parts.db, caller.sessionId)
      return { status: 204, headers: { 'set-cookie': endedCookie(parts.publicUrl) } }
    },
  })
}
