/**
 * What nodes say when they refuse a transaction: words that Bitcoin Core and its kin have kept since 0.10 (the reject
 * reasons of `validation.cpp`), in answers of sendrawtransaction and of testmempoolaccept alike. Pure.
 */
import type { RpcRefusal } from '../json-rpc.ts'
import type { BroadcastAnswer } from '../port.ts'

type Refused = Extract<BroadcastAnswer, { readonly type: 'refused' }>['why']

const known = /txn-already-(in-mempool|known)|already in (block chain|utxo set|the mempool)/i

const reasons: readonly (readonly [RegExp, Refused])[] = [
  [/missing-?inputs|inputs-missingorspent|missing inputs|inputs-spent/i, 'coins-gone'],
  [/txn-mempool-conflict|bip125-replacement-disallowed|too many potential replacements/i, 'conflict'],
  [/min relay fee not met|mempool min fee not met|insufficient fee|insufficient priority/i, 'underpriced'],
]

/** Why a transaction was refused; `known` where the node has it. */
export function readReason(words: string): Refused | 'known' {
  if (known.test(words)) return 'known'
  return reasons.find(([pattern]) => pattern.test(words))?.[1] ?? 'other'
}

/** RPC_VERIFY_ALREADY_IN_CHAIN */
const inChain = -27
/** RPC_DESERIALIZATION_ERROR, RPC_TRANSACTION_ERROR and RPC_TRANSACTION_REJECTED: all else judges nothing. */
const judgements: readonly number[] = [-22, -25, -26]

/** As `readReason`; undefined where the node has not judged the transaction. */
export function readSendRefusal({ code, message }: RpcRefusal): Refused | 'known' | undefined {
  if (code === inChain) return 'known'
  return judgements.includes(code) ? readReason(message) : undefined
}
