/**
 * The two files of the order keys. Only the role `api` reads the private file. The role `payouts` and the
 * signer read the public file.
 */
import { randomBytes } from 'node:crypto'
import { chmod, chown, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createDurably, exists, syncFolder } from '../../core/durable-file.ts'
import {
  type OrderSigner,
  type OrderVerifier,
  orderKeyBytes,
  orderPublicKey,
  orderSigner,
  orderVerifier,
} from '../../signing/order-signature.ts'
import { readPrivateFile, SignerSetupError } from './private-file.ts'

export interface OrderKeyFiles {
  /** Path of the private file: seeds in hex, one on each line. The first seed signs orders. */
  readonly orderKey: string
  /** Path of the public file: public keys in hex, one on each line. */
  readonly orderPublicKeys: string
}

const publicMode = 0o644

/**
 * Returns a signer of orders that uses the first key of the private file.
 * @throws SignerSetupError if the file is missing or invalid, or if others can read it.
 */
export async function readOrderSigner(path: string): Promise<OrderSigner> {
  const [seed] = await readSeeds(path)
  return orderSigner(seed)
}

/**
 * Returns a verifier of orders that accepts all keys of the public file.
 * @throws SignerSetupError if the file is missing or invalid, or if others can write to it.
 */
export async function readOrderVerifier(path: string): Promise<OrderVerifier> {
  const keys = keysIn(await readPrivateFile(path, 'public keys of orders', publicMode), path)
  try {
    return orderVerifier(keys)
  } catch (error) {
    throw new SignerSetupError(
      `The public keys of orders ${path} cannot be used: ${(error as Error).message}`,
    )
  }
}

/**
 * Creates the private file if it is missing, and writes the public keys of all its keys to the public file.
 * Keys that are already in the public file stay there. If a key is removed from the private file, the orders
 * signed by it therefore stay valid. They become invalid when somebody deletes the key's line in the public
 * file.
 * @returns the public keys, in the order of the private file.
 */
export async function prepareOrderKeys({
  orderKey,
  orderPublicKeys,
}: OrderKeyFiles): Promise<readonly string[]> {
  await createDurably(orderKey, lines([newSeed()]))
  const own = (await readSeeds(orderKey)).map((seed) => orderPublicKey(seed).toString('hex'))
  const known = await readKnown(orderPublicKeys)
  const wanted = lines([...own, ...known.filter((key) => !own.includes(key))])
  if (wanted !== lines(known)) await replaceDurably(orderPublicKeys, wanted, publicMode)
  return own
}

/**
 * Puts a new key first in the private file, which must exist. The public file gets the new key before the
 * private file does, because an order signed by an unknown key would halt payouts.
 * @returns the public keys, the new key first.
 */
export async function rotateOrderKeys(files: OrderKeyFiles): Promise<readonly string[]> {
  const seeds = [newSeed(), ...(await readSeeds(files.orderKey)).map((seed) => seed.toString('hex'))]
  const own = seeds.map((seed) => orderPublicKey(Buffer.from(seed, 'hex')).toString('hex'))
  const known = await readKnown(files.orderPublicKeys)
  await replaceDurably(
    files.orderPublicKeys,
    lines([...own, ...known.filter((key) => !own.includes(key))]),
    publicMode,
  )
  await replaceDurably(files.orderKey, lines(seeds), 0o600)
  return own
}

async function readSeeds(path: string): Promise<readonly [Buffer, ...Buffer[]]> {
  return keysIn(await readPrivateFile(path, 'key of orders'), path)
}

/** Returns the keys of the public file, or an empty list if the file does not exist yet. */
async function readKnown(path: string): Promise<readonly string[]> {
  if (!(await exists(path))) return []
  return keysIn(await readFile(path, 'utf8'), path).map((key) => key.toString('hex'))
}

function keysIn(text: string, path: string): readonly [Buffer, ...Buffer[]] {
  const [first, ...more] = text.split(/\r?\n/).filter((line) => line !== '')
  const isKey = (line: string) => new RegExp(`^[0-9a-f]{${2 * orderKeyBytes}}$`, 'i').test(line)
  if (first !== undefined && [first, ...more].every(isKey)) {
    return [Buffer.from(first, 'hex'), ...more.map((line) => Buffer.from(line, 'hex'))]
  }
  throw new SignerSetupError(
    `${path} must have lines of 64 hex digits, as "coffer keys order-key" writes them`,
  )
}

function newSeed(): string {
  return randomBytes(orderKeyBytes).toString('hex')
}

function lines(keys: readonly string[]): string {
  return keys.map((key) => `${key}\n`).join('')
}

/**
 * Replaces a file atomically. The new file has its final mode before it gets its final name. If the file
 * existed, its owner stays the same.
 */
async function replaceDurably(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  const former = (await exists(path)) ? await stat(path) : undefined
  try {
    await createDurably(draft, text)
    await chmod(draft, mode)
    if (former !== undefined) await chown(draft, former.uid, former.gid)
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
  await syncFolder(dirname(path))
}
