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
  /** How browsers reach the server. */
  readonly publicUrl: string
}

export function dashboardSessionRoutes(parts: DashboardRouteParts): readonly Route[] {
  return [openRoute(parts), showRoute(parts), proveRoute(parts), endRoute(parts)]
}

const sessionView = Type.Object({
  csrfToken: Type.String({ description: 'to be sent as X-CSRF-Token with whatever changes anything' }),
  expiresAt: Type.String({ ...timestampOut, description: 'when the session ends, however it is used' }),
  account: Type.Object({
    id: idOf('an account'),
    email: Type.String(),
    isOperator: Type.Boolean({ description: 'whether the operator pages are open to it' }),
    hasSecondFactor: Type.Boolean({ description: 'whether a code is asked for at its logins' }),
  }),
  mode: oneOf(['sandbox', 'production'], { description: 'how this server runs' }),
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
      'Sets the cookie `coffer_session` (`__Host-coffer_session` over TLS), which a browser then sends by itself in place of a Bearer token. With it, whatever changes anything also needs `X-CSRF-Token`, from a page of this server. Programs take `POST /auth/login`.',
    body: loginBody,
    replies: { 200: sessionView },
    errors: [...loginErrors, 'forbidden'],
    async handle({ body, address, userAgent, headers: sent }) {
      const former = readSessionCookie(sent.cookie, parts.publicUrl)
      const { cookie, ...opened } = await openDashboardSession(parts, body, { address, userAgent, former })
      const headers = { 'set-cookie': sessionCookieOf(cookie, parts.publicUrl, parts.sessionLifeMs) }
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
    summary: 'Who is logged in, and the CSRF token of the session',
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
    summary: 'Show again who sits before a session, to send money with it',
    description:
      'What sends money, or gives somebody the means to, is refused to a session’s cookie with `proof-required` until the request carries the `proof` of this answer as `X-Session-Proof`. Tokens and API keys need none.',
    body: Type.Object({
      password: Type.Optional(passwordIn),
      code: Type.Optional(codeIn),
    }),
    replies: {
      200: Type.Object({
        proof: Type.String({ description: 'good for this session, for five minutes' }),
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
    summary: 'Log out: end the session on every process, and take the cookie away',
    replies: { 204: null },
    async handle({ caller }) {
      await logOut(parts.db, caller.sessionId)
      return { status: 204, headers: { 'set-cookie': endedCookie(parts.publicUrl) } }
    },
  })
}
