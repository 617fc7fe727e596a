/**
 * Parses raw blocks of Bitcoin Core and its forks, including SegWit (BIP 144), Litecoin's MWEB and Dogecoin's
 * merged mining. The block's hash proves all parsed data except witnesses. This hash covers the header, which
 * holds the Merkle root of all transaction ids. Each id is the hash of its transaction without witnesses. So
 * a node cannot omit or change a payment.
 */
import { createHash } from 'node:crypto'
import { NodeError, type SpentOutpoint } from '../../port.ts'
import { ByteReader } from './byte-reader.ts'

export interface RawOutput {
  readonly script: Uint8Array
  readonly amountMinor: bigint
}

export interface RawInput {
  /** The output that the input spends: "<txid>:<vout>". */
  readonly outpoint: string
  readonly script: Uint8Array
  readonly witness: readonly Uint8Array[]
}

export interface RawTransaction {
  readonly txid: string
  /** The transaction's bytes without witnesses, in pieces. The hash of all pieces together is `txid`. */
  readonly chunks: readonly Uint8Array[]
  /** Whether the transaction pays the miner of its block and spends nothing. */
  readonly isCoinbase: boolean
  /** Whether the transaction moves coins out of Litecoin's extension block (MWEB). */
  readonly isHogEx: boolean
  readonly inputs: readonly RawInput[]
  readonly outputs: readonly RawOutput[]
}

export interface RawBlock {
  readonly hash: string
  readonly parentHash: string
  readonly minedAt: Date
  readonly transactions: readonly RawTransaction[]
}

const headerBytes = 80
const noTx = '0'.repeat(64)
/**
 * A bit of the header's version. If the bit is set, the proof of work is in another coin's block, and data of
 * that block follows the header (merged mining).
 */
const auxPowBit = 0x100

/**
 * Parses the block whose hash is `hash`.
 * @throws NodeError if the bytes are not this block, complete and unaltered
 */
export function readRawBlock(hex: string, hash: string, hasAuxPow: boolean): RawBlock {
  const reader = new ByteReader(Buffer.from(hex, 'hex'))
  const header = reader.bytes(headerBytes)
  if (displayHash(sha256d(header)) !== hash)
    throw new NodeError(`the bytes of block ${hash} belong to another block`)
  if (hasAuxPow && (header.readUInt32LE(0) & auxPowBit) !== 0) skipAuxPow(reader)
  const transactions = Array.from({ length: reader.count() }, () => readTransaction(reader))
  const isExtended = transactions.at(-1)?.isHogEx === true
  if (!isExtended && !reader.isAtEnd) throw new NodeError(`block ${hash} has more bytes than it states`)
  requireRoot(transactions, header.subarray(36, 68), hash)
  return {
    hash,
    parentHash: displayHash(header.subarray(4, 36)),
    minedAt: new Date(header.readUInt32LE(68) * 1000),
    transactions,
  }
}

/** Parses a single transaction. @throws NodeError unless the bytes are exactly one transaction */
export function readRawTransaction(hex: string): RawTransaction {
  const reader = new ByteReader(Buffer.from(hex, 'hex'))
  const transaction = readTransaction(reader)
  if (!reader.isAtEnd) throw new NodeError(`transaction ${transaction.txid} has more bytes than it states`)
  return transaction
}

/**
 * Returns the outpoints that a transaction spends. A coinbase spends nothing: its outpoint is only a
 * placeholder.
 */
export function spentBy({ txid, isCoinbase, inputs }: RawTransaction): readonly SpentOutpoint[] {
  return isCoinbase ? [] : inputs.map(({ outpoint }) => ({ outpoint, txHash: txid }))
}

/**
 * Bits of the flag byte of BIP 144: `witnessFlag` for witnesses, `mwebFlag` for Litecoin's extension block.
 */
const witnessFlag = 1
const mwebFlag = 8

function readTransaction(reader: ByteReader): RawTransaction {
  const version = reader.bytes(4)
  const isMarked = reader.peek() === 0
  const flags = isMarked ? (reader.bytes(2)[1] ?? 0) : 0
  if ((flags & ~(witnessFlag | mwebFlag)) !== 0) throw new NodeError('a transaction has an unknown form')
  const start = reader.position
  const spent = Array.from({ length: reader.count() }, () => readInput(reader))
  const outputs = Array.from({ length: reader.count() }, () => readOutput(reader))
  const body = reader.since(start)
  const witnesses = (flags & witnessFlag) === 0 ? [] : spent.map(() => readWitness(reader))
  const isHogEx = (flags & mwebFlag) !== 0
  if (isHogEx && reader.bytes(1)[0] !== 0)
    throw new NodeError('a transaction of an extension block lies outside')
  const lockTime = reader.bytes(4)
  const inputs = spent.map((input, index) => ({ ...input, witness: witnesses[index] ?? [] }))
  const chunks = [version, body, lockTime]
  return {
    txid: displayHash(sha256d(...chunks)),
    chunks,
    isCoinbase: inputs.length === 1 && inputs[0]?.outpoint.startsWith(noTx) === true,
    isHogEx,
    inputs,
    outputs,
  }
}

function readInput(reader: ByteReader): Omit<RawInput, 'witness'> {
  const outpoint = `${displayHash(reader.bytes(32))}:${reader.bytes(4).readUInt32LE(0)}`
  const script = reader.bytes(reader.count())
  reader.bytes(4)
  return { outpoint, script }
}

function readOutput(reader: ByteReader): RawOutput {
  const amountMinor = reader.bytes(8).readBigUInt64LE(0)
  return { amountMinor, script: reader.bytes(reader.count()) }
}

function readWitness(reader: ByteReader): readonly Uint8Array[] {
  return Array.from({ length: reader.count() }, () => reader.bytes(reader.count()))
}

/**
 * Skips the AuxPoW data of a merge-mined block: the parent block's coinbase transaction and hash, two Merkle
 * branches, and the parent block's header. The first branch leads from the coinbase transaction to the parent
 * block's Merkle root; the second leads from our block to the coinbase transaction.
 */
function skipAuxPow(reader: ByteReader): void {
  readTransaction(reader)
  reader.bytes(32)
  for (let branch = 0; branch < 2; branch += 1) {
    reader.bytes(32 * reader.count())
    reader.bytes(4)
  }
  reader.bytes(headerBytes)
}

/**
 * Checks the transactions against the header's Merkle root. Duplicate ids are rejected, because a block that
 * repeats transactions can have the same root as another block (CVE-2012-2459).
 */
function requireRoot(transactions: readonly RawTransaction[], root: Buffer, hash: string): void {
  const ids = transactions.map(({ txid }) => txid)
  if (new Set(ids).size < ids.length) throw new NodeError(`block ${hash} holds a transaction twice`)
  let level: readonly Buffer[] = ids.map((txid) => Buffer.from(txid, 'hex').reverse())
  while (level.length > 1) {
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, pair) => {
      const left = level[2 * pair] ?? root
      return sha256d(left, level[2 * pair + 1] ?? left)
    })
  }
  if (level[0]?.equals(root) !== true)
    throw new NodeError(`the transactions of block ${hash} do not match the root in its header`)
}

function sha256d(...parts: readonly Uint8Array[]): Buffer {
  const inner = createHash('sha256')
  for (const part of parts) inner.update(part)
  return createHash('sha256').update(inner.digest()).digest()
}

/** Returns a hash in hex with its bytes reversed, which is how Bitcoin software shows hashes. */
function displayHash(bytes: Uint8Array): string {
  return Buffer.from(bytes).reverse().toString('hex')
}
