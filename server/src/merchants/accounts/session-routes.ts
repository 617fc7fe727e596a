import { Type } from 'typebox'
import type { Db } from '../../platform/db/pool.ts'
import { type Route, route } from '../../platform/http/route.ts'
import {
  boundedText,
  idOf,
  nullable,
  optionalTimestamp,
  timestamp,
  timestampOut,
} from '../../platform/http/wire.ts'
import type { Login } from './account.ts'
import { endLogin, endOtherLogins, showLogins } from './end-logins.ts'

export function sessionRoutes(parts: { readonly db: Db }): readonly Route[] {
  return [listRoute(parts), endRoute(parts), endOtherSessionsRoute(parts)]
}

const loginView = Type.Object({
  id: idOf('a login'),
  isCurrent: Type.Boolean({ description: 'whether it is the login of this request' }),
  createdAt: timestampOut,
  lastSeenAt: nullable(timestampOut, {
    description: 'when a browser’s login was last used, accurate to a minute; null for a program’s login',
  }),
  expiresAt: timestampOut,
  address: nullable(boundedText('the IP address from which it was started')),
  userAgent: nullable(boundedText('the user agent with which it was started', 256)),
})

function viewOf({ seenAt, createdAt, expiresAt, ...login }: Login, sessionId: string) {
  return {
    ...login,
    isCurrent: login.id === sessionId,
    createdAt: timestamp(createdAt),
    lastSeenAt: optionalTimestamp(seenAt),
    expiresAt: timestamp(expiresAt),
  }
}

function listRoute({ db }: { readonly db: Db }): Route {
  return route({
    method: 'GET',
    path: '/auth/sessions',
    auth: 'bearer',
    summary: 'List the logins of the account, newest first',
    replies: { 200: Type.Array(loginView) },
    async handle({ caller }) {
      const logins = await showLogins(db, caller)
      return { status: 200, body: logins.map((login) => viewOf(login, caller.sessionId)) }
    },
  })
}

function endRoute({ db }: { readonly db: Db }): Route {
  return route({
    method: 'DELETE',
    path: '/auth/sessions/:sessionID',
    auth: 'bearer',
    summary: 'Revoke a login',
    replies: { 204: null },
    errors: ['not-found'],
    async handle({ caller, params }) {
      await endLogin(db, caller, params.sessionID)
      return { status: 204 }
    },
  })
}

function endOtherSessionsRoute({ db }: { readonly db: Db }): Route {
  return route({
    method: 'DELETE',
    path: '/auth/sessions',
    operationId: 'endOtherSessions',
    auth: 'bearer',
    summary: 'Revoke all logins except the one of this request; API access tokens stay valid',
    replies: { 200: Type.Object({ ended: Type.Integer({ description: 'the number of revoked logins' }) }) },
    handle: async ({ caller }) => ({ status: 200, body: { ended: await endOtherLogins(db, caller) } }),
  })
}
