import { createSecretKey, type KeyObject } from 'node:crypto'
import { open } from 'node:fs/promises'

/** Something the signer needs is not as it must be; the message says what to do. */
export class SignerSetupError extends Error {
  override readonly name = 'SignerSetupError'
}

const bytesMax = 64 * 1024

/**
 * Reads a small file that nobody else may read.
 * @param allowed the bits of its mode that are fine: 0o600, or 0o640 for what a group shares
 * @throws SignerSetupError saying what is wrong with it
 */
export async function readPrivateFile(path: string, what: string, allowed = 0o600): Promise<string> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new SignerSetupError(
      `The ${what} ${path} cannot be read (${error.code}): does it exist, and is it this user's?`,
    )
  })
  try {
    const { mode, size } = await file.stat()
    if ((mode & 0o777 & ~(allowed | 0o100)) !== 0) {
      throw new SignerSetupError(
        `Others may read the ${what} ${path}: "chmod ${allowed.toString(8)} ${path}"`,
      )
    }
    if (size > bytesMax) throw new SignerSetupError(`The ${what} ${path} is far too long`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

/** A passphrase is the file's first line; it may end with the line's end or without. */
export async function readPassphrase(path: string, charsMin: number): Promise<string> {
  const [passphrase = ''] = (await readPrivateFile(path, 'passphrase file')).split(/\r?\n/)
  if (passphrase.length >= charsMin) return passphrase
  throw new SignerSetupError(`The passphrase in ${path} must have ${charsMin} characters or more`)
}

/** The key under which payments are approved: 64 hex digits, read by the signer and by the payouts role. */
export async function readIntentKey(path: string): Promise<KeyObject> {
  const text = (await readPrivateFile(path, 'intent key', 0o640)).trim()
  if (/^[0-9a-f]{64}$/i.test(text)) return createSecretKey(Buffer.from(text, 'hex'))
  throw new SignerSetupError(`The intent key ${path} must be 64 hex digits, as "openssl rand -hex 32" prints`)
}
