/**
 * Issues and verifies tokens. The session store, and not this file, decides whether the session of a token is
 * still valid.
 */

import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { randomBytes } from '../../core/chance.ts'
import type { Clock } from '../../core/clock.ts'
import { deriveKey } from '../../core/derive-key.ts'
import { isId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import type { Secret } from '../../core/settings.ts'
import type { Session } from './account.ts'

const algorithm = 'HS256'
const issuer = 'coffer'
const audience = 'coffer-api'
const typ = 'at+jwt'
// Tolerated difference between the clocks of Coffer's hosts. The database, with its own clock, decides
// whether a session has ended.
const clockToleranceS = 5

export interface TokenParts {
  readonly jwtSecret: Secret
  readonly clock: Clock
}

export interface Tokens {
  /** Issues a JWT for `session`. The JWT expires with the session, or at `expiresAt` if that is earlier. */
  issue(session: Session, expiresAt: Date): Promise<string>
  /**
   * Returns the session and account of a token. Returns undefined if we did not issue the token, if somebody
   * altered it, or if it is not valid now.
   */
  read(token: string): Promise<{ readonly sessionId: string; readonly accountId: string } | undefined>
  /**
   * Returns the CSRF token of a session. A page that uses the session's cookie must also send this token with
   * every request for a change.
   */
  csrfTokenOf(sessionId: string): string
  /**
   * Issues a session proof. A caller with a cookie needs a session proof to send money, and to create
   * credentials that can send money, such as an API key.
   */
  issueProof(sessionId: string): { readonly proof: string; readonly expiresAt: Date }
  /** Decides whether a text is an unexpired session proof of this session. */
  isProof(text: string, sessionId: string): boolean
  /** Issues a new refresh token of a session. Only the hash of the refresh token is stored. */
  issueRefresh(sessionId: string): string
  /**
   * Returns the session for which a refresh token was issued; undefined if we did not issue the refresh
   * token.
   */
  readRefresh(token: string): string | undefined
}

/**
 * Returns the functions that issue and verify tokens under a secret.
 * @throws TypeError if the secret has fewer than 32 bytes (RFC 7518, section 3.2: a key as long as the hash).
 */
export function openTokens({ jwtSecret, clock }: TokenParts): Tokens {
  const bytes = Buffer.from(jwtSecret.reveal(), 'utf8')
  if (bytes.length < 32) throw new TypeError('JWT_SECRET must have at least 32 bytes')
  const signing = createSecretKey(bytes)
  const refreshing = deriveKey(bytes, 'coffer/refresh-token')
  const csrf = deriveKey(bytes, 'coffer/csrf-token')
  const proving = deriveKey(bytes, 'coffer/session-proof')
  return {
    issue: (session, expiresAt) => issueJwt(signing, clock, session, expiresAt),
    read: (token) => readJwt(signing, clock, token),
    csrfTokenOf: (sessionId) => createHmac('sha256', csrf).update(sessionId).digest('base64url'),
    issueProof(sessionId) {
      const expiresAt = new Date(clock.now().getTime() + limits.sessionProofMs)
      return { proof: proofOf(proving, sessionId, expiresAt.getTime()), expiresAt }
    },
    isProof: (text, sessionId) => isProof(proving, clock.now(), { text, sessionId }),
    issueRefresh(sessionId) {
      const body = Buffer.concat([Buffer.from(sessionId.replaceAll('-', ''), 'hex'), randomBytes(32)])
      return refreshPrefix + Buffer.concat([body, refreshTag(refreshing, body)]).toString('base64url')
    },
    readRefresh: (token) => readRefresh(refreshing, token),
  }
}

/** Returns the stored hash of a refresh token. */
export function refreshHash(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Returns a session proof: its expiry in milliseconds since 1970, and a MAC over session and expiry. */
function proofOf(key: KeyObject, sessionId: string, untilMs: number): string {
  const tag = createHmac('sha256', key).update(`${sessionId} ${untilMs}`).digest('base64url')
  return `${untilMs}.${tag}`
}

function isProof(
  key: KeyObject,
  now: Date,
  { text, sessionId }: { readonly text: string; readonly sessionId: string },
): boolean {
  const untilMs = Number(/^(\d{13})\.[A-Za-z0-9_-]{43}$/.exec(text)?.[1] ?? 0)
  if (untilMs <= now.getTime()) return false
  return timingSafeEqual(Buffer.from(text), Buffer.from(proofOf(key, sessionId, untilMs)))
}

function issueJwt(key: KeyObject, clock: Clock, session: Session, expiresAt: Date): Promise<string> {
  const now = secondsOf(clock.now())
  return new SignJWT({})
    .setProtectedHeader({ alg: algorithm, typ })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(session.accountId)
    .setJti(session.id)
    .setIssuedAt(now)
    .setNotBefore(now)
    .setExpirationTime(secondsOf(expiresAt < session.expiresAt ? expiresAt : session.expiresAt))
    .sign(key)
}

async function readJwt(key: KeyObject, clock: Clock, token: string) {
  if (token.length > 1024) return undefined
  try {
    const { payload, protectedHeader } = await jwtVerify(token, key, {
      algorithms: [algorithm],
      issuer,
      audience,
      typ,
      requiredClaims: ['sub', 'jti', 'iat', 'nbf', 'exp'],
      currentDate: clock.now(),
      clockTolerance: clockToleranceS,
    })
    // Only the headers `alg` and `typ` are accepted. Our tokens have no header that names keys or links, such
    // as kid, jku or x5u (RFC 8725, section 3.10).
    if (Object.keys(protectedHeader).length !== 2) return undefined
    const [header = '', claims = ''] = token.split('.')
    if (!isWrittenAs(header, protectedHeader) || !isWrittenAs(claims, payload)) return undefined
    const { sub, jti } = payload
    if (sub === undefined || jti === undefined || !isId(sub) || !isId(jti)) return undefined
    return { accountId: sub, sessionId: jti }
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
    throw error
  }
}

/**
 * Decides whether a part of the token is exactly the JSON that we write for `value`. The check refuses JSON
 * with a duplicate name, which we never write and which parsers read differently (RFC 7519, section 4).
 */
function isWrittenAs(part: string, value: object): boolean {
  return Buffer.from(part, 'base64url').toString('utf8') === JSON.stringify(value)
}

function secondsOf(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}

const refreshPrefix = 'cr_'
const refreshBodyBytes = 48
const refreshTagBytes = 16

/**
 * Returns the MAC of a refresh token. The MAC proves that we issued the token. Only the hash of a session's
 * newest refresh token is stored, and the use of an older one ends the session. Without the MAC, anyone who
 * knows a session's id could end the session with an invented token.
 */
function refreshTag(key: KeyObject, body: Uint8Array): Buffer {
  return createHmac('sha256', key).update(body).digest().subarray(0, refreshTagBytes)
}

function readRefresh(key: KeyObject, token: string): string | undefined {
  if (!/^cr_[A-Za-z0-9_-]{86}$/.test(token)) return undefined
  const bytes = Buffer.from(token.slice(refreshPrefix.length), 'base64url')
  if (bytes.length !== refreshBodyBytes + refreshTagBytes) return undefined
  const body = bytes.subarray(0, refreshBodyBytes)
  if (!timingSafeEqual(refreshTag(key, body), bytes.subarray(refreshBodyBytes))) return undefined
  const hex = body.toString('hex', 0, 16)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
