/**
 * Rebuilds the bytes of a transaction from the fields that a node reports. The transaction's hash and signer
 * are then computed from the bytes.
 */
import { type Fields, fieldsOf } from '../../json-rpc.ts'
import { NodeError } from '../../port.ts'
import { bytesField, countField } from './bytes.ts'
import { keccakOfHex } from './keccak.ts'
import { encodeRlp, hexOfCount, type RlpItem } from './rlp.ts'
import { signerOf } from './signed-by.ts'
import { canonicalType, FieldReader, transactionType } from './transaction-types.ts'

/**
 * Encodes a transaction as it was signed, or as the chain added it.
 * @returns the bytes in hex without 0x
 * @throws NodeError if the bytes do not have the stated hash
 */
export function encodeTransaction(answer: unknown): string {
  const fields = fieldsOf(answer)
  const encoded = encodedOf(fields)
  if (keccakOfHex(encoded) === fields['hash']) return encoded
  throw new NodeError(`transaction ${String(fields['hash'])} does not have that hash`)
}

/**
 * Returns the account that authorised a transaction: the signer, recovered from the signature, or the sender of
 * a transaction that the chain adds for it. Returns undefined if the signature is invalid, or if the
 * transaction pays nothing and has no signature.
 * @throws NodeError if the transaction does not have the stated hash
 */
export function signerOfTransaction(answer: unknown): string | undefined {
  const fields = fieldsOf(answer)
  const { type, r, s, v } = fields
  const { isSigned, pays, items: itemsOf } = transactionType(type)
  if (itemsOf === undefined || (!isSigned && !pays)) return undefined
  encodeTransaction(answer)
  // The rules of the chain let only the sender cause such a transaction, and its hash covers the sender.
  if (!isSigned) return String(fields['from']).toLowerCase()
  const items = itemsOf(new FieldReader(fields))
  const signature = { r: BigInt(String(r)), s: BigInt(String(s)) }
  if (!isLegacy(type)) {
    const digest = keccakOfHex(typed(type, items))
    return signerOf(digest, { ...signature, yParity: Number(fields['yParity'] ?? v) })
  }
  const stated = BigInt(String(v))
  // By EIP-155, a legacy signature with v from 35 on covers the chain id. A legacy signature with a lower v
  // is valid on every chain.
  const [chain, parity] =
    stated < 35n ? [undefined, stated - 27n] : [(stated - 35n) / 2n, (stated - 35n) % 2n]
  const ofChain = chain === undefined ? [] : [hexOfCount(chain), '', '']
  return signerOf(keccakOfHex(encodeRlp([...items, ...ofChain])), {
    ...signature,
    yParity: Number(parity),
  })
}

/** Encodes a transaction or receipt. The bytes begin with its type, except for the legacy type (EIP-2718). */
export function typed(type: unknown, items: readonly RlpItem[]): string {
  const encoded = encodeRlp(items)
  return isLegacy(type) ? encoded : countField(type, 'type') + encoded
}

function encodedOf(fields: Fields): string {
  const { type } = fields
  const { isSigned, items } = transactionType(type)
  if (items === undefined) return rawOf(fields)
  const signature = isSigned ? signatureOf(fields) : []
  return typed(type, [...items(new FieldReader(fields)), ...signature])
}

/**
 * Returns the encoded bytes as the node reports them. They must begin with the stated type. Otherwise a node
 * could state this type for a payment, and so keep it from being checked as one.
 */
function rawOf({ type, hash, raw }: Fields): string {
  const bytes = bytesField(raw, `bytes of transaction ${String(hash)}`)
  if (Number.parseInt(bytes.slice(0, 2), 16) === Number(canonicalType(type))) return bytes
  throw new NodeError(`transaction ${String(hash)} does not have the type that the node states`)
}

function signatureOf(fields: Fields): readonly RlpItem[] {
  const { type, r, s, v } = fields
  const parity = isLegacy(type) ? v : (fields['yParity'] ?? v)
  return [countField(parity, 'parity'), countField(r, 'r'), countField(s, 's')]
}

function isLegacy(type: unknown): boolean {
  return canonicalType(type) === '0x0'
}
