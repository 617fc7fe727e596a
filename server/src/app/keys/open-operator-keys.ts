import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createDurably } from '../../core/durable-file.ts'
import { xpubFingerprint } from '../../core/xpub-fingerprint.ts'
import { readingParts, writingParts } from '../../pricing/own-rows/operator-key.ts'
import type { ReadingParts } from '../../pricing/own-rows/own-rows.ts'
import { readPrivateFile } from '../../signer/keys/private-file.ts'
import { orderKeyBytes, orderPublicKey } from '../../signing/order-signature.ts'
import type { Config } from '../settings/config.ts'

type OperatorKeyConfig = Pick<Config, 'mode' | 'dataDir' | 'operatorKeyFile' | 'operatorPublicKeys'>

/** Returns the path of the file with the key that signs the operator's own networks and tokens. */
export function operatorKeyFileOf({ dataDir, operatorKeyFile }: OperatorKeyConfig): string {
  return operatorKeyFile ?? join(dataDir, 'operator.key')
}

/**
 * Creates the key file with mode 0600 if it is missing. Returns the public key in hex.
 * @throws SignerSetupError if the file has no key, or can be read by others
 */
export async function prepareOperatorKey(config: OperatorKeyConfig): Promise<string> {
  const path = operatorKeyFileOf(config)
  await mkdir(dirname(path), { recursive: true })
  await createDurably(path, `${randomBytes(orderKeyBytes).toString('hex')}\n`)
  return orderPublicKey(await readSeed(path)).toString('hex')
}

/**
 * Returns what verifies the operator's entries. A sandbox without OPERATOR_PUBLIC_KEYS accepts the key of its
 * data folder, which it creates if it is missing.
 * @param xpub the account xpub of the EVM networks, which identifies the installation
 */
export async function openOperatorVerifier(config: OperatorKeyConfig, xpub: string): Promise<ReadingParts> {
  return readingParts(await publicKeysOf(config), xpubFingerprint(xpub))
}

/**
 * Returns what signs the operator's entries.
 * @throws Error if running processes would not accept the signature
 */
export async function openOperatorSigner(config: OperatorKeyConfig, xpub: string) {
  const seed = await readSeed(operatorKeyFileOf(config))
  const own = orderPublicKey(seed)
  const accepted = await publicKeysOf(config)
  if (!accepted.some((key) => key.equals(own)))
    throw new Error(
      `OPERATOR_PUBLIC_KEYS does not contain the key ${own.toString('hex')} of ${operatorKeyFileOf(config)}, so no process would accept the signature: add it for all processes and restart them`,
    )
  return writingParts(seed, accepted, xpubFingerprint(xpub))
}

export type OperatorSigner = Awaited<ReturnType<typeof openOperatorSigner>>

async function publicKeysOf(config: OperatorKeyConfig): Promise<readonly Buffer[]> {
  const { mode, operatorPublicKeys } = config
  const keys =
    mode === 'sandbox' && operatorPublicKeys.length === 0
      ? [await prepareOperatorKey(config)]
      : operatorPublicKeys
  return keys.map((key) => Buffer.from(key, 'hex'))
}

async function readSeed(path: string): Promise<Buffer> {
  const text = (await readPrivateFile(path, 'operator key')).trim()
  if (/^[0-9a-f]{64}$/.test(text)) return Buffer.from(text, 'hex')
  throw new Error(`The operator key ${path} must be 64 hex digits, as "coffer networks key" writes it`)
}
