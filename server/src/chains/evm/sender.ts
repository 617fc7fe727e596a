/** Sends transactions to an EVM chain through one node, and reads their outcome. */
import { call, field, quantity, type RpcAnswer, type RpcError, resultOf } from '../json-rpc.ts'
import {
  type AccountSender,
  type BroadcastAnswer,
  type FeeLevel,
  NodeError,
  type TakenSlot,
  type TransactionReceipt,
  type UnsignedTransaction,
} from '../port.ts'
import { amountOf, arrayOf, codeOf, countOf, hashOf, readSpentReceipt } from './answers.ts'
import { readBroadcastError } from './broadcast-errors.ts'
import { answerTimeoutMs, ChainCalls } from './chain-calls.ts'
import { delegateIn } from './encoding/account-code.ts'
import { keccakOfHex } from './encoding/keccak.ts'
import { estimateGas } from './estimate-gas.ts'
import type { EvmNetwork, FeeModel } from './evm-networks.ts'
import { findTaken } from './find-taken.ts'
import { JointCalls } from './joint-calls.ts'
import { readOpStackFees } from './op-stack-fees.ts'
import { readSent, readSentCounts } from './read-sent.ts'
import type { EvmNode } from './reader.ts'

export function openEvmSender({ network, url, timeoutMs = answerTimeoutMs }: EvmNode): AccountSender {
  return new EvmSender(network, url, timeoutMs)
}

class EvmSender implements AccountSender {
  readonly network
  readonly canDelegate
  readonly #chainId: number
  readonly #feeModel: FeeModel
  readonly #calls: ChainCalls
  /** Batches estimates, broadcasts and reads of code that happen at the same time into one request. */
  readonly #joint: JointCalls

  constructor(network: EvmNetwork, url: string, timeoutMs: number) {
    this.network = network.name
    this.canDelegate = network.canDelegate
    this.#chainId = network.chainId
    this.#feeModel = network.feeModel
    this.#calls = new ChainCalls(network, url, timeoutMs)
    this.#joint = new JointCalls((calls, signal) => this.#calls.ask(calls, signal))
  }

  async readFees(signal: AbortSignal): Promise<FeeLevel> {
    if (this.#feeModel === 'legacy') return this.#readGasPrice(signal)
    const [history, suggestion] = await this.#calls.ask(
      [call('eth_feeHistory', quantity(feeBlocks), 'latest', [50]), call('eth_maxPriorityFeePerGas')],
      signal,
    )
    const read = resultOf(history, 'eth_feeHistory')
    // `eth_feeHistory` returns one base fee for each block that it covers, and at the end the base fee of the
    // next block.
    const baseFeePerGas = amountOf(
      arrayOf(field(read, 'baseFeePerGas'), 'fees').at(-1),
      'fee of the next block',
    )
    return { baseFeePerGas, maxPriorityFeePerGas: tipOf(suggestion, read) }
  }

  /** Reads the price of a network without base fees. All of it is paid, as of a priority fee. */
  async #readGasPrice(signal: AbortSignal): Promise<FeeLevel> {
    const [answer] = await this.#calls.ask([call('eth_gasPrice')], signal)
    return {
      baseFeePerGas: 0n,
      maxPriorityFeePerGas: amountOf(resultOf(answer, 'eth_gasPrice'), 'gas price'),
    }
  }

  async readDataFees(
    transactions: readonly UnsignedTransaction[],
    signal: AbortSignal,
  ): Promise<readonly bigint[]> {
    if (this.#feeModel !== 'op-stack') return transactions.map(() => 0n)
    return readOpStackFees(this.#joint, transactions, signal)
  }

  estimateGas(...[sender, spend, signal]: Parameters<AccountSender['estimateGas']>) {
    return estimateGas(this.#joint, sender, spend, signal)
  }

  async broadcast(raw: string, signal: AbortSignal): Promise<BroadcastAnswer> {
    const txHash = keccakOfHex(raw)
    const [answer] = await this.#joint.ask([call('eth_sendRawTransaction', `0x${raw}`)], signal)
    if (answer?.error !== undefined) return this.#afterError(txHash, answer.error, signal)
    const reported = hashOf(resultOf(answer, 'eth_sendRawTransaction'), 'hash of the sent transaction')
    if (reported === txHash) return { type: 'taken' }
    throw new NodeError(`the node returned the hash ${reported} for ${txHash}`)
  }

  async readReceipts(
    txHashes: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (TransactionReceipt | undefined)[]> {
    const calls = txHashes.map((txHash) => call('eth_getTransactionReceipt', txHash))
    const answers = await this.#calls.ask(calls, signal)
    const reported = answers.map((answer) => resultOf(answer, 'eth_getTransactionReceipt') ?? null)
    const unpriced = txHashes.filter((_, index) => statesNoPrice(reported[index]))
    const prices = await this.#readPrices(unpriced, signal)
    return txHashes.map((txHash, index) => {
      const receipt = readSpentReceipt(reported[index], prices.get(txHash))
      if (receipt === undefined || receipt.txHash === txHash) return receipt
      throw new NodeError(`the node returned the receipt of ${receipt.txHash} for ${txHash}`)
    })
  }

  /**
   * Reads the prices that mined transactions paid on a network without base fees. Its nodes are often too old to
   * state the price in receipts. Empty on other networks, where the price is part of the receipt.
   */
  async #readPrices(txHashes: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, bigint>> {
    if (this.#feeModel !== 'legacy' || txHashes.length === 0) return new Map()
    const calls = txHashes.map((txHash) => call('eth_getTransactionByHash', txHash))
    const answers = await this.#calls.ask(calls, signal)
    return new Map(
      txHashes.map((txHash, index) => {
        const sent = resultOf(answers[index], 'eth_getTransactionByHash')
        return [txHash, amountOf(field(sent, 'gasPrice'), 'gas price')]
      }),
    )
  }

  async readNonces(
    addresses: readonly string[],
    height: number | undefined,
    signal: AbortSignal,
  ): Promise<readonly number[]> {
    const at = height === undefined ? 'latest' : quantity(height)
    const calls = addresses.map((address) => call('eth_getTransactionCount', address, at))
    const answers = await this.#calls.ask(calls, signal)
    return answers.map((answer) => countOf(resultOf(answer, 'eth_getTransactionCount'), 'nonce'))
  }

  async readSentCounts(addresses: readonly string[], signal: AbortSignal) {
    return [await readSentCounts((calls) => this.#calls.ask(calls, signal), addresses)]
  }

  readSent(txHash: string, signal: AbortSignal) {
    return readSent((calls) => this.#calls.ask(calls, signal), txHash, this.#chainId)
  }

  findTaken(
    address: string,
    nonce: number,
    height: number,
    signal: AbortSignal,
  ): Promise<TakenSlot | undefined> {
    return findTaken((calls) => this.#calls.ask(calls, signal), address, nonce, height)
  }

  async readDelegates(
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (string | undefined)[]> {
    const codes = await this.#readCodes(addresses, signal)
    return codes.map(delegateIn)
  }

  async hasCode(address: string, signal: AbortSignal): Promise<boolean> {
    const [code] = await this.#readCodes([address], signal)
    return code !== '0x'
  }

  close(): Promise<void> {
    return this.#calls.rpc.close()
  }

  async #readCodes(addresses: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    const calls = addresses.map((address) => call('eth_getCode', address, 'latest'))
    const answers = await this.#joint.ask(calls, signal)
    return answers.map((answer) => codeOf(resultOf(answer, 'eth_getCode')))
  }

  /**
   * Returns the result of a broadcast that the node answered with an error. If the node has the transaction,
   * the result is `taken`, whatever the error says.
   */
  async #afterError(txHash: string, error: RpcError, signal: AbortSignal): Promise<BroadcastAnswer> {
    const why = readBroadcastError(error)
    if (why === 'known') return { type: 'taken' }
    const [lookup] = await this.#joint.ask([call('eth_getTransactionByHash', txHash)], signal)
    if ((resultOf(lookup, 'eth_getTransactionByHash') ?? null) !== null) return { type: 'taken' }
    const detail = `${error.message} (${error.code})`
    if (why === undefined) throw new NodeError(`eth_sendRawTransaction failed: ${detail}`)
    return { type: 'refused', why, detail }
  }
}

function statesNoPrice(receipt: unknown): boolean {
  return receipt !== null && (field(receipt, 'effectiveGasPrice') ?? null) === null
}

const feeBlocks = 20

/** Returns the tip (priority fee) that the node suggests, or the median tip of recent blocks. */
function tipOf(suggestion: RpcAnswer | undefined, history: unknown): bigint {
  if (suggestion?.error === undefined) return amountOf(suggestion?.result, 'suggested tip')
  const tips = arrayOf(field(history, 'reward'), 'tips')
    .map((tip) => amountOf(arrayOf(tip, 'tips')[0], 'tip'))
    .sort((a, b) => (a < b ? -1 : 1))
  return tips[Math.floor(tips.length / 2)] ?? 0n
}
