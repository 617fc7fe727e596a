/** Reads an EVM chain through one node. `read-block.ts` describes how a block is read. */

import { call, field, quantity, type RpcAnswer, resultOf } from '../json-rpc.ts'
import {
  type BlockRef,
  type ChainReader,
  type ChainTraits,
  NodeError,
  type SanctionsReader,
  type TokenReader,
  type TransactionLookup,
  type TransferAsset,
} from '../port.ts'
import { amountOf, codeOf, type Header, hashOf, readHeader, readReceipt } from './answers.ts'
import { answerTimeoutMs, ChainCalls } from './chain-calls.ts'
import { isContractCode } from './encoding/account-code.ts'
import { signerOfTransaction } from './encoding/transaction-bytes.ts'
import type { EvmNetwork } from './evm-networks.ts'
import { watchHeads } from './heads.ts'
import { JointCalls } from './joint-calls.ts'
import { blockReader, type ReadBlock, sameHeight } from './read-block.ts'
import { EvmTokenReader } from './token-reader.ts'
import { Tracing } from './tracing/tracing.ts'

export interface EvmNode {
  readonly network: EvmNetwork
  readonly url: string
  readonly timeoutMs?: number
  /** Whether blocks must be proven against their hashes. Must be true if the node may be trusted alone. */
  readonly provesBlocks?: boolean
  /** Whether tokens alone are accepted, so that blocks are read from their logs. */
  readonly tokensOnly?: boolean
}

export function openEvmReader(node: EvmNode): ChainReader {
  return new EvmReader(node)
}

class EvmReader implements ChainReader {
  readonly network
  readonly sanctions: SanctionsReader = {
    isListed: (oracle, addresses, signal) => this.#isListed(oracle, addresses, signal),
  }
  readonly tokens: TokenReader | undefined
  readonly #url: string
  readonly #calls: ChainCalls
  readonly #readBlock: ReadBlock
  readonly #receipts: JointCalls
  readonly #tracing: Tracing

  constructor({
    network,
    url,
    timeoutMs = answerTimeoutMs,
    provesBlocks = false,
    tokensOnly = false,
  }: EvmNode) {
    this.network = network.name
    this.#url = url
    this.#calls = new ChainCalls(
      network,
      url,
      timeoutMs,
      async (signal) => void (await tracing.method(signal)),
    )
    const { rpc } = this.#calls
    const tracing = new Tracing(rpc, timeoutMs)
    this.#tracing = tracing
    this.#readBlock = blockReader({ rpc, tracing, timeoutMs, provesBlocks })
    this.tokens = tokensOnly ? new EvmTokenReader(this.#calls) : undefined
    this.#receipts = new JointCalls((calls, signal) => this.#calls.ask(calls, signal))
  }

  get traits(): ChainTraits {
    const seesInternalTransfers = this.#tracing.seesCalls
    return { family: 'evm', hasContracts: true, seesInternalTransfers, hasOutpoints: false }
  }

  checkIdentity(signal: AbortSignal): Promise<void> {
    return this.#calls.checkIdentity(signal)
  }

  async readHead(signal: AbortSignal): Promise<BlockRef> {
    const header = await this.#readHeaderAt('latest', signal)
    if (header === undefined) throw new NodeError(`node ${this.#calls.rpc.node} has no latest block`)
    return header.block
  }

  async readFinalHeight(signal: AbortSignal): Promise<number | undefined> {
    const [answer] = await this.#calls.ask([call('eth_getBlockByNumber', 'finalized', false)], signal)
    // A node that does not support the tag `finalized`, or has no final block yet, answers with an error or
    // null.
    return answer?.error === undefined ? readHeader(answer?.result)?.block.height : undefined
  }

  async readHeader(height: number, signal: AbortSignal): Promise<BlockRef | undefined> {
    return sameHeight(await this.#readHeaderAt(quantity(height), signal), height)?.block
  }

  async readBlock(height: number, signal: AbortSignal) {
    await this.#calls.requireIdentity(signal)
    return this.#readBlock(height, signal)
  }

  async requireSuccess(block: BlockRef, txHashes: readonly string[], signal: AbortSignal): Promise<void> {
    const calls = txHashes.map((txHash) => call('eth_getTransactionReceipt', txHash))
    const answers = await this.#receipts.ask(calls, signal)
    for (const [index, txHash] of txHashes.entries()) requireReceipt(answers[index], block, txHash)
  }

  async readSigners(
    txHashes: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (string | undefined)[]> {
    const calls = txHashes.map((txHash) => call('eth_getTransactionByHash', txHash))
    const answers = await this.#calls.ask(calls, signal)
    return txHashes.map((txHash, index) => {
      const reported = resultOf(answers[index], 'eth_getTransactionByHash')
      if (field(reported, 'hash') === txHash) return signerOfTransaction(reported)
      throw new NodeError(`the node does not know transaction ${txHash}`)
    })
  }

  async readTransaction(txHash: string, signal: AbortSignal): Promise<TransactionLookup> {
    const calls = [call('eth_getTransactionByHash', txHash), call('eth_getTransactionReceipt', txHash)]
    const [sent, mined] = await this.#calls.ask(calls, signal)
    const receipt = readReceipt(resultOf(mined, 'eth_getTransactionReceipt'))
    if (receipt === undefined) {
      const isKnown = (resultOf(sent, 'eth_getTransactionByHash') ?? null) !== null
      return { type: isKnown ? 'pending' : 'unknown' }
    }
    if (receipt.txHash !== txHash) throw new NodeError(`the node returned the receipt of ${receipt.txHash}`)
    if (!receipt.succeeded) return { type: 'failed', height: receipt.height }
    const facts = await this.#readBlock(receipt.height, signal)
    if (facts?.block.hash !== receipt.blockHash) throw new NodeError(`${txHash} is changing its block`)
    const transfers = facts.transfers.filter((transfer) => transfer.txHash === txHash)
    return { type: 'mined', block: facts.block, transfers }
  }

  async readBalances(
    asset: TransferAsset,
    addresses: readonly string[],
    height: number,
    signal: AbortSignal,
  ): Promise<readonly bigint[]> {
    const at = quantity(height)
    const calls = addresses.map((address) =>
      asset.type === 'coin'
        ? call('eth_getBalance', address, at)
        : call('eth_call', { to: asset.contract, data: balanceOfCall(address) }, at),
    )
    const answers = await this.#calls.ask(calls, signal)
    return answers.map((answer) => {
      const result = resultOf(answer, 'reading a balance')
      return asset.type === 'coin' ? amountOf(result, 'balance') : BigInt(hashOf(result, 'token balance'))
    })
  }

  async readTotalSupply(contract: string, height: number, signal: AbortSignal): Promise<bigint> {
    // The selector of totalSupply() (EIP-20).
    const asked = call('eth_call', { to: contract, data: '0x18160ddd' }, quantity(height))
    const [answer] = await this.#calls.ask([asked], signal)
    return BigInt(hashOf(resultOf(answer, 'reading a total supply'), 'total supply'))
  }

  async isContract(address: string, signal: AbortSignal): Promise<boolean> {
    const [answer] = await this.#calls.ask([call('eth_getCode', address, 'latest')], signal)
    return isContractCode(codeOf(resultOf(answer, 'eth_getCode')))
  }

  watchHeads(onHead: () => void, signal: AbortSignal): void {
    watchHeads(this.#url, onHead, signal)
  }

  close(): Promise<void> {
    return this.#calls.rpc.close()
  }

  async #isListed(
    oracle: string,
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly boolean[]> {
    const asked = addresses.map((address) =>
      call('eth_call', { to: oracle, data: isSanctionedCall(address) }, 'latest'),
    )
    const [code, ...answers] = await this.#calls.ask(
      [call('eth_getCode', oracle, 'latest'), ...asked],
      signal,
    )
    if (codeOf(resultOf(code, 'eth_getCode')) === '0x')
      throw new NodeError(`there is no sanctions oracle at ${oracle} on ${this.network}`)
    return answers.map((answer) => flagOf(resultOf(answer, 'asking the sanctions oracle')))
  }

  async #readHeaderAt(tag: string, signal: AbortSignal): Promise<Header | undefined> {
    const [answer] = await this.#calls.ask([call('eth_getBlockByNumber', tag, false)], signal)
    return readHeader(resultOf(answer, 'eth_getBlockByNumber'))
  }
}

/**
 * Checks that a receipt belongs to `txHash` in `block` and reports success. @throws NodeError if it does not
 */
function requireReceipt(answer: RpcAnswer | undefined, block: BlockRef, txHash: string): void {
  const receipt = readReceipt(resultOf(answer, 'eth_getTransactionReceipt'))
  if (receipt?.txHash !== txHash) throw new NodeError(`the node has no receipt of ${txHash}`)
  if (receipt.blockHash !== block.hash)
    throw new NodeError(`the receipt of ${txHash} names block ${receipt.blockHash}, not ${block.hash}`)
  if (!receipt.succeeded)
    throw new NodeError(`the node reported transfers of ${txHash}, but its receipt does not report success`)
}

/** Returns the call data of balanceOf(address) (EIP-20). */
function balanceOfCall(address: string): string {
  return `0x70a08231${word(address)}`
}

/** Returns the call data of isSanctioned(address), as Chainalysis' oracle defines the function. */
function isSanctionedCall(address: string): string {
  return `0xdf592f7d${word(address)}`
}

function word(address: string): string {
  return address.slice(2).padStart(64, '0')
}

/** Parses the oracle's answer. Any value except 0 and 1 means that the contract is not a sanctions oracle. */
function flagOf(result: unknown): boolean {
  const value = BigInt(hashOf(result, 'answer of the oracle'))
  if (value <= 1n) return value === 1n
  throw new NodeError('the sanctions oracle returned neither true nor false')
}
