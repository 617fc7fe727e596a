/**
 * What a node tells of a block, bound to the block's hash. The hash is that of the header; the header states the roots of
 * the transactions and of their receipts, which carry the logs. So a node that is believed alone cannot leave out a transaction
 * or a log without telling of another block. What contracts pay is in no receipt: traces are bound by nothing.
 */
import { fieldsOf } from '../../json-rpc.ts'
import { NodeError } from '../../port.ts'
import { arrayOf, type Header, type Trace } from '../answers.ts'
import { bytesField, countField, isAbsent, spell } from './bytes.ts'
import { keccak256 } from './keccak.ts'
import { orderedTrieRoot } from './ordered-trie-root.ts'
import { encodeRlp } from './rlp.ts'
import { encodeTransaction, typed } from './transaction-bytes.ts'

/** The fields of a header in their order; those after `nonce` came with later forks, each after the one before. */
const headerFields = [
  ['parentHash', 'bytes'],
  ['sha3Uncles', 'bytes'],
  ['miner', 'bytes'],
  ['stateRoot', 'bytes'],
  ['transactionsRoot', 'bytes'],
  ['receiptsRoot', 'bytes'],
  ['logsBloom', 'bytes'],
  ['difficulty', 'count'],
  ['number', 'count'],
  ['gasLimit', 'count'],
  ['gasUsed', 'count'],
  ['timestamp', 'count'],
  ['extraData', 'bytes'],
  ['mixHash', 'bytes'],
  ['nonce', 'bytes'],
  ['baseFeePerGas', 'count'],
  ['withdrawalsRoot', 'bytes'],
  ['blobGasUsed', 'count'],
  ['excessBlobGas', 'count'],
  ['parentBeaconBlockRoot', 'bytes'],
  ['requestsHash', 'bytes'],
] as const

/**
 * Checks that a block, told with whole transactions, and its receipts are what the block's hash stands for.
 * @throws NodeError where they are not
 */
export function requireProven({ block }: Header, told: unknown, receipts: unknown): void {
  const { hash } = block
  const fields = fieldsOf(told)
  const stated = headerFields.flatMap(([name, kind]) =>
    isAbsent(fields[name])
      ? []
      : [kind === 'count' ? countField(fields[name], name) : bytesField(fields[name], name)],
  )
  if (spell(keccak256(encodeRlp(stated))) !== hash)
    throw new NodeError(
      `the header of block ${hash} does not have that hash: the node altered it, or its chain has a field of headers that ` +
        'this version does not know; update Coffer, or name three nodes, of which two must agree',
    )
  const transactions = arrayOf(fields['transactions'], 'transactions').map(encodeTransaction)
  if (orderedTrieRoot(transactions) !== fields['transactionsRoot'])
    throw new NodeError(`the transactions of block ${hash} do not make the root that its header states`)
  if (orderedTrieRoot(arrayOf(receipts, 'receipts').map(encodeReceipt)) !== fields['receiptsRoot'])
    throw new NodeError(`the receipts of block ${hash} do not make the root that its header states`)
}

/**
 * Checks the traces against the transactions, as far as these say what moved: the coin that a transaction pays itself, and
 * whether anything of it holds. What its contracts pay in turn is told by traces alone.
 * @throws NodeError where they contradict each other
 */
export function requireToldMoves(told: unknown, receipts: unknown, traces: readonly Trace[]): void {
  const statusOf = new Map(
    arrayOf(receipts, 'receipts').map((receipt) => {
      const { transactionHash, status } = fieldsOf(receipt)
      return [transactionHash, status]
    }),
  )
  const topOf = new Map(
    traces.flatMap((trace) => (trace.place.length === 0 ? [[trace.txHash, trace] as const] : [])),
  )
  for (const transaction of arrayOf(fieldsOf(told)['transactions'], 'transactions')) {
    const { hash, to, value } = fieldsOf(transaction)
    const trace = topOf.get(String(hash))
    // A node may write the number with zeros before it, of which the root says nothing.
    const holds = BigInt(String(statusOf.get(hash) ?? 0)) === 1n
    if (trace === undefined || trace.failed === holds)
      throw new NodeError(`the trace of ${String(hash)} and its receipt contradict each other`)
    const paidMinor = holds ? BigInt(String(value)) : 0n
    if (paidMinor !== (trace.move?.amountMinor ?? 0n))
      throw new NodeError(`the trace of ${String(hash)} does not pay what its transaction says`)
    if (paidMinor > 0n && !isAbsent(to) && trace.move?.recipient !== String(to).toLowerCase())
      throw new NodeError(`the trace of ${String(hash)} does not pay whom its transaction says`)
  }
}

/** A receipt as its root has it (EIP-658, EIP-2718). */
function encodeReceipt(told: unknown): Buffer {
  const { type, status, cumulativeGasUsed, logsBloom, logs } = fieldsOf(told)
  const items = arrayOf(logs, 'logs').map((log) => {
    const { address, topics, data } = fieldsOf(log)
    const words = arrayOf(topics, 'topics').map((topic) => bytesField(topic, 'topic'))
    return [bytesField(address, 'address of a log'), words, bytesField(data, 'payload of a log')]
  })
  const gas = countField(cumulativeGasUsed, 'gas used so far')
  return typed(type, [countField(status, 'status'), gas, bytesField(logsBloom, 'logs bloom'), items])
}
