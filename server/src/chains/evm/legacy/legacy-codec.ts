/**
 * Serializes and signs transactions of type 0 for networks without base fees. The chain id is always part of what
 * is signed (EIP-155): a signature without it would be valid on every chain.
 *
 * Such a transaction has one price for each unit of gas. It is stated twice in the fees of a transaction, as the
 * maximum fee and as the priority fee, so that limits, fee bumps and records are the same on all networks.
 */
import * as Hash from 'ox/Hash'
import type { Hex } from 'ox/Hex'
import type { Signature } from 'ox/Signature'
import * as TxEnvelopeLegacy from 'ox/TxEnvelopeLegacy'
import { assert, required } from '../../../core/assert.ts'
import {
  type ReadSigned,
  type SignDigest,
  SignedBytesError,
  type SignedTransaction,
  type SpendCodec,
  type UnsignedTransaction,
} from '../../port.ts'
import { isSignedBy } from '../encoding/signed-by.ts'
import { callOf, spendOf } from '../spend-call.ts'
import { requestSignature, requireOneChain, signatureIn, signatureLike } from '../spend-codec.ts'
import { sweepDelegateOf } from '../sweep-delegate.ts'

export const legacySpends: SpendCodec = {
  family: 'evm',
  serialize: (transaction) => encode(transaction).slice(2),
  parse,
  sign,
  readSigned,
  signedBytesMax: (transaction) => (encode(transaction, signatureLike(0)).length - 2) / 2,
  delegateOf: sweepDelegateOf,
}

function parse(bytes: string): UnsignedTransaction {
  const transaction = transactionIn(TxEnvelopeLegacy.deserialize(`0x${bytes}`))
  // The parser also accepts signed bytes, and numbers with leading zeros. Both are not serialized alike.
  assert(encode(transaction) === `0x${bytes}`, 'the bytes are not those of an unsigned transaction of ours')
  return transaction
}

async function sign(
  transaction: UnsignedTransaction,
  sender: string,
  signDigest: SignDigest,
): Promise<SignedTransaction> {
  const digest = digestOf(transaction)
  const raw = encode(transaction, await requestSignature(sender, digest, signDigest))
  return { txHash: Hash.keccak256(raw, { as: 'Hex' }), raw: raw.slice(2) }
}

function readSigned(raw: string, sender: string): ReadSigned {
  const hex: Hex = `0x${raw}`
  const { transaction, signature } = decodeSigned(hex)
  if (!isSignedBy(sender, digestOf(transaction), signature))
    throw new SignedBytesError(`they are not signed by the key of ${sender}`)
  return { txHash: Hash.keccak256(hex, { as: 'Hex' }), unsigned: encode(transaction).slice(2) }
}

/** Parses signed bytes. @throws SignedBytesError if serializing the result does not give the same bytes */
function decodeSigned(hex: Hex) {
  try {
    const envelope = TxEnvelopeLegacy.deserialize(hex)
    const signature = signatureIn(envelope)
    const transaction = transactionIn(envelope)
    assert(encode(transaction, signature) === hex, 'the bytes have additional content')
    return { transaction, signature }
  } catch {
    // The decoder's own error message is not passed on, because it would not help the caller.
    throw new SignedBytesError('they are not a signed transaction of ours for a network without base fees')
  }
}

function digestOf(transaction: UnsignedTransaction): Hex {
  return Hash.keccak256(encode(transaction), { as: 'Hex' })
}

/** @throws InvariantError if the bytes have no chain id, as before EIP-155 */
function transactionIn(envelope: TxEnvelopeLegacy.TxEnvelopeLegacy): UnsignedTransaction {
  const { nonce, gas, gasPrice = 0n, to, value, data } = envelope
  return {
    chainId: required(envelope.chainId, 'chain id'),
    nonce: Number(nonce ?? 0n),
    gasLimit: gas ?? 0n,
    maxFeePerGas: gasPrice,
    maxPriorityFeePerGas: gasPrice,
    spend: spendOf({ to: required(to, 'recipient'), amountMinor: value ?? 0n, callBytes: data ?? '0x' }),
  }
}

/** Encodes the transaction; without a signature, with the chain id in its place, as EIP-155 signs it. */
function encode(transaction: UnsignedTransaction, signature?: Signature): Hex {
  requireOneChain(transaction)
  const { chainId, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas, spend } = transaction
  assert(maxFeePerGas === maxPriorityFeePerGas, 'a transaction of type 0 has one price')
  assert(spend.type === 'pay', `a network without base fees has no ${spend.type}, which needs EIP-7702`)
  const { to, amountMinor, callBytes } = callOf(spend)
  const fields = {
    chainId,
    nonce: BigInt(nonce),
    gas: gasLimit,
    gasPrice: maxFeePerGas,
    to,
    value: amountMinor,
    data: callBytes,
  }
  return TxEnvelopeLegacy.serialize({ ...fields, ...signature, ...(signature && vOf(chainId, signature)) })
}

/** Computed here, because the library rounds the sum for the largest chain ids. */
function vOf(chainId: number, { yParity }: Signature): { readonly v: number } {
  return { v: chainId * 2 + 35 + yParity }
}
