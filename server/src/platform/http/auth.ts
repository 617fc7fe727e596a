/** Who calls and what that opens. Knows no capability: `app/` supplies the look-ups. */
import { fail, type Problem } from '../../core/errors.ts'
import { readSessionCookie } from './session-cookie.ts'

export type Role = 'owner' | 'admin' | 'viewer'

/** Each role may do all that those below it may; docs/roles.md says what that is. */
const ranks: Readonly<Record<Role, number>> = { viewer: 0, admin: 1, owner: 2 }

export function isAtLeast(role: Role, least: Role): boolean {
  return ranks[role] >= ranks[least]
}

export interface AccountCaller {
  readonly type: 'account'
  readonly accountId: string
  readonly sessionId: string
  readonly isOperator: boolean
}

export interface KeyCaller {
  readonly type: 'key'
  readonly merchantId: string
}

export type Caller = AccountCaller | KeyCaller

/** The merchant a path names, after access to it was granted. A key has no role. */
export interface Merchant {
  readonly id: string
  readonly role: Role | undefined
}

export type Credential =
  | { readonly type: 'bearer'; readonly token: string }
  | { readonly type: 'key'; readonly key: string }
  | {
      readonly type: 'cookie'
      readonly cookie: string
      /** Whether a page asks by itself, that nobody has touched for a while: then the session is not in use. */
      readonly isUnattended: boolean
    }

/**
 * `none`: no merchant was asked for. `missing`: no such merchant. `forbidden`: not the caller's, or the caller's
 * address is outside the merchant's IP list.
 */
export type Access = 'allowed' | 'forbidden' | 'missing' | 'none'

export interface Authentication {
  readonly caller: Caller
  readonly access: Access
  readonly role?: Role
  /** What must be sent along to change anything; present where the credential goes along by itself. */
  readonly csrfToken?: string
  /**
   * Whether a text proves that the holder has just shown again who they are; present where the credential goes along by
   * itself, so that having it shows too little for what moves money.
   */
  isProof?(text: string): boolean
}

export interface Authenticator {
  /**
   * One look-up that says who the credential is and what it may do with `merchantId`; undefined when the
   * credential is no good. `clientAddress` is the peer's IP address.
   */
  authenticate(
    credential: Credential,
    merchantId: string | undefined,
    clientAddress: string,
  ): Promise<Authentication | undefined>
}

export interface AuthenticatorParts {
  authenticateBearer(token: string, merchantId: string | undefined): Promise<Authentication | undefined>
  authenticateKey(
    key: string,
    merchantId: string | undefined,
    clientAddress: string,
  ): Promise<Authentication | undefined>
  authenticateCookie(
    sent: { readonly cookie: string; readonly isUnattended: boolean },
    merchantId: string | undefined,
  ): Promise<Authentication | undefined>
}

export function authenticator(parts: AuthenticatorParts): Authenticator {
  return {
    async authenticate(credential, merchantId, clientAddress) {
      switch (credential.type) {
        case 'bearer':
          return parts.authenticateBearer(credential.token, merchantId)
        case 'key':
          return parts.authenticateKey(credential.key, merchantId, clientAddress)
        case 'cookie':
          return parts.authenticateCookie(credential, merchantId)
      }
    },
  }
}

/** For `permit` of a route below /operator: open to whoever runs this server. */
export function permitOperator(caller: AccountCaller): void {
  if (!caller.isOperator) throw fail('forbidden', 'Only an operator of this server may do this.')
}

/** What a route asks of its caller. */
export interface Requirement {
  readonly auth: 'bearer' | 'any'
  /** The least role of a member who may use it. An API key has no role: it is the merchant itself. */
  readonly role: Role
  /** The path's merchant segment; `malformed` when it can name none. */
  readonly merchant: 'absent' | 'malformed' | 'named'
}

/**
 * The credential of a request. A Bearer token, when there is one, is judged alone; a cookie is looked at only where
 * nothing else was sent, as a browser adds it to whatever a program of its page sends.
 */
export function readCredential(
  headers: {
    readonly authorization?: string | undefined
    readonly 'x-api-key'?: string | readonly string[] | undefined
    readonly cookie?: string | undefined
    readonly 'x-unattended'?: string | readonly string[] | undefined
  },
  publicUrl: string,
): Credential | undefined {
  const bearer = /^bearer(?: +(.*))?$/i.exec(headers.authorization?.trim() ?? '')
  if (bearer !== null) return { type: 'bearer', token: bearer[1] ?? '' }
  const key = headers['x-api-key']
  if (typeof key === 'string' && key !== '') return { type: 'key', key }
  if (headers.authorization !== undefined || key !== undefined) return undefined
  const cookie = readSessionCookie(headers.cookie, publicUrl)
  // Whoever invents it only ends a session of its own sooner.
  const isUnattended = headers['x-unattended'] !== undefined
  return cookie === undefined ? undefined : { type: 'cookie', cookie, isUnattended }
}

/** The refusal in the contract's order (401, 403, 404), or undefined when the caller may go on. */
export function refusal(
  requirement: Requirement,
  authentication: Authentication | undefined,
): Problem | undefined {
  if (authentication === undefined) {
    return fail('unauthenticated', 'Send a valid, unexpired Bearer token or API key.')
  }
  const { caller, access } = authentication
  if (caller.type === 'key' && requirement.auth === 'bearer') {
    return fail('forbidden', 'This operation needs a Bearer token; an API key does not permit it.')
  }
  if (access === 'forbidden') return fail('forbidden', 'This credential has no access here.')
  if (requirement.merchant === 'malformed' || access === 'missing') {
    // A key opens one merchant; every other, existing or not, is forbidden to it (spec, Authentication 2).
    return caller.type === 'key'
      ? fail('forbidden', 'This credential has no access here.')
      : fail('not-found', 'No such merchant.')
  }
  if (requirement.merchant === 'named' && access !== 'allowed') {
    return fail('forbidden', 'This credential has no access here.')
  }
  const { role } = authentication
  if (role !== undefined && !isAtLeast(role, requirement.role)) {
    return fail(
      'forbidden',
      `Your role at this merchant is ${role}; this operation needs ${requirement.role}.`,
    )
  }
  return undefined
}
