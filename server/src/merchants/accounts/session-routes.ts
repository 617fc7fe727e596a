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
  return [listRoute(parts), endRoute(parts), endOthersRoute(parts)]
}

const loginView = Type.Object({
  id: idOf('a login'),
  isCurrent: Type.Boolean({ description: 'whether it is the one that asks' }),
  createdAt: timestampOut,
  lastSeenAt: nullable(timestampOut, {
    description: 'when a browser’s login was last used, to within a minute; null for a program’s',
  }),
  expiresAt: timestampOut,
  address: nullable(boundedText('the IP address it was begun from')),
  userAgent: nullable(boundedText('what it was begun with, as that says itself', 256)),
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
    summary: 'The logins of the account, the newest first',
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
    summary: 'End a login',
    replies: { 204: null },
    errors: ['not-found'],
    async handle({ caller, params }) {
      await endLogin(db, caller, params.sessionID)
      return { status: 204 }
    },
  })
}

function endOthersRoute({ db }: { readonly db: Db }): Route {
  return route({
    method: 'DELETE',
    path: '/auth/sessions',
    operationId: 'endOtherSessions',
    auth: 'bearer',
    summary: 'End all logins but the one that asks; API access tokens stay',
    replies: { 200: Type.Object({ ended: Type.Integer({ description: 'how many' }) }) },
    handle: async ({ caller }) => ({ status: 200, body: { ended: await endOtherLogins(db, caller) } }),
  })
}
