/**
 * Blocks of Bitcoin Core and its kin as bytes (BIP 144; Litecoin's MWEB; Dogecoin's merged mining). Everything read is
 * bound to the block's hash: the hash is that of the header, the header states the root of a tree over the ids of all
 * transactions, and each id is the hash of its transaction. So a node cannot leave out or change what was paid.
 */
import { createHash } from 'node:crypto'
import { NodeError, type SpentOutpoint } from '../../port.ts'
import { ByteReader } from './byte-reader.ts'

export interface RawOutput {
  readonly script: Uint8Array
  readonly amountMinor: bigint
}

export interface RawInput {
  /** The output it spends: "<txid>:<place>". */
  readonly outpoint: string
  readonly script: Uint8Array
  readonly witness: readonly Uint8Array[]
}

export interface RawTransaction {
  readonly txid: string
  /** Its bytes without witnesses, in pieces: those of which the id is the hash. */
  readonly pieces: readonly Uint8Array[]
  /** Whether it pays a block's miner and spends nothing. */
  readonly isCoinbase: boolean
  /** Whether it moves coins out of Litecoin's extension block (MWEB). */
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
/** In a header's version: the proof of work is in a block of another coin, told after the header. */
const auxPowBit = 0x100

/** Reads a block whose hash must be `hash`. @throws NodeError where the bytes are not that block, whole and unaltered */
export function readRawBlock(hex: string, hash: string, hasAuxPow: boolean): RawBlock {
  const reader = new ByteReader(Buffer.from(hex, 'hex'))
  const header = reader.bytes(headerBytes)
  if (spellHash(sha256d(header)) !== hash) throw new NodeError(`the bytes of block ${hash} are of another`)
  if (hasAuxPow && (header.readUInt32LE(0) & auxPowBit) !== 0) skipAuxPow(reader)
  const transactions = Array.from({ length: reader.count() }, () => readTransaction(reader))
  const isExtended = transactions.at(-1)?.isHogEx === true
  if (!isExtended && !reader.isAtEnd) throw new NodeError(`block ${hash} has more bytes than it says`)
  requireRoot(transactions, header.subarray(36, 68), hash)
  return {
    hash,
    parentHash: spellHash(header.subarray(4, 36)),
    minedAt: new Date(header.readUInt32LE(68) * 1000),
    transactions,
  }
}

/** Reads one transaction alone. @throws NodeError unless it is all there is */
export function readRawTransaction(hex: string): RawTransaction {
  const reader = new ByteReader(Buffer.from(hex, 'hex'))
  const transaction = readTransaction(reader)
  if (!reader.isAtEnd) throw new NodeError(`transaction ${transaction.txid} has more bytes than it says`)
  return transaction
}

/** A coinbase spends nothing: the outpoint it names is a sign of that. */
export function spentBy({ txid, isCoinbase, inputs }: RawTransaction): readonly SpentOutpoint[] {
  return isCoinbase ? [] : inputs.map(({ outpoint }) => ({ outpoint, txHash: txid }))
}

/** Flags after the marker of BIP 144: witnesses, and Litecoin's sign of what belongs to an extension block. */
const witnessFlag = 1
const mwebFlag = 8

function readTransaction(reader: ByteReader): RawTransaction {
  const version = reader.bytes(4)
  const isMarked = reader.peek() === 0
  const flags = isMarked ? (reader.bytes(2)[1] ?? 0) : 0
  if ((flags & ~(witnessFlag | mwebFlag)) !== 0) throw new NodeError('a transaction is of an unknown form')
  const start = reader.position
  const spent = Array.from({ length: reader.count() }, () => readInput(reader))
  const outputs = Array.from({ length: reader.count() }, () => readOutput(reader))
  const body = reader.since(start)
  const witnesses = (flags & witnessFlag) === 0 ? [] : spent.map(() => readWitness(reader))
  const isHogEx = (flags & mwebFlag) !== 0
  if (isHogEx && reader.bytes(1)[0] !== 0)
    throw new NodeError('a transaction of an extension block lies outside')
  const lockTime = reader.bytes(4)
  const inputs = spent.map((input, place) => ({ ...input, witness: witnesses[place] ?? [] }))
  const pieces = [version, body, lockTime]
  return {
    txid: spellHash(sha256d(...pieces)),
    pieces,
    isCoinbase: inputs.length === 1 && inputs[0]?.outpoint.startsWith(noTx) === true,
    isHogEx,
    inputs,
    outputs,
  }
}

function readInput(reader: ByteReader): Omit<RawInput, 'witness'> {
  const outpoint = `${spellHash(reader.bytes(32))}:${reader.bytes(4).readUInt32LE(0)}`
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

/** The other coin's first transaction, its place there, ours in it, and the other coin's header. */
function skipAuxPow(reader: ByteReader): void {
  readTransaction(reader)
  reader.bytes(32)
  for (let branch = 0; branch < 2; branch += 1) {
    reader.bytes(32 * reader.count())
    reader.bytes(4)
  }
  reader.bytes(headerBytes)
}

/** Two transactions of one id would let a block be told in two ways under one root (CVE-2012-2459). */
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
    throw new NodeError(`the transactions of block ${hash} are not those its header states`)
}

function sha256d(...parts: readonly Uint8Array[]): Buffer {
  const inner = createHash('sha256')
  for (const part of parts) inner.update(part)
  return createHash('sha256').update(inner.digest()).digest()
}

/** Hashes are written backwards. */
function spellHash(bytes: Uint8Array): string {
  return Buffer.from(bytes).reverse().toString('hex')
}
