/** Transactions of accounts: decoded, and compared with what their intent means. */
import type { KeyObject } from 'node:crypto'
import type { Spend, SpendCodec, UnsignedTransaction } from '../../chains/port.ts'
import type { OrderVerifier } from '../../signing/order-signature.ts'
import type { AccountRequest } from '../../signing/signer-port.ts'
import type { KeyTree, Wallet } from '../keys/key-tree.ts'
import { digestSigner } from '../sign-digest.ts'
import { canonicalText } from './canonical-text.ts'
import { intendedSpend } from './intended-spend.ts'
import type { JudgedRequest } from './judge.ts'
import { accountNetworkOf } from './known-assets.ts'
import { feeCharge, outflowCharges, type Policy } from './policy.ts'
import { Refusal } from './refusal.ts'

export interface AccountJudgeParts {
  readonly keys: KeyTree
  readonly codec: SpendCodec
  readonly policy: Policy
  readonly intentKey: KeyObject
  /** Checks the signatures of orders. */
  readonly orders: OrderVerifier
  /** The operator's own addresses by network, in canonical spelling. */
  readonly coldAddresses: ReadonlyMap<string, string>
}

/** @throws Refusal where there is no such lane */
export function judgeAccount(parts: AccountJudgeParts, request: AccountRequest): JudgedRequest {
  const { codec, keys, policy } = parts
  const wallet = keys.walletAt(request.from)
  if (wallet === undefined) throw new Refusal('not-allowed', 'There is no such lane')
  let read: UnsignedTransaction | undefined
  const transaction = () => {
    read ??= parsed(codec, request.unsigned)
    return read
  }
  return {
    takes: [`nonce ${request.nonce} of ${wallet.address}`],
    require: () => {
      requireOwnChain(parts, request)
      requireAsAsked(transaction(), request)
      requireSameSpend(transaction().spend, intendedSpend(parts, request))
    },
    charges: (isRepeated) => {
      const { gas, maxFeeMinor } = transaction()
      const fee = feeCharge(policy, request, gas * maxFeeMinor)
      return isRepeated ? [fee] : [fee, ...outflowCharges(policy, request)]
    },
    sign: () => codec.sign(transaction(), wallet.address, digestSigner(signers(parts, request, wallet))),
    remember: () => {},
  }
}

function requireOwnChain({ policy }: AccountJudgeParts, { network, chainId }: AccountRequest): void {
  const own = accountNetworkOf(policy, network)
  if (own === undefined)
    throw new Refusal('not-allowed', `The policy has no accounts on a network called ${network}`)
  if (!own.chainIds.includes(chainId)) throw new Refusal('not-allowed', `Chain ${chainId} is not ${network}`)
}

function requireAsAsked(transaction: UnsignedTransaction, { chainId, nonce }: AccountRequest): void {
  if (transaction.chainId !== chainId) throw new Refusal('not-as-intended', 'The bytes are for another chain')
  if (transaction.nonce !== nonce) throw new Refusal('not-as-intended', 'The bytes have another nonce')
  if (transaction.tipMinor > transaction.maxFeeMinor) {
    throw new Refusal('not-as-intended', 'The tip is above the highest fee')
  }
}

function signers({ keys }: AccountJudgeParts, { intent }: AccountRequest, wallet: Wallet): readonly Wallet[] {
  const delegated =
    intent.kind === 'sweep' ? intent.deposits.filter(({ delegationNonce }) => delegationNonce !== null) : []
  return [wallet, ...delegated.flatMap((place) => keys.walletAt(place) ?? [])]
}

function parsed(codec: SpendCodec, unsigned: string): UnsignedTransaction {
  try {
    const transaction = codec.parse(unsigned)
    if (codec.serialize(transaction) === unsigned) return transaction
  } catch {
    // What the decoder says of foreign bytes is nobody's business.
  }
  throw new Refusal('not-as-intended', 'The bytes are no transaction of ours')
}

function requireSameSpend(given: Spend, intended: Spend): void {
  if (canonicalText(given) === canonicalText(intended)) return
  throw new Refusal('not-as-intended', 'The bytes do something else than the intent says')
}
