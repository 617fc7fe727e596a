/**
 * Statements that the signer signs in addition to transactions. A statement either countersigns a head (the
 * last hash of the sealed history) or lifts a halt. Statements are signed with Ed25519. The key is derived
 * from the signer's seed and signs nothing else.
 */
import { createPublicKey, verify } from 'node:crypto'

/**
 * The end (head) of the sealed history in one incarnation of the database, that is, one era of its history.
 */
export interface SealHead {
  /** The id of the incarnation. */
  readonly databaseId: string
  readonly sequence: number
  /** The hash of the seal, in hex. */
  readonly hash: string
}

/** A statement that lifts a halt. An operator makes it on the signer's host. */
export interface HaltLift {
  readonly haltId: string
  readonly reason: string
  /** The time of the statement, in ISO 8601. */
  readonly at: string
  /**
   * The incarnation of the database that begins with this statement; null if the old incarnation continues.
   */
  readonly databaseId: string | null
}

/** A statement that lifts a halt, with the signature of the signer's statement key. */
export interface SignedLift {
  readonly lift: HaltLift
  /** The text that was signed. */
  readonly statement: string
  /** The signature of `statement`, in hex. */
  readonly signature: string
}

/** Returns the text that is signed to countersign a head. */
export function sealHeadStatement({ databaseId, sequence, hash }: SealHead): string {
  return JSON.stringify(['coffer/signer/seal-head/1', databaseId, sequence, hash])
}

/** Returns the text that is signed to lift a halt. */
export function liftStatement({ haltId, reason, at, databaseId }: HaltLift): string {
  return JSON.stringify([liftName, haltId, reason, at, databaseId])
}

const liftName = 'coffer/signer/lift/1'

/**
 * Decides whether the signer with this public key (32 bytes in hex) signed a statement. Returns false if the
 * key or the signature is malformed.
 */
export function isSigned(publicKey: string, statement: string, signature: string): boolean {
  if (!/^[0-9a-f]{64}$/.test(publicKey) || !/^[0-9a-f]{128}$/.test(signature)) return false
  const key = createPublicKey({
    key: Buffer.from(`${spkiPrefix}${publicKey}`, 'hex'),
    format: 'der',
    type: 'spki',
  })
  return verify(null, Buffer.from(statement), key, Buffer.from(signature, 'hex'))
}

/** The SPKI prefix before the 32 bytes of an Ed25519 key (RFC 8410). */
const spkiPrefix = '302a300506032b6570032100'

/**
 * Returns one line with a signed statement that lifts a halt. People copy this line from the signer's host to
 * Coffer's host.
 */
export function liftLine({ statement, signature }: Pick<SignedLift, 'statement' | 'signature'>): string {
  return `${linePrefix}${Buffer.from(statement).toString('base64url')}.${signature}`
}

const linePrefix = 'coffer-lift.'

/** Decides whether a text is meant to be the line that lifts a halt, although it may be incomplete. */
export function isLiftLine(text: string): boolean {
  return text.startsWith(linePrefix)
}

/**
 * Parses a line that lifts a halt. Returns undefined if the text is not such a line. Does not verify the
 * signature.
 */
export function readLiftLine(line: string): SignedLift | undefined {
  const [, encoded, signature] = /^coffer-lift\.([A-Za-z0-9_-]{1,4000})\.([0-9a-f]{128})$/.exec(line) ?? []
  if (encoded === undefined || signature === undefined) return undefined
  const statement = Buffer.from(encoded, 'base64url').toString('utf8')
  const lift = readLift(statement)
  return lift === undefined ? undefined : { lift, statement, signature }
}

/** Parses a statement that lifts a halt. Returns undefined for any other text or a non-canonical form. */
function readLift(statement: string): HaltLift | undefined {
  const fields = jsonOf(statement)
  if (!Array.isArray(fields) || fields.length !== 5 || fields[0] !== liftName) return undefined
  const [, haltId, reason, at, databaseId] = fields as unknown[]
  if (typeof haltId !== 'string' || typeof reason !== 'string' || typeof at !== 'string') return undefined
  if (databaseId !== null && typeof databaseId !== 'string') return undefined
  const lift = { haltId, reason, at, databaseId }
  return liftStatement(lift) === statement ? lift : undefined
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
