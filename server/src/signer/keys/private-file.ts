import { createSecretKey, type KeyObject } from 'node:crypto'
import { open } from 'node:fs/promises'

/**
 * Thrown if something that the signer needs is not set up correctly. The message says how to correct the
 * setup.
 */
export class SignerSetupError extends Error {
  override readonly name = 'SignerSetupError'
}

const bytesMax = 64 * 1024

/**
 * Reads a small file that other users must not be able to read.
 * @param allowed the permitted mode bits: 0o600, or 0o640 for a file that a group shares.
 * @throws SignerSetupError with a description of what is wrong.
 */
export async function readPrivateFile(path: string, what: string, allowed = 0o600): Promise<string> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new SignerSetupError(
      `The ${what} ${path} cannot be read (${error.code}): check that it exists and belongs to this user`,
    )
  })
  try {
    const { mode, size } = await file.stat()
    if ((mode & 0o777 & ~(allowed | 0o100)) !== 0) {
      throw new SignerSetupError(
        `The ${what} ${path} is readable by others: run "chmod ${allowed.toString(8)} ${path}"`,
      )
    }
    if (size > bytesMax) throw new SignerSetupError(`The ${what} ${path} is far too long`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

/**
 * Returns the passphrase, which is the first line of the file, with or without a line end.
 * @throws SignerSetupError if the passphrase is shorter than `charsMin`.
 */
export async function readPassphrase(path: string, charsMin: number): Promise<string> {
  const [passphrase = ''] = (await readPrivateFile(path, 'passphrase file')).split(/\r?\n/)
  if (passphrase.length >= charsMin) return passphrase
  throw new SignerSetupError(`The passphrase in ${path} must have ${charsMin} characters or more`)
}

/**
 * Returns the key that authenticates approved payments. The file has 64 hex digits; the signer and the role
 * `payouts` read it.
 * @throws SignerSetupError if the file is not valid.
 */
export async function readIntentKey(path: string): Promise<KeyObject> {
  const text = (await readPrivateFile(path, 'intent key', 0o640)).trim()
  if (/^[0-9a-f]{64}$/i.test(text)) return createSecretKey(Buffer.from(text, 'hex'))
  throw new SignerSetupError(`The intent key ${path} must be 64 hex digits, as "openssl rand -hex 32" prints`)
}
