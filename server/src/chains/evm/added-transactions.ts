/**
 * Reads what nodes do not report about the transactions that a chain itself adds to its blocks: the bytes of
 * state-sync transactions, and whether a transaction needs no trace.
 */
import { call, field, fieldsOf, quantity, type Rpc, resultOf } from '../json-rpc.ts'
import { NodeError } from '../port.ts'
import { arrayOf, type Header, readReceipt, type Trace } from './answers.ts'
import { mayBeUntraced, transactionType } from './encoding/transaction-types.ts'

interface Asking {
  readonly rpc: Rpc
  readonly timeoutMs: number
}

/**
 * Adds to a block the encoded bytes of each transaction whose type cannot be encoded from the reported fields.
 */
export async function withRawBytes(
  { rpc, timeoutMs }: Asking,
  reported: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const block = fieldsOf(reported)
  const transactions = arrayOf(block['transactions'], 'transactions')
  const indexes = [...transactions.keys()].filter(
    (index) => transactionType(field(transactions[index], 'type')).items === undefined,
  )
  if (indexes.length === 0) return reported
  const method = 'eth_getRawTransactionByBlockHashAndIndex'
  const calls = indexes.map((index) => call(method, block['hash'], quantity(index)))
  const { answers } = await rpc.ask(calls, signal, timeoutMs)
  const raw = new Map(indexes.map((index, position) => [index, resultOf(answers[position], method)]))
  return {
    ...block,
    transactions: transactions.map((transaction, index) =>
      raw.has(index) ? { ...fieldsOf(transaction), raw: raw.get(index) } : transaction,
    ),
  }
}

/**
 * Checks that the transactions which the node did not trace are of types that need no trace. A missing trace
 * may otherwise hide a transfer.
 * @throws NodeError if a transaction needs a trace
 */
export async function requireNoTraceNeeded(
  { rpc, timeoutMs }: Asking,
  { block, txHashes }: Header,
  traces: readonly Trace[],
  signal: AbortSignal,
): Promise<void> {
  const untraced = new Set(txHashes)
  for (const { txHash } of traces) untraced.delete(txHash)
  if (untraced.size === 0) return
  const calls = [...untraced].flatMap((txHash) => [
    call('eth_getTransactionByHash', txHash),
    call('eth_getTransactionReceipt', txHash),
  ])
  const { answers } = await rpc.ask(calls, signal, timeoutMs)
  for (const [index, txHash] of [...untraced].entries()) {
    const type = field(resultOf(answers[2 * index], 'eth_getTransactionByHash'), 'type')
    const receipt = readReceipt(resultOf(answers[2 * index + 1], 'eth_getTransactionReceipt'))
    if (receipt?.blockHash !== block.hash || !mayBeUntraced(type, receipt.succeeded))
      throw new NodeError(`transaction ${txHash} has no trace`)
  }
}
