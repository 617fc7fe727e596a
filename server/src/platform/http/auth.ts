/**
 * Identifies the caller of a request, and decides what the caller may access. This file imports no module that
 * stores accounts or API keys: `app/` passes in the functions that look up credentials.
 */
import { fail, type Problem } from '../../core/errors.ts'
import { readSessionCookie } from './session-cookie.ts'

export type Role = 'owner' | 'admin' | 'viewer'

/** Each role has all permissions of the roles with a lower rank; docs/roles.md lists the permissions. */
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

/**
 * The merchant that a path names, after the caller was granted access to that merchant. The role is undefined
 * for an API key.
 */
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
      /**
       * Whether a page sent the request by itself while nobody used the page. Such a request does not count
       * as use of the session.
       */
      readonly isUnattended: boolean
    }

/**
 * The access of a caller to the merchant that a path names.
 * - `none`: the path names no merchant.
 * - `missing`: the merchant does not exist.
 * - `forbidden`: the merchant is not the caller's, or the caller's address is outside the merchant's IP
 *   list.
 */
export type Access = 'allowed' | 'forbidden' | 'missing' | 'none'

export interface Authentication {
  readonly caller: Caller
  readonly access: Access
  readonly role?: Role
  /**
   * The CSRF token, which every request that changes something must contain. Present only if the credential
   * is a cookie, because browsers send cookies automatically.
   */
  readonly csrfToken?: string
  /**
   * Returns true if a text is a valid session proof. The user gets a session proof by entering the password
   * or a two-factor code. The method is present only if the credential is a cookie: a cookie alone is too
   * weak for moving money, because browsers send it automatically.
   */
  isProof?(text: string): boolean
}

export interface Authenticator {
  /**
   * Looks up the caller to whom a credential belongs, and the caller's access to the merchant. Returns
   * undefined for an invalid credential.
   * @param merchantId undefined if the path contains no valid merchant id
   * @param clientAddress the client's IP address
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

/** For `permit` of routes below /operator. @throws Problem forbidden for callers other than operators */
export function permitOperator(caller: AccountCaller): void {
  if (!caller.isOperator) throw fail('forbidden', 'This operation is for operators of this server only.')
}

/** What a route requires of its caller. */
export interface Requirement {
  readonly auth: 'bearer' | 'any'
  /**
   * The lowest role that may use the route. An API key needs no role, because it acts as the merchant itself.
   */
  readonly role: Role
  /** Whether the path contains a merchant id; `malformed` if its text is no UUID. */
  readonly merchant: 'absent' | 'malformed' | 'named'
}

/**
 * Reads the credential of a request: the Bearer token if there is one, else the API key, else the session
 * cookie. The cookie is read only if the request has neither an Authorization nor an X-Api-Key header,
 * because a browser adds the cookie to every request by itself.
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
  // This header is not verified: a client that forges it only ends its own session sooner.
  const isUnattended = headers['x-unattended'] !== undefined
  return cookie === undefined ? undefined : { type: 'cookie', cookie, isUnattended }
}

/**
 * Returns the problem with which a request is rejected; undefined if the caller may proceed. The API's
 * specification defines the order of the checks: 401, 403, 404.
 */
export function accessProblem(
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
  if (access === 'forbidden') return fail('forbidden', 'This credential has no access to this merchant.')
  if (requirement.merchant === 'malformed' || access === 'missing') {
    // An API key gives access to one merchant. Every other merchant is forbidden, whether it exists or not
    // (spec, Authentication 2).
    return caller.type === 'key'
      ? fail('forbidden', 'This credential has no access to this merchant.')
      : fail('not-found', 'No such merchant.')
  }
  if (requirement.merchant === 'named' && access !== 'allowed') {
    return fail('forbidden', 'This credential has no access to this merchant.')
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
