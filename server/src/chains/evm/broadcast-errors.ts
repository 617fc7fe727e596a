/**
 * Finds the reason in the errors with which nodes reject a transaction. The reasons have no codes, and the
 * messages of each client differ. So each reason is recognized by words of the message. The patterns cover
 * geth 1.14, Erigon 3, Nethermind 1.30, Besu 25, Reth 1 and anvil 1.7.
 */

import type { RpcError } from '../json-rpc.ts'
import type { BroadcastAnswer } from '../port.ts'

type Refused = Extract<BroadcastAnswer, { readonly type: 'refused' }>['why']

const known = /already ?(known|imported|exists|in (the )?(mem)?pool)|known transaction|same hash/i

const reasons: readonly (readonly [RegExp, Refused])[] = [
  [
    /nonce (is )?too low|old ?nonce|nonce_too_low|invalid nonce.*(low|already)|nonce.*already used/i,
    'nonce-used',
  ],
  [
    /underpriced|replacement ?not ?allowed|fee ?too ?low|gas[ _]price[^.]*(too[ _]low|below)|less than (the )?(block )?base ?fee|same nonce in the queue/i,
    'underpriced',
  ],
  [/insufficient ?(funds|balance)|upfront[ _]cost[ _]exceeds/i, 'no-funds'],
]

/**
 * Error codes which mean that a node has not checked the transaction: codes of EIP-1474, and 429 from HTTP.
 * The node lacks the method, limits the rate of requests, or failed internally.
 */
const noVerdict: readonly number[] = [-32601, -32603, -32004, -32005, 429]

/**
 * Returns why a transaction was rejected: `known` if the node already has the transaction, undefined if the
 * node has not checked it.
 */
export function readBroadcastError({ message, code }: RpcError): Refused | 'known' | undefined {
  if (known.test(message)) return 'known'
  const reason = reasons.find(([words]) => words.test(message))
  if (reason !== undefined) return reason[1]
  return noVerdict.includes(code) ? undefined : 'other'
}

const failed =
  /revert|vm execution error|out of ?gas|gas required exceeds|invalid (opcode|jump)|bad (instruction|jump)|stack (under|over)flow|evm ?error|insufficient (funds|balance)|always fail/i

/** Decides whether an estimate failed because the transaction would fail, not because of the node. */
export function wouldFail({ message, code }: RpcError): boolean {
  // Code 3 is geth's own code for a reverted call.
  return code === 3 || failed.test(message)
}
