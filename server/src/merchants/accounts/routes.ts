import { Type } from 'typebox'
import { fail } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { timestamp, timestampOut, uuid } from '../../platform/http/wire.ts'
import {
  type AccessTokenParts,
  createAccessToken,
  endAccessToken,
  showAccessTokens,
} from './access-tokens.ts'
import { accessTokenDaysMax } from './account.ts'
import { changePassword } from './change-password.ts'
import { type LoggedIn, type LogInParts, logIn, logOut, refreshLogin } from './log-in.ts'
import { codeIn, loginBody, loginErrors, newAccountBody, passwordIn } from './login-body.ts'
import { registerAccount } from './register-account.ts'
import type { FactorParts } from './second-factor/change-second-factor.ts'
import { secondFactorRoutes } from './second-factor/routes.ts'
import { sessionRoutes } from './session-routes.ts'

export interface AccountRouteParts extends LogInParts, AccessTokenParts, FactorParts {
  readonly registration: 'open' | 'closed'
}

export function accountRoutes(parts: AccountRouteParts): readonly Route[] {
  return [
    registerRoute(parts),
    logInRoute(parts),
    refreshRoute(parts),
    logOutRoute(parts),
    passwordRoute(parts),
    createTokenRoute(parts),
    listTokensRoute(parts),
    revokeTokenRoute(parts),
    ...sessionRoutes(parts),
    ...secondFactorRoutes(parts),
  ]
}

const loggedIn = Type.Object({
  token: Type.String(),
  tokenType: Type.Literal('Bearer'),
  expiresAt: timestampOut,
  refreshToken: Type.String(),
})

function loggedInView({ token, expiresAt, refreshToken }: LoggedIn) {
  return { token, tokenType: 'Bearer' as const, expiresAt: timestamp(expiresAt), refreshToken }
}

function registerRoute(parts: AccountRouteParts): Route {
  return route({
    method: 'POST',
    path: '/auth/register',
    auth: 'open',
    summary: 'Register an account',
    body: newAccountBody,
    replies: { 201: Type.Object({ id: uuid }) },
    errors: ['registration-closed', 'email-taken', 'too-many-requests'],
    permit() {
      if (parts.registration === 'closed')
        throw fail('registration-closed', 'Ask the operator for an account.')
    },
    handle: async ({ body, address }) => ({
      status: 201,
      body: { id: await registerAccount(parts, body, address) },
    }),
  })
}

function logInRoute(parts: AccountRouteParts): Route {
  return route({
    method: 'POST',
    path: '/auth/login',
    auth: 'open',
    summary: 'Log in',
    body: loginBody,
    replies: { 200: loggedIn },
    errors: loginErrors,
    handle: async ({ body, address, userAgent }) => ({
      status: 200,
      body: loggedInView(await logIn(parts, body, { address, userAgent })),
    }),
  })
}

function refreshRoute(parts: AccountRouteParts): Route {
  return route({
    method: 'POST',
    path: '/auth/refresh',
    auth: 'open',
    summary: 'Exchange a refresh token for a new token and a new refresh token',
    body: Type.Object({ refreshToken: Type.String({ minLength: 1, maxLength: 512 }) }),
    replies: { 200: loggedIn },
    errors: ['unauthenticated'],
    handle: async ({ body }) => ({
      status: 200,
      body: loggedInView(await refreshLogin(parts, body.refreshToken)),
    }),
  })
}

function logOutRoute({ db }: AccountRouteParts): Route {
  return route({
    method: 'POST',
    path: '/auth/logout',
    auth: 'bearer',
    summary: 'Log out: end the session of the token',
    replies: { 204: null },
    handle: async ({ caller }) => {
      await logOut(db, caller.sessionId)
      return { status: 204 }
    },
  })
}

function passwordRoute(parts: AccountRouteParts): Route {
  return route({
    method: 'POST',
    path: '/auth/password',
    operationId: 'changePassword',
    auth: 'bearer',
    summary: 'Change the password; revokes all other logins and API access tokens',
    body: Type.Object({ currentPassword: passwordIn, newPassword: passwordIn, code: Type.Optional(codeIn) }),
    replies: { 204: null },
    errors: ['two-factor-required', 'invalid-code', 'too-many-requests'],
    handle: async ({ caller, body, address }) => {
      await changePassword(parts, caller, body, address)
      return { status: 204 }
    },
  })
}

function createTokenRoute(parts: AccountRouteParts): Route {
  return route({
    method: 'POST',
    path: '/auth/tokens',
    auth: 'bearer',
    needsProof: true,
    summary: 'Create an API access token',
    body: Type.Object({
      name: Type.String({ minLength: 1, maxLength: limits.accessTokenNameChars }),
      days: Type.Integer({ minimum: 1, maximum: accessTokenDaysMax }),
    }),
    replies: { 201: Type.Object({ id: uuid, token: Type.String(), expiresAt: timestampOut }) },
    errors: ['too-many-tokens'],
    handle: async ({ caller, body }) => {
      const { id, token, expiresAt } = await createAccessToken(parts, caller, body)
      return { status: 201, body: { id, token, expiresAt: timestamp(expiresAt) } }
    },
  })
}

function listTokensRoute({ db }: AccountRouteParts): Route {
  return route({
    method: 'GET',
    path: '/auth/tokens',
    auth: 'bearer',
    summary: 'List the valid API access tokens',
    replies: {
      200: Type.Array(
        Type.Object({ id: uuid, name: Type.String(), createdAt: timestampOut, expiresAt: timestampOut }),
      ),
    },
    handle: async ({ caller }) => {
      const tokens = await showAccessTokens(db, caller)
      const body = tokens.map(({ id, name, createdAt, expiresAt }) => {
        return { id, name, createdAt: timestamp(createdAt), expiresAt: timestamp(expiresAt) }
      })
      return { status: 200, body }
    },
  })
}

function revokeTokenRoute({ db }: AccountRouteParts): Route {
  return route({
    method: 'DELETE',
    path: '/auth/tokens/:tokenID',
    auth: 'bearer',
    summary: 'Revoke an API access token',
    replies: { 204: null },
    errors: ['not-found'],
    handle: async ({ caller, params }) => {
      await endAccessToken(db, caller, params.tokenID)
      return { status: 204 }
    },
  })
}
