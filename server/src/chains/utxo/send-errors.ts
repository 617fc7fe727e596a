/**
 * Finds the reason in the errors with which nodes reject a transaction. Bitcoin Core and its forks have used
 * the same reasons since 0.10 (`validation.cpp`), in `sendrawtransaction` and `testmempoolaccept`. Pure.
 */
import type { RpcError } from '../json-rpc.ts'
import type { BroadcastAnswer } from '../port.ts'

type Refused = Extract<BroadcastAnswer, { readonly type: 'refused' }>['why']

const known = /txn-already-(in-mempool|known)|already in (block chain|utxo set|the mempool)/i

const reasons: readonly (readonly [RegExp, Refused])[] = [
  [/missing-?inputs|inputs-missingorspent|missing inputs|inputs-spent/i, 'missing-inputs'],
  [/txn-mempool-conflict|bip125-replacement-disallowed|too many potential replacements/i, 'conflict'],
  [/min relay fee not met|mempool min fee not met|insufficient fee|insufficient priority/i, 'underpriced'],
]

/** Returns why a transaction was rejected; `known` if the node already has the transaction. */
export function readReason(words: string): Refused | 'known' {
  if (known.test(words)) return 'known'
  return reasons.find(([pattern]) => pattern.test(words))?.[1] ?? 'other'
}

/** Core's error code RPC_VERIFY_ALREADY_IN_CHAIN: the transaction is already in a block. */
const inChain = -27
/**
 * Core's error codes RPC_DESERIALIZATION_ERROR, RPC_TRANSACTION_ERROR and RPC_TRANSACTION_REJECTED. A node
 * that answers with another code has not checked the transaction.
 */
const verdictCodes: readonly number[] = [-22, -25, -26]

/** Returns why a transaction was rejected; `known` if the node has it, undefined if it was not checked. */
export function readSendError({ code, message }: RpcError): Refused | 'known' | undefined {
  if (code === inChain) return 'known'
  return verdictCodes.includes(code) ? readReason(message) : undefined
}
