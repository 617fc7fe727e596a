/** Sends to an EVM chain through one node, and reads what became of it. */
import { call, field, quantity, type RpcAnswer, type RpcRefusal, resultOf } from '../json-rpc.ts'
import type { EvmNetwork } from '../networks.ts'
import {
  type AccountSender,
  type BroadcastAnswer,
  type FeeLevel,
  NodeError,
  type TakenPlace,
  type TransactionReceipt,
} from '../port.ts'
import { amountOf, arrayOf, codeOf, countOf, hashOf, readSpentReceipt } from './answers.ts'
import { answerTimeoutMs, ChainCalls } from './chain-calls.ts'
import { keccak256 } from './encoding/keccak.ts'
import { delegationPrefix, estimateGas } from './estimate-gas.ts'
import { findTaken } from './find-taken.ts'
import { JointCalls } from './joint-calls.ts'
import { readSent, readSentCounts } from './read-sent.ts'
import type { EvmNode } from './reader.ts'
import { readBroadcastRefusal } from './refusals.ts'

export function openEvmSender({ network, url, timeoutMs = answerTimeoutMs }: EvmNode): AccountSender {
  return new EvmSender(network, url, timeoutMs)
}

class EvmSender implements AccountSender {
  readonly network
  readonly canDelegate
  readonly #calls: ChainCalls
  /** What is estimated or sent at the same time travels together. */
  readonly #joint: JointCalls

  constructor(network: EvmNetwork, url: string, timeoutMs: number) {
    this.network = network.name
    this.canDelegate = network.canDelegate
    this.#calls = new ChainCalls(network, url, timeoutMs)
    this.#joint = new JointCalls((calls, signal) => this.#calls.ask(calls, signal))
  }

  async readFees(signal: AbortSignal): Promise<FeeLevel> {
    const [history, suggestion] = await this.#calls.ask(
      [call('eth_feeHistory', quantity(feeBlocks), 'latest', [50]), call('eth_maxPriorityFeePerGas')],
      signal,
    )
    const read = resultOf(history, 'eth_feeHistory')
    // The last is the next block's.
    const baseFeeMinor = amountOf(
      arrayOf(field(read, 'baseFeePerGas'), 'fees').at(-1),
      'fee of the next block',
    )
    return { baseFeeMinor, tipMinor: tipOf(suggestion, read) }
  }

  estimateGas(...[sender, spend, signal]: Parameters<AccountSender['estimateGas']>) {
    return estimateGas(this.#joint, sender, spend, signal)
  }

  async broadcast(raw: string, signal: AbortSignal): Promise<BroadcastAnswer> {
    const txHash = `0x${keccak256(Buffer.from(raw, 'hex')).toString('hex')}`
    const [answer] = await this.#joint.ask([call('eth_sendRawTransaction', `0x${raw}`)], signal)
    if (answer?.refusal !== undefined) return this.#afterRefusal(txHash, answer.refusal, signal)
    const told = hashOf(resultOf(answer, 'eth_sendRawTransaction'), 'hash of what was sent')
    if (told === txHash) return { type: 'taken' }
    throw new NodeError(`the node was sent ${txHash} and says ${told}`)
  }

  async readReceipts(
    txHashes: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (TransactionReceipt | undefined)[]> {
    const calls = txHashes.map((txHash) => call('eth_getTransactionReceipt', txHash))
    const answers = await this.#calls.ask(calls, signal)
    return txHashes.map((txHash, index) => {
      const receipt = readSpentReceipt(resultOf(answers[index], 'eth_getTransactionReceipt'))
      if (receipt === undefined || receipt.txHash === txHash) return receipt
      throw new NodeError(`the node gave the receipt of ${receipt.txHash} for ${txHash}`)
    })
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
    return readSent((calls) => this.#calls.ask(calls, signal), txHash)
  }

  findTaken(
    address: string,
    nonce: number,
    height: number,
    signal: AbortSignal,
  ): Promise<TakenPlace | undefined> {
    return findTaken((calls) => this.#calls.ask(calls, signal), address, nonce, height)
  }

  async readDelegates(
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (string | undefined)[]> {
    const codes = await this.#readCodes(addresses, signal)
    return codes.map((code) =>
      code.length === delegatedChars && code.startsWith(delegationPrefix)
        ? `0x${code.slice(delegationPrefix.length)}`
        : undefined,
    )
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

  /** Whatever a node says of a transaction that it has: it has it. */
  async #afterRefusal(txHash: string, refusal: RpcRefusal, signal: AbortSignal): Promise<BroadcastAnswer> {
    const why = readBroadcastRefusal(refusal)
    if (why === 'known') return { type: 'taken' }
    const [sight] = await this.#joint.ask([call('eth_getTransactionByHash', txHash)], signal)
    if ((resultOf(sight, 'eth_getTransactionByHash') ?? null) !== null) return { type: 'taken' }
    const detail = `${refusal.message} (${refusal.code})`
    if (why === undefined) throw new NodeError(`eth_sendRawTransaction was refused: ${detail}`)
    return { type: 'refused', why, detail }
  }
}

const feeBlocks = 20
const delegatedChars = delegationPrefix.length + 40

/** What the node suggests, or else half of what was mined lately offered no more than. */
function tipOf(suggestion: RpcAnswer | undefined, history: unknown): bigint {
  if (suggestion?.refusal === undefined) return amountOf(suggestion?.result, 'suggested tip')
  const tips = arrayOf(field(history, 'reward'), 'tips')
    .map((tip) => amountOf(arrayOf(tip, 'tips')[0], 'tip'))
    .sort((a, b) => (a < b ? -1 : 1))
  return tips[Math.floor(tips.length / 2)] ?? 0n
}
