/**
 * Serializes and signs transactions of ours on networks with base fees: EIP-1559 (type 2), or EIP-7702 (type 4)
 * if they contain delegations. In unsigned bytes, the signature field of a delegation holds the address of the account that
 * delegates. Signed bytes do not contain this address; it is recovered from the signature of the delegation.
 */
import * as Authorization from 'ox/Authorization'
import * as Hash from 'ox/Hash'
import type { Hex } from 'ox/Hex'
import * as Rlp from 'ox/Rlp'
import type { Signature } from 'ox/Signature'
import * as TxEnvelopeEip1559 from 'ox/TxEnvelopeEip1559'
import * as TxEnvelopeEip7702 from 'ox/TxEnvelopeEip7702'
import { assert, required } from '../../core/assert.ts'
import {
  type Delegation,
  type ReadSigned,
  type SignDigest,
  SignedBytesError,
  type SignedTransaction,
  type SpendCodec,
  type UnsignedTransaction,
} from '../port.ts'
import { isSignedBy, signerOf } from './encoding/signed-by.ts'
import { callOf, spendOf } from './spend-call.ts'
import { sweepDelegateOf } from './sweep-delegate.ts'

export const evmSpends: SpendCodec = {
  family: 'evm',
  serialize,
  parse,
  sign,
  readSigned,
  signedBytesMax,
  delegateOf: sweepDelegateOf,
}

type Authorizations = Authorization.Authorization<true>[]
type Item = Hex | readonly Item[]

const delegationsAt = 9
const delegatingType = '0x04'

function serialize(transaction: UnsignedTransaction): string {
  const delegations = delegationsOf(transaction)
  requireOneChain(transaction)
  const plain = serializePlain(transaction, [])
  const bytes = delegations.length === 0 ? plain : withDelegations(plain, transaction.chainId, delegations)
  return bytes.slice(2)
}

/**
 * Returns the bytes for which an OP-stack network computes the data fee: the transaction without its own
 * signature, but with the signatures of its delegations. The network adds the size of one signature itself.
 */
export function serializeForDataFee(transaction: UnsignedTransaction): Hex {
  return serializePlain(transaction, authorizationsLike(transaction))
}

function signedBytesMax(transaction: UnsignedTransaction): number {
  const signed = serializePlain(transaction, authorizationsLike(transaction), signatureLike(0))
  return (signed.length - 2) / 2
}

/** Returns authorizations with the sizes of those that the signer will make. */
function authorizationsLike(transaction: UnsignedTransaction): Authorizations {
  const { chainId } = transaction
  return delegationsOf(transaction).map(({ delegate, nonce }, index) => ({
    address: delegate as Hex,
    chainId,
    nonce: BigInt(nonce),
    ...signatureLike(index + 1),
  }))
}

/**
 * Returns numbers that take as many bytes as a signature, and that cannot be compressed either. They are a
 * signature of nothing.
 */
export function signatureLike(index: number): Signature {
  const half = (name: string) => {
    const digest = Hash.keccak256(`0x${Buffer.from(`${name} ${index}`).toString('hex')}`, { as: 'Hex' })
    // A number with leading zero bytes would be shorter.
    return BigInt(digest) | (1n << 255n)
  }
  return { r: half('r'), s: half('s'), yParity: 1 }
}

function parse(bytes: string): UnsignedTransaction {
  const hex: Hex = `0x${bytes}`
  const { plain, delegations } = hex.startsWith(delegatingType)
    ? withoutDelegations(hex)
    : { plain: hex, delegations: [] }
  const transaction = transactionIn(envelopeOf(plain), delegations)
  // The parser ignores unknown content. Serializing the result reveals such content, because the bytes
  // differ.
  assert(serialize(transaction) === bytes, 'the bytes have more content than a transaction of ours')
  return transaction
}

function transactionIn(envelope: Envelope, delegations: readonly Delegation[]): UnsignedTransaction {
  const { chainId, nonce, gas, maxFeePerGas, maxPriorityFeePerGas, to, value, data } = envelope
  const spend = spendOf({ to: required(to, 'recipient'), amountMinor: value ?? 0n, callBytes: data ?? '0x' })
  return {
    chainId,
    nonce: Number(nonce ?? 0n),
    gasLimit: gas ?? 0n,
    maxFeePerGas: maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n,
    spend: spend.type === 'sweep' ? { ...spend, delegations } : spend,
  }
}

async function sign(
  transaction: UnsignedTransaction,
  sender: string,
  signDigest: SignDigest,
): Promise<SignedTransaction> {
  const { chainId } = transaction
  requireOneChain(transaction)
  const authorizations: Authorizations = []
  for (const delegation of delegationsOf(transaction))
    authorizations.push(await authorizationOf(chainId, delegation, signDigest))
  const digest = Hash.keccak256(serializePlain(transaction, authorizations), { as: 'Hex' })
  const raw = serializePlain(transaction, authorizations, await requestSignature(sender, digest, signDigest))
  return { txHash: Hash.keccak256(raw, { as: 'Hex' }), raw: raw.slice(2) }
}

async function authorizationOf(
  chainId: number,
  { address, delegate, nonce }: Delegation,
  signDigest: SignDigest,
): Promise<Authorization.Authorization<true>> {
  const contract = { address: delegate as Hex, chainId, nonce: BigInt(nonce) }
  const digest = Authorization.getSignPayload(contract)
  const signature = await askFor(address, digest, signDigest)
  assert(signerOf(digest, signature) === address, `another key signed in place of ${address}`)
  return { ...contract, ...signature }
}

/** Requests a signature by `address`. @throws InvariantError if another address made the signature */
export async function requestSignature(
  address: string,
  digest: Hex,
  signDigest: SignDigest,
): Promise<Signature> {
  const signature = await askFor(address, digest, signDigest)
  assert(isSignedBy(address, digest, signature), `another key signed in place of ${address}`)
  return signature
}

async function askFor(address: string, digest: Hex, signDigest: SignDigest): Promise<Signature> {
  const { r, s, yParity } = await signDigest(address, digest)
  return { r: BigInt(r), s: BigInt(s), yParity }
}

function readSigned(raw: string, sender: string): ReadSigned {
  const hex: Hex = `0x${raw}`
  const { transaction, authorizations, signature } = decodeSigned(hex)
  const digest = Hash.keccak256(serializePlain(transaction, authorizations), { as: 'Hex' })
  if (!isSignedBy(sender, digest, signature))
    throw new SignedBytesError(`they are not signed by the key of ${sender}`)
  return { txHash: Hash.keccak256(hex, { as: 'Hex' }), unsigned: serialize(transaction) }
}

interface DecodedSigned {
  readonly transaction: UnsignedTransaction
  readonly authorizations: Authorizations
  readonly signature: Signature
}

/** Parses signed bytes. @throws SignedBytesError if serializing the result does not give the same bytes */
function decodeSigned(hex: Hex): DecodedSigned {
  try {
    const envelope = envelopeOf(hex)
    const signature = signatureIn(envelope)
    const authorizations = (envelope.authorizationList ?? []).map((one) => ({ ...one, ...signatureIn(one) }))
    const delegations = authorizations.map((one) => delegationIn(one, envelope.chainId))
    const transaction = transactionIn(envelope, delegations)
    assert(
      serializePlain(transaction, authorizations, signature) === hex,
      'the bytes have additional content',
    )
    return { transaction, authorizations, signature }
  } catch {
    // The decoder's own error message is not passed on, because it would not help the caller.
    throw new SignedBytesError('they are not a signed transaction of ours')
  }
}

type MaybeSignature = { readonly [Name in keyof Signature]?: Signature[Name] | undefined }

export function signatureIn({ r, s, yParity }: MaybeSignature): Signature {
  return { r: required(r, 'r'), s: required(s, 's'), yParity: required(yParity, 'parity') }
}

/**
 * Returns the delegation that an authorization (EIP-7702) makes. The account that delegates is the signer of
 * the authorization. Rejects an authorization for another chain, or for all chains (chain id 0).
 */
function delegationIn(authorization: Authorization.Authorization<true>, chainId: number): Delegation {
  assert(authorization.chainId === chainId, 'an authorization is for another chain')
  const signer = signerOf(Authorization.getSignPayload(authorization), authorization)
  return {
    address: required(signer, 'the signer of an authorization'),
    delegate: authorization.address.toLowerCase(),
    nonce: Number(authorization.nonce),
  }
}

/** Requires a positive chain id. An authorization with chain id 0 is valid on every chain (EIP-7702). */
export function requireOneChain({ chainId }: Pick<UnsignedTransaction, 'chainId'>): void {
  assert(Number.isSafeInteger(chainId) && chainId > 0, 'a transaction is for one chain')
}

function delegationsOf({ spend }: UnsignedTransaction): readonly Delegation[] {
  return spend.type === 'sweep' ? spend.delegations : []
}

function serializePlain(
  transaction: UnsignedTransaction,
  authorizationList: Authorizations,
  signature?: Signature,
): Hex {
  const { to, amountMinor, callBytes } = callOf(transaction.spend)
  const fields = {
    chainId: transaction.chainId,
    nonce: BigInt(transaction.nonce),
    gas: transaction.gasLimit,
    maxFeePerGas: transaction.maxFeePerGas,
    maxPriorityFeePerGas: transaction.maxPriorityFeePerGas,
    to,
    value: amountMinor,
    data: callBytes,
  }
  const signed = signature === undefined ? {} : { signature }
  return delegationsOf(transaction).length === 0
    ? TxEnvelopeEip1559.serialize(fields, signed)
    : TxEnvelopeEip7702.serialize({ ...fields, authorizationList }, signed)
}

type Envelope = Omit<TxEnvelopeEip1559.TxEnvelopeEip1559, 'type'> & {
  readonly authorizationList?: TxEnvelopeEip7702.TxEnvelopeEip7702['authorizationList']
}

function envelopeOf(plain: Hex): Envelope {
  return plain.startsWith(delegatingType)
    ? TxEnvelopeEip7702.deserialize(plain as TxEnvelopeEip7702.Serialized)
    : TxEnvelopeEip1559.deserialize(plain as TxEnvelopeEip1559.Serialized)
}

function withDelegations(plain: Hex, chainId: number, delegations: readonly Delegation[]): Hex {
  const fields = fieldsOfRlp(plain)
  const items = delegations.map(({ delegate, nonce, address }): Item[] => [
    countBytes(chainId),
    delegate as Hex,
    countBytes(nonce),
    address as Hex,
  ])
  return joined(fields.with(delegationsAt, items))
}

function withoutDelegations(hex: Hex): { plain: Hex; delegations: readonly Delegation[] } {
  const fields = fieldsOfRlp(hex)
  const items = listOf(fields[delegationsAt])
  const delegations = items.map((item): Delegation => {
    const [, delegate, nonce, address] = listOf(item)
    return {
      delegate: bytesOf(delegate),
      nonce: Number(BigInt(`0x0${bytesOf(nonce).slice(2)}`)),
      address: bytesOf(address),
    }
  })
  return { plain: joined(fields.with(delegationsAt, [])), delegations }
}

function joined(fields: readonly Item[]): Hex {
  return `${delegatingType}${Rlp.fromHex(fields as Hex[]).slice(2)}`
}

function fieldsOfRlp(typed: Hex): readonly Item[] {
  return listOf(Rlp.toHex(`0x${typed.slice(delegatingType.length)}`))
}

function listOf(value: Item | undefined): readonly Item[] {
  assert(Array.isArray(value), 'the bytes lack an expected list')
  return value
}

function bytesOf(value: Item | undefined): Hex {
  assert(typeof value === 'string', 'the bytes have an unexpected list')
  return value
}

/** Encodes a number for RLP, without leading zero bytes. Zero has no bytes at all. */
function countBytes(count: number): Hex {
  if (count === 0) return '0x'
  const digits = count.toString(16)
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`
}
