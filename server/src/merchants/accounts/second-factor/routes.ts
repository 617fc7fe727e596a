import { Type } from 'typebox'
import { type Route, route } from '../../../platform/http/route.ts'
import { nullable, optionalTimestamp, timestampOut } from '../../../platform/http/wire.ts'
import { codeIn, passwordIn } from '../login-body.ts'
import {
  confirmShownFactor,
  type FactorParts,
  removeFactor,
  renewRecoveryCodes,
  showFactor,
} from './change-second-factor.ts'
import { recoveryCodes } from './recovery-code.ts'
import { readFactorState } from './store.ts'

export function secondFactorRoutes(parts: FactorParts): readonly Route[] {
  return [stateRoute(parts), showRoute(parts), confirmRoute(parts), renewRoute(parts), removeRoute(parts)]
}

const codesView = Type.Object({
  recoveryCodes: Type.Array(Type.String(), {
    description: `${recoveryCodes} codes that replace the app, each of them once; returned only in this response`,
    examples: [['k3xq-7fd2-m4ra-z6te']],
  }),
})

function stateRoute({ db }: FactorParts): Route {
  return route({
    method: 'GET',
    path: '/auth/second-factor',
    operationId: 'getSecondFactor',
    auth: 'bearer',
    summary: 'Show whether two-factor authentication is enabled',
    replies: {
      200: Type.Object({
        isOn: Type.Boolean(),
        since: nullable(timestampOut),
        recoveryCodesLeft: Type.Integer(),
      }),
    },
    async handle({ caller }) {
      const { confirmedAt, recoveryCodesLeft } = await readFactorState(db, caller.accountId)
      const since = optionalTimestamp(confirmedAt)
      return { status: 200, body: { isOn: since !== null, since, recoveryCodesLeft } }
    },
  })
}

function showRoute(parts: FactorParts): Route {
  return route({
    method: 'POST',
    path: '/auth/second-factor',
    operationId: 'createSecondFactor',
    auth: 'bearer',
    summary: 'Set up two-factor authentication: get a secret, to be confirmed with a code',
    body: Type.Object({ password: passwordIn }),
    replies: {
      200: Type.Object({
        secret: Type.String({ description: 'to be entered in the app if it cannot scan the QR code' }),
        uri: Type.String({
          description: 'the content of the QR code',
          examples: ['otpauth://totp/Coffer:ada'],
        }),
      }),
    },
    errors: ['second-factor-on', 'too-many-requests'],
    handle: async ({ caller, body: { password }, address }) => ({
      status: 200,
      body: await showFactor(parts, caller, { password, address }),
    }),
  })
}

function confirmRoute(parts: FactorParts): Route {
  return route({
    method: 'POST',
    path: '/auth/second-factor/confirm',
    operationId: 'confirmSecondFactor',
    auth: 'bearer',
    summary:
      'Enable two-factor authentication and get recovery codes; revokes all other logins and API access tokens',
    body: Type.Object({ code: codeIn }),
    replies: { 200: codesView },
    errors: ['second-factor-on', 'second-factor-off', 'too-many-requests'],
    handle: async ({ caller, body: { code }, address }) => ({
      status: 200,
      body: { recoveryCodes: [...(await confirmShownFactor(parts, caller, { code, address }))] },
    }),
  })
}

function renewRoute(parts: FactorParts): Route {
  return route({
    method: 'POST',
    path: '/auth/second-factor/recovery-codes',
    operationId: 'renewRecoveryCodes',
    auth: 'bearer',
    summary: 'Get new recovery codes, which replace all previous ones',
    body: Type.Object({ code: codeIn }),
    replies: { 200: codesView },
    errors: ['second-factor-off', 'too-many-requests'],
    handle: async ({ caller, body: { code }, address }) => ({
      status: 200,
      body: { recoveryCodes: [...(await renewRecoveryCodes(parts, caller, { code, address }))] },
    }),
  })
}

function removeRoute(parts: FactorParts): Route {
  return route({
    method: 'POST',
    path: '/auth/second-factor/disable',
    operationId: 'disableSecondFactor',
    auth: 'bearer',
    summary: 'Disable two-factor authentication',
    body: Type.Object({ code: codeIn }),
    replies: { 204: null },
    errors: ['second-factor-off', 'too-many-requests'],
    async handle({ caller, body: { code }, address }) {
      await removeFactor(parts, caller, { code, address })
      return { status: 204 }
    },
  })
}
