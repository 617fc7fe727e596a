/** The bytes of transactions that nodes tell of field by field: by them their hash is known, and whose key signed them. */
import { type Fields, fieldsOf } from '../../json-rpc.ts'
import { NodeError } from '../../port.ts'
import { arrayOf } from '../answers.ts'
import { bytesField, countField, isAbsent, spell } from './bytes.ts'
import { keccak256 } from './keccak.ts'
import { bytesOfCount, encodeRlp, type RlpItem } from './rlp.ts'
import { signerOf } from './signed-by.ts'

/**
 * A transaction as it was signed.
 * @throws NodeError where it does not have the hash that is stated
 */
export function encodeTransaction(told: unknown): Buffer {
  const fields = fieldsOf(told)
  const { type, r, s, v, hash } = fields
  const parity = isLegacy(type) ? v : (fields['yParity'] ?? v)
  const signature = [countField(parity, 'parity'), countField(r, 'r'), countField(s, 's')]
  const encoded = typed(type, [...unsignedItems(fields), ...signature])
  if (spell(keccak256(encoded)) === hash) return encoded
  throw new NodeError(`transaction ${String(hash)} does not have that hash`)
}

/**
 * Recovers the signer's address from a transaction's signature. Returns undefined if the signature is invalid.
 * @throws NodeError where the transaction does not have the hash that is stated
 */
export function signerOfTransaction(told: unknown): string | undefined {
  encodeTransaction(told)
  const fields = fieldsOf(told)
  const { type, r, s, v } = fields
  const items = unsignedItems(fields)
  const signature = { r: BigInt(String(r)), s: BigInt(String(s)) }
  if (!isLegacy(type)) {
    const digest = spell(keccak256(typed(type, items)))
    return signerOf(digest, { ...signature, yParity: Number(fields['yParity'] ?? v) })
  }
  const stated = BigInt(String(v))
  // EIP-155: the chain is signed for as well, except by those who sign for all chains.
  const [chain, parity] =
    stated < 35n ? [undefined, stated - 27n] : [(stated - 35n) / 2n, (stated - 35n) % 2n]
  const ofChain = chain === undefined ? [] : [bytesOfCount(chain), none, none]
  return signerOf(spell(keccak256(encodeRlp([...items, ...ofChain]))), {
    ...signature,
    yParity: Number(parity),
  })
}

/** Typed transactions and receipts begin with their type (EIP-2718). */
export function typed(type: unknown, items: readonly RlpItem[]): Buffer {
  const encoded = encodeRlp(items)
  return isLegacy(type) ? encoded : Buffer.concat([countField(type, 'type'), encoded])
}

function isLegacy(type: unknown): boolean {
  return type === undefined || type === '0x0'
}

/** The fields that are signed, by the type of the transaction: EIP-155, EIP-2930, EIP-1559, EIP-4844, EIP-7702. */
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
        `a transaction is of the unknown type ${String(fields['type'])}; update Coffer, or name three nodes, of which two must agree`,
      )
  }
}

function accessList(told: unknown): RlpItem {
  return arrayOf(told, 'access list').map((entry) => {
    const { address, storageKeys } = fieldsOf(entry)
    const keys = arrayOf(storageKeys, 'storage keys').map((key) => bytesField(key, 'storage key'))
    return [bytesField(address, 'address of an access list'), keys]
  })
}

function authorization(told: unknown): RlpItem {
  const { chainId, address, nonce, yParity, r, s } = fieldsOf(told)
  const delegate = bytesField(address, 'address of an authorization')
  const signature = [countField(yParity, 'yParity'), countField(r, 'r'), countField(s, 's')]
  return [countField(chainId, 'chainId'), delegate, countField(nonce, 'nonce'), ...signature]
}

const none = Buffer.alloc(0)
