/**
 * What the signer vouches for beside transactions: heads of the sealed history that it countersigned, and halts that were
 * lifted on its host. Signed with Ed25519, by a key of its seed that signs nothing else.
 */
import { createPublicKey, verify } from 'node:crypto'

/** How far the sealed history came, in one life of the database. */
export interface SealHead {
  /** The id of the database's incarnation. */
  readonly incarnation: string
  readonly sequence: number
  /** Of the seal, in hex. */
  readonly hash: string
}

/** An operator's word, given on the signer's host, that a halt is over. */
export interface HaltLift {
  readonly haltId: string
  readonly reason: string
  /** ISO 8601. */
  readonly at: string
  /** A new incarnation of the database that is opened with it; null where its history goes on. */
  readonly incarnation: string | null
}

/** A lift, and who said it. */
export interface SignedLift {
  readonly lift: HaltLift
  /** What was signed. */
  readonly statement: string
  /** In hex. */
  readonly signature: string
}

/** What is signed for a head. */
export function sealHeadStatement({ incarnation, sequence, hash }: SealHead): string {
  return JSON.stringify(['coffer/signer/seal-head/1', incarnation, sequence, hash])
}

/** What is signed for a lift. */
export function liftStatement({ haltId, reason, at, incarnation }: HaltLift): string {
  return JSON.stringify([liftName, haltId, reason, at, incarnation])
}

const liftName = 'coffer/signer/lift/1'

/** Whether the signer with that key (32 bytes in hex) signed a statement; false for what is no key or no signature. */
export function isSigned(publicKey: string, statement: string, signature: string): boolean {
  if (!/^[0-9a-f]{64}$/.test(publicKey) || !/^[0-9a-f]{128}$/.test(signature)) return false
  const key = createPublicKey({
    key: Buffer.from(`${spkiPrefix}${publicKey}`, 'hex'),
    format: 'der',
    type: 'spki',
  })
  return verify(null, Buffer.from(statement), key, Buffer.from(signature, 'hex'))
}

/** RFC 8410: what stands before the 32 bytes of an Ed25519 key. */
const spkiPrefix = '302a300506032b6570032100'

/** A lift as one line, which people copy from the signer's host to Coffer's. */
export function liftLine({ statement, signature }: Pick<SignedLift, 'statement' | 'signature'>): string {
  return `${linePrefix}${Buffer.from(statement).toString('base64url')}.${signature}`
}

const linePrefix = 'coffer-lift.'

/** Whether a word is meant to be a lift's line, whole or not. */
export function isLiftLine(text: string): boolean {
  return text.startsWith(linePrefix)
}

/** Reads a lift's line; undefined where it is none. Whose signature it is remains to be looked at. */
export function readLiftLine(line: string): SignedLift | undefined {
  const [, encoded, signature] = /^coffer-lift\.([A-Za-z0-9_-]{1,4000})\.([0-9a-f]{128})$/.exec(line) ?? []
  if (encoded === undefined || signature === undefined) return undefined
  const statement = Buffer.from(encoded, 'base64url').toString('utf8')
  const lift = readLift(statement)
  return lift === undefined ? undefined : { lift, statement, signature }
}

/** What a statement says; undefined where it is no lift, or is not spelled as one is signed. */
function readLift(statement: string): HaltLift | undefined {
  const fields = jsonOf(statement)
  if (!Array.isArray(fields) || fields.length !== 5 || fields[0] !== liftName) return undefined
  const [, haltId, reason, at, incarnation] = fields as unknown[]
  if (typeof haltId !== 'string' || typeof reason !== 'string' || typeof at !== 'string') return undefined
  if (incarnation !== null && typeof incarnation !== 'string') return undefined
  const lift = { haltId, reason, at, incarnation }
  return liftStatement(lift) === statement ? lift : undefined
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
