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
    description: `${recoveryCodes} codes that work once each without the app; shown now and never again`,
    examples: [['k3xq-7fd2-m4ra-z6te']],
  }),
})

function stateRoute({ db }: FactorParts): Route {
  return route({
    method: 'GET',
    path: '/auth/second-factor',
    operationId: 'getSecondFactor',
    auth: 'bearer',
    summary: 'Whether a code is asked for at logins',
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
    summary: 'Show the secret of a second factor, to be confirmed by a code of it',
    body: Type.Object({ password: passwordIn }),
    replies: {
      200: Type.Object({
        secret: Type.String({ description: 'to be typed into the app, where the QR code cannot be read' }),
        uri: Type.String({ description: 'what the QR code holds', examples: ['otpauth://totp/Coffer:ada'] }),
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
      'Have codes asked for from now on, and get recovery codes; ends all other logins and API access tokens',
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
    summary: 'Get new recovery codes in place of all there were',
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
    summary: 'Have no codes asked for any more',
    body: Type.Object({ code: codeIn }),
    replies: { 204: null },
    errors: ['second-factor-off', 'too-many-requests'],
    async handle({ caller, body: { code }, address }) {
      await removeFactor(parts, caller, { code, address })
      return { status: 204 }
    },
  })
}
