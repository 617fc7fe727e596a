import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'

/** Returns the Ed25519 private key that consists of 32 secret bytes. */
export function statementKeyOf(secret: KeyObject): KeyObject {
  const bytes = Buffer.concat([pkcs8Prefix, secret.export()])
  return createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' })
}

/** The bytes before the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Returns the public key of a private key for statements: 32 bytes, in hex. */
export function publicStatementKey(key: KeyObject): string {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')
}

/** Returns the signature of a statement in hex. The same statement always has the same signature. */
export function signStatement(key: KeyObject, statement: string): string {
  return sign(null, Buffer.from(statement), key).toString('hex')
}
