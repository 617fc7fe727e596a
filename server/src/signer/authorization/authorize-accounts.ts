/** Authorises transactions that accounts send (EVM): decodes them, and compares them with their intents. */
import type { KeyObject } from 'node:crypto'
import type { Spend, SpendCodec, UnsignedTransaction } from '../../chains/port.ts'
import { isLegacyTransaction, spendCodecs } from '../../chains/spend-codecs.ts'
import type { OrderVerifier } from '../../signing/order-signature.ts'
import type { AccountRequest } from '../../signing/signer-port.ts'
import type { KeyTree, Wallet } from '../keys/key-tree.ts'
import { digestSigner } from '../sign-digest.ts'
import type { AuthorizedRequest } from './authorize.ts'
import { canonicalText } from './canonical-text.ts'
import { intendedSpend } from './intended-spend.ts'
import { accountNetworkOf } from './known-assets.ts'
import { feeCharge, outflowCharges, type Policy } from './policy.ts'
import { Refusal } from './refusal.ts'

export interface AccountAuthorizerParts {
  readonly keys: KeyTree
  /** The codec of transactions for networks with base fees. */
  readonly codec: SpendCodec
  readonly policy: Policy
  readonly intentKey: KeyObject
  /** Verifies the signatures of orders. */
  readonly orders: OrderVerifier
  /** The operator's cold addresses by network, in canonical form. */
  readonly coldAddresses: ReadonlyMap<string, string>
}

/**
 * Prepares the checks of a transaction that an account sends.
 * @throws Refusal if the hot wallet in the request does not exist.
 */
export function authorizeAccount(parts: AccountAuthorizerParts, request: AccountRequest): AuthorizedRequest {
  const { keys, policy } = parts
  // The bytes decide how they are read, because entries of the log must stay readable under every policy.
  const codec = isLegacyTransaction(request.unsigned) ? spendCodecs.legacy : parts.codec
  const wallet = keys.walletAt(request.from)
  if (wallet === undefined) throw new Refusal('not-allowed', 'There is no such hot wallet')
  let read: UnsignedTransaction | undefined
  const transaction = () => {
    read ??= parsed(codec, request.unsigned)
    return read
  }
  return {
    takes: [`nonce ${request.nonce} of ${wallet.address}`],
    require: () => {
      requireOwnChain(parts, request)
      requireFeeModel(parts, request)
      requireAsAsked(transaction(), request)
      requireSameSpend(transaction().spend, intendedSpend(parts, request))
    },
    charges: (isRepeated) => {
      const { gasLimit: gas, maxFeePerGas } = transaction()
      const signedBytes = codec.signedBytesMax(transaction())
      const fee = feeCharge(policy, request, gas * maxFeePerGas, signedBytes)
      return isRepeated ? [fee] : [fee, ...outflowCharges(policy, request)]
    },
    sign: () => codec.sign(transaction(), wallet.address, digestSigner(signers(parts, request, wallet))),
    remember: () => {},
  }
}

function requireOwnChain({ policy }: AccountAuthorizerParts, { network, chainId }: AccountRequest): void {
  const own = accountNetworkOf(policy, network)
  if (own === undefined)
    throw new Refusal('not-allowed', `The policy has no account network named ${network}`)
  if (!own.isChainId(chainId)) throw new Refusal('not-allowed', `Chain ${chainId} is not ${network}`)
}

/**
 * Checks that the type of the transaction is that of its network, according to the policy. Otherwise the service and
 * the policy differ, which the operator must correct.
 * @throws Refusal `not-allowed` if they differ
 */
function requireFeeModel({ policy }: AccountAuthorizerParts, { network, unsigned }: AccountRequest): void {
  const hasBaseFees = accountNetworkOf(policy, network)?.hasBaseFees
  const isLegacy = isLegacyTransaction(unsigned)
  if (hasBaseFees === undefined || hasBaseFees !== isLegacy) return
  throw new Refusal(
    'not-allowed',
    isLegacy
      ? `By the policy, ${network} has base fees, and a transaction of type 0 was asked for: set "feeModel": "legacy" in the policy if the network has none`
      : `By the policy, ${network} has no base fees, and a transaction with a base fee was asked for: remove "feeModel" from the policy if the network has them`,
  )
}

function requireAsAsked(transaction: UnsignedTransaction, { chainId, nonce }: AccountRequest): void {
  if (transaction.chainId !== chainId) throw new Refusal('not-as-intended', 'The bytes are for another chain')
  if (transaction.nonce !== nonce) throw new Refusal('not-as-intended', 'The bytes have another nonce')
  if (transaction.maxPriorityFeePerGas > transaction.maxFeePerGas) {
    throw new Refusal('not-as-intended', 'The priority fee is above the maximum fee')
  }
}

function signers(
  { keys }: AccountAuthorizerParts,
  { intent }: AccountRequest,
  wallet: Wallet,
): readonly Wallet[] {
  const delegated =
    intent.kind === 'sweep' ? intent.deposits.filter(({ delegationNonce }) => delegationNonce !== null) : []
  return [wallet, ...delegated.flatMap((index) => keys.walletAt(index) ?? [])]
}

function parsed(codec: SpendCodec, unsigned: string): UnsignedTransaction {
  try {
    const transaction = codec.parse(unsigned)
    if (codec.serialize(transaction) === unsigned) return transaction
  } catch {
    // The decoder's message is not passed on, because it is about untrusted bytes.
  }
  throw new Refusal('not-as-intended', 'The bytes are not a transaction in canonical form')
}

function requireSameSpend(given: Spend, intended: Spend): void {
  if (canonicalText(given) === canonicalText(intended)) return
  throw new Refusal('not-as-intended', 'The transaction differs from its intent')
}
