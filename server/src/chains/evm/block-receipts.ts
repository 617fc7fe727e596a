/**
 * Reads the receipts of a block. `eth_getBlockReceipts` returns all of them in one answer. If the node lacks
 * that method or refuses it for a block, each receipt is requested by its transaction.
 */
import { call, field, quantity, type Rpc, type RpcAnswer, type RpcCall, resultOf } from '../json-rpc.ts'
import { NodeError } from '../port.ts'
import type { ReadWindow } from '../read-window.ts'
import { arrayOf, type Header, hashOf, type Receipt, readReceipt } from './answers.ts'
import { isUnknownMethod } from './tracing/tracing.ts'

export class BlockReceipts {
  readonly #rpc: Rpc
  readonly #timeoutMs: number
  readonly #window: ReadWindow
  /** The number of blocks that are read by transaction before the node is asked for the method again. */
  #blocksWithout = 0

  constructor(rpc: Rpc, timeoutMs: number, window: ReadWindow) {
    this.#rpc = rpc
    this.#timeoutMs = timeoutMs
    this.#window = window
  }

  /** Returns the call for all receipts of a block; undefined while the node is known to lack the method. */
  callFor(height: number): RpcCall | undefined {
    if (this.#blocksWithout === 0) return call('eth_getBlockReceipts', quantity(height))
    this.#blocksWithout -= 1
    return undefined
  }

  /** Requests the receipts of a block, unchecked, in the block's order. @throws NodeError if one is missing */
  async ask(header: Header, signal: AbortSignal): Promise<unknown> {
    const asked = this.callFor(header.block.height)
    if (asked === undefined) return this.complete(header, undefined, signal)
    const { answers, sizeBytes } = await this.#rpc.ask([asked], signal, this.#timeoutMs)
    this.#window.sawAnswer(sizeBytes)
    return this.complete(header, answers[0], signal)
  }

  /**
   * Returns the receipts in the answer to `callFor`. If the answer is an error or was not requested, requests
   * each receipt.
   * @throws NodeError if the node has no receipt of a transaction. It may not have indexed the block yet, so
   * the block must be read again. A missing receipt never means that there are no logs.
   */
  async complete(header: Header, answer: RpcAnswer | undefined, signal: AbortSignal): Promise<unknown> {
    if (answer !== undefined && answer.error === undefined) return answer.result
    if (isUnknownMethod(answer)) this.#blocksWithout = blocksBeforeAskedAgain
    const txHashes = [...header.txHashes]
    const calls = txHashes.map((txHash) => call('eth_getTransactionReceipt', txHash))
    const { answers, sizeBytes } = await this.#rpc.ask(calls, signal, this.#timeoutMs)
    this.#window.sawAnswer(sizeBytes)
    return txHashes.map((txHash, index) => {
      const receipt = resultOf(answers[index], 'eth_getTransactionReceipt')
      if (receipt === null || receipt === undefined)
        throw new NodeError(`the node has no receipt of ${txHash} yet`)
      return receipt
    })
  }
}

/** A node behind a load balancer may lack the method only sometimes. */
const blocksBeforeAskedAgain = 100

/**
 * Returns the logs of the receipts. The receipts root does not cover the transaction hash that a log states.
 * Only the position of the log's receipt in the block proves that hash. A log with another transaction's hash
 * is rejected, because its transfer would have another key and would be booked a second time.
 */
export function receiptLogs(header: Header, receipts: unknown): readonly unknown[] {
  return receiptsOf(header, receipts).flatMap(({ txHash, logs }) =>
    arrayOf(logs, 'logs').map((log) => {
      if (hashOf(field(log, 'transactionHash'), 'transaction hash of a log') === txHash) return log
      throw new NodeError(`the receipt of ${txHash} has a log that names another transaction`)
    }),
  )
}

/** Returns one receipt for each transaction, in the block's order. */
export function receiptsOf(header: Header, value: unknown): readonly Receipt[] {
  const receipts = arrayOf(value, 'receipts').map(readReceipt)
  return [...header.txHashes].map((txHash, index) => {
    const receipt = receipts[index]
    if (receipt?.txHash === txHash && receipt.blockHash === header.block.hash) return receipt
    throw new NodeError(`the receipts do not match block ${header.block.hash}`)
  })
}
