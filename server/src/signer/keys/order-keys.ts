/** Files of the keys of orders: a private one that only the role api reads, a public one for payouts and signer. */
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
  /** Seeds in hex, one a line, the one that signs first. */
  readonly orderKey: string
  /** Public keys in hex, one a line. */
  readonly orderPublicKeys: string
}

const publicMode = 0o644

/** @throws SignerSetupError where the file is missing, is none, or can be read by others */
export async function readOrderSigner(path: string): Promise<OrderSigner> {
  const [seed] = await readSeeds(path)
  return orderSigner(seed)
}

/** @throws SignerSetupError where the file is missing or is none, or can be written by others */
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
 * Makes the private file where it is missing, and writes the public one of all its keys. One that is there keeps its keys:
 * what was made by a key that the private file no longer has still counts until its line is taken out by hand.
 * @returns the public keys, in the order of the private file
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
 * Puts a new key before the others in the private file, which must be there. The public file gets it first: a key that
 * signs without being known would halt payouts.
 * @returns the public keys, the new one first
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

/** Of a public file that may not be there yet. */
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

/** In one step, with its mode from the moment it has its name; a file that was there keeps its owner. */
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
