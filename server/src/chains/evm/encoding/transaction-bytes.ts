/**
 * Rebuilds the signed bytes of a transaction from the fields that a node reports. The transaction's hash and
 * signer are then computed from the bytes.
 */
import { type Fields, fieldsOf } from '../../json-rpc.ts'
import { NodeError } from '../../port.ts'
import { arrayOf } from '../answers.ts'
import { bytesField, countField, isAbsent, toHex } from './bytes.ts'
import { keccak256 } from './keccak.ts'
import { bytesOfCount, encodeRlp, type RlpItem } from './rlp.ts'
import { signerOf } from './signed-by.ts'

/** Encodes a transaction as it was signed. @throws NodeError if the bytes do not have the stated hash */
export function encodeTransaction(answer: unknown): Buffer {
  const fields = fieldsOf(answer)
  const { type, r, s, v, hash } = fields
  const parity = isLegacy(type) ? v : (fields['yParity'] ?? v)
  const signature = [countField(parity, 'parity'), countField(r, 'r'), countField(s, 's')]
  const encoded = typed(type, [...unsignedItems(fields), ...signature])
  if (toHex(keccak256(encoded)) === hash) return encoded
  throw new NodeError(`transaction ${String(hash)} does not have that hash`)
}

/**
 * Recovers the signer's address from a transaction's signature. Returns undefined if the signature is
 * invalid.
 * @throws NodeError if the transaction does not have the stated hash
 */
export function signerOfTransaction(answer: unknown): string | undefined {
  encodeTransaction(answer)
  const fields = fieldsOf(answer)
  const { type, r, s, v } = fields
  const items = unsignedItems(fields)
  const signature = { r: BigInt(String(r)), s: BigInt(String(s)) }
  if (!isLegacy(type)) {
    const digest = toHex(keccak256(typed(type, items)))
    return signerOf(digest, { ...signature, yParity: Number(fields['yParity'] ?? v) })
  }
  const stated = BigInt(String(v))
  // By EIP-155, a legacy signature with v from 35 on covers the chain id. A legacy signature with a lower v
  // is valid on every chain.
  const [chain, parity] =
    stated < 35n ? [undefined, stated - 27n] : [(stated - 35n) / 2n, (stated - 35n) % 2n]
  const ofChain = chain === undefined ? [] : [bytesOfCount(chain), none, none]
  return signerOf(toHex(keccak256(encodeRlp([...items, ...ofChain]))), {
    ...signature,
    yParity: Number(parity),
  })
}

/** Encodes a transaction or receipt. The bytes begin with its type, except for the legacy type (EIP-2718). */
export function typed(type: unknown, items: readonly RlpItem[]): Buffer {
  const encoded = encodeRlp(items)
  return isLegacy(type) ? encoded : Buffer.concat([countField(type, 'type'), encoded])
}

function isLegacy(type: unknown): boolean {
  return type === undefined || type === '0x0'
}

/** Returns the fields that are signed, by type: legacy (EIP-155), EIP-2930, EIP-1559, EIP-4844, EIP-7702. */
function unsignedItems(fields: Fields): readonly RlpItem[] {
  const count = (name: string) => countField(fields[name], name)
  const recipient = isAbsent(fields['to']) ? none : bytesField(fields['to'], 'to')
  const call = () => [count('gas'), recipient, count('value'), bytesField(fields['input'], 'input')]
  const fees = () => [count('maxPriorityFeePerGas'), count('maxFeePerGas')]
  const access = () => accessList(fields['accessList'])
  const begin = () => [count('chainId'), count('nonce')]
  switch (fields['type']) {
    case undefined:
    case '0x0':
      return [count('nonce'), count('gasPrice'), ...call()]
    case '0x1':
      return [...begin(), count('gasPrice'), ...call(), access()]
    case '0x2':
      return [...begin(), ...fees(), ...call(), access()]
    case '0x3': {
      const blobs = arrayOf(fields['blobVersionedHashes'], 'hashes of blobs')
      const own = [count('maxFeePerBlobGas'), blobs.map((one) => bytesField(one, 'hash of a blob'))]
      return [...begin(), ...fees(), ...call(), access(), ...own]
    }
    case '0x4': {
      const list = arrayOf(fields['authorizationList'], 'authorizations').map(authorization)
      return [...begin(), ...fees(), ...call(), access(), list]
    }
    default:
      throw new NodeError(
        `a transaction has the unknown type ${String(fields['type'])}; update Coffer, or configure three nodes, of which two must agree`,
      )
  }
}

function accessList(answer: unknown): RlpItem {
  return arrayOf(answer, 'access list').map((entry) => {
    const { address, storageKeys } = fieldsOf(entry)
    const keys = arrayOf(storageKeys, 'storage keys').map((key) => bytesField(key, 'storage key'))
    return [bytesField(address, 'address of an access list'), keys]
  })
}

function authorization(answer: unknown): RlpItem {
  const { chainId, address, nonce, yParity, r, s } = fieldsOf(answer)
  const delegate = bytesField(address, 'address of an authorization')
  const signature = [countField(yParity, 'yParity'), countField(r, 'r'), countField(s, 's')]
  return [countField(chainId, 'chainId'), delegate, countField(nonce, 'nonce'), ...signature]
}

const none = Buffer.alloc(0)
