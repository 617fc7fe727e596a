/** The tokens themselves: what is signed, and what a presented one must prove. Whether its session lives is the store's. */
import {
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
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
// Nodes' clocks may differ by this much; the session's own end is judged by the database.
const clockToleranceS = 5

export interface TokenParts {
  readonly jwtSecret: Secret
  readonly clock: Clock
}

export interface Tokens {
  /** A JWT for `session` that ends with it, or at `expiresAt` if that is earlier. */
  issue(session: Session, expiresAt: Date): Promise<string>
  /** Whose token it is; undefined unless it is one of ours, unaltered and in its time. */
  read(token: string): Promise<{ readonly sessionId: string; readonly accountId: string } | undefined>
  /** What a page must send along to change anything with the cookie of this session. */
  csrfTokenOf(sessionId: string): string
  /** What lets a page of this session do for a while what needs more than its cookie. */
  issueProof(sessionId: string): { readonly proof: string; readonly expiresAt: Date }
  /** Whether a text is a proof of this session that has not expired. */
  isProof(text: string, sessionId: string): boolean
  /** A new refresh token of a session. Only its hash is stored. */
  issueRefresh(sessionId: string): string
  /** The session a refresh token was once issued for; undefined when we never issued it. */
  readRefresh(token: string): string | undefined
}

/** @throws TypeError when the secret has fewer than 32 bytes (RFC 7518, section 3.2: a key as long as the hash). */
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

/** What is stored of a refresh token. */
export function refreshHash(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Until when it holds, in milliseconds since 1970, and a tag over that and the session. */
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
    // A header that names keys or links (kid, jku, x5u) is none of ours (RFC 8725, section 3.10).
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

/** Text that says a name twice reads differently to different parsers (RFC 7519, section 4); ours never does. */
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
 * The tag makes the token's session believable although only the hash of the newest token is stored: a reused old one
 * ends its session, an invented one ends nobody's.
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
