/**
 * What nodes say when they refuse a transaction. There are no codes for it: each kind of node has its own sentences, so
 * they are told apart by words (geth 1.14, Erigon 3, Nethermind 1.30, Besu 25, Reth 1, anvil 1.7).
 */

import type { RpcRefusal } from '../json-rpc.ts'
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

/** EIP-1474: the node has not that method, is asked too often, or failed itself. It has judged nothing. */
const noJudgement: readonly number[] = [-32601, -32603, -32004, -32005, 429]

/** Why a transaction was refused; `known` where the node has it, undefined where the node has not judged it. */
export function readBroadcastRefusal({ message, code }: RpcRefusal): Refused | 'known' | undefined {
  if (known.test(message)) return 'known'
  const reason = reasons.find(([words]) => words.test(message))
  if (reason !== undefined) return reason[1]
  return noJudgement.includes(code) ? undefined : 'other'
}

const failed =
  /revert|vm execution error|out of ?gas|gas required exceeds|invalid (opcode|jump)|bad (instruction|jump)|stack (under|over)flow|evm ?error|insufficient (funds|balance)|always fail/i

/** Whether an estimate was refused because the transaction would fail, and not because the node cannot tell. */
export function wouldFail({ message, code }: RpcRefusal): boolean {
  // geth's code of its own for a call that was undone.
  return code === 3 || failed.test(message)
}
