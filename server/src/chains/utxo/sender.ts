/** Sends transactions to a chain of the UTXO family through one node. */

import { call, field, resultOf } from '../json-rpc.ts'
import type { UtxoNetwork } from '../networks.ts'
import { type BroadcastAnswer, NodeError } from '../port.ts'
import { foundAnswer, hashOf, listOf, textOf } from './answers.ts'
import { answerTimeoutMs, CoreCalls } from './core-calls.ts'
import { readRawTransaction } from './encoding/raw-block.ts'
import { readFeeRate } from './fee-rate.ts'
import { fetchRawBlock } from './fetch-raw-block.ts'
import { SpentFinder } from './find-spent.ts'
import { findWaitingSpender } from './find-waiting.ts'
import type { CoreNode } from './reader.ts'
import { readReason, readSendError } from './send-errors.ts'
import type { BlockSpan, FeeRate, SpentOutput, UtxoSender } from './utxo-port.ts'

export function openUtxoNodeSender({ network, url, timeoutMs = answerTimeoutMs }: CoreNode): UtxoSender {
  return new UtxoNodeSender(network, new CoreCalls(network, url, timeoutMs))
}

/**
 * The value 0 as maximum fee rate disables the node's own limit. The signer enforces the operator's limits.
 */
const anyFee = 0
/** Core's error code RPC_METHOD_NOT_FOUND. */
const noSuchMethod = -32601

class UtxoNodeSender implements UtxoSender {
  readonly network
  readonly #row: UtxoNetwork
  readonly #calls: CoreCalls
  readonly #spent: SpentFinder

  constructor(network: UtxoNetwork, calls: CoreCalls) {
    this.network = network.name
    this.#row = network
    this.#calls = calls
    this.#spent = new SpentFinder(calls, network.chain.hasAuxPow)
  }

  readFeeRate(blocks: number, signal: AbortSignal): Promise<FeeRate> {
    return readFeeRate(this.#calls, this.#row.chain, blocks, signal)
  }

  async testAccept(raw: string, signal: AbortSignal): Promise<BroadcastAnswer | undefined> {
    const txid = idOf(raw)
    if (txid === undefined) return noTransaction
    const [answer] = await this.#calls.ask([call('testmempoolaccept', [raw], anyFee)], signal)
    if (answer?.error?.code === noSuchMethod) return undefined
    if (answer?.error !== undefined && readSendError(answer.error) === 'other') return noTransaction
    const [accepted] = listOf(resultOf(answer, 'testmempoolaccept'), 'judgements')
    if (field(accepted, 'txid') !== txid)
      throw new NodeError(`the node tested another transaction than ${txid}`)
    if (field(accepted, 'allowed') === true) return { type: 'taken' }
    const detail = textOf(field(accepted, 'reject-reason'), 'reason')
    const why = readReason(detail)
    return why === 'known' ? { type: 'taken' } : { type: 'refused', why, detail }
  }

  async broadcast(raw: string, signal: AbortSignal): Promise<BroadcastAnswer> {
    const txid = idOf(raw)
    signal.throwIfAborted()
    if (txid === undefined) return noTransaction
    const limits = this.#row.chain.isLegacyCore ? [] : [anyFee]
    const [answer] = await this.#calls.ask([call('sendrawtransaction', raw, ...limits)], signal)
    if (answer?.error === undefined) {
      const reported = hashOf(resultOf(answer, 'sendrawtransaction'), 'hash of the sent transaction')
      if (reported === txid) return { type: 'taken' }
      throw new NodeError(`the node returned the hash ${reported} for ${txid}`)
    }
    const why = readSendError(answer.error)
    if (why === 'known') return { type: 'taken' }
    // If the node has the transaction, the broadcast counts as taken, whatever the error says.
    const [entry] = await this.#calls.ask([call('getmempoolentry', txid)], signal)
    if (foundAnswer(entry, 'getmempoolentry') !== undefined) return { type: 'taken' }
    const detail = `${answer.error.message} (${answer.error.code})`
    if (why === undefined) throw new NodeError(`sendrawtransaction failed: ${detail}`)
    return { type: 'refused', why, detail }
  }

  findSpent(outpoint: string, span: BlockSpan, signal: AbortSignal): Promise<SpentOutput | undefined> {
    return this.#spent.find(outpoint, span, signal)
  }

  findWaitingSpender(outpoint: string, signal: AbortSignal): Promise<string | undefined> {
    return findWaitingSpender(this.#calls, outpoint, signal)
  }

  /**
   * Reads the whole block, because a Dogecoin node cannot find a single transaction in a block. Dogecoin Core
   * is based on Bitcoin Core 0.14, and `getrawtransaction` takes the hash of a block only from 0.16 on.
   */
  async readPreviousTransactions(
    blockHash: string,
    txHashes: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const wanted = new Set(txHashes)
    const { transactions } = await fetchRawBlock(this.#calls, blockHash, this.#row.chain.hasAuxPow, signal)
    const found = transactions.filter(({ txid }) => wanted.has(txid))
    return new Map(found.map(({ txid, chunks }) => [txid, Buffer.concat(chunks).toString('hex')]))
  }

  close(): Promise<void> {
    return this.#calls.rpc.close()
  }
}

const noTransaction: BroadcastAnswer = {
  type: 'refused',
  why: 'other',
  detail: 'the bytes are not a transaction',
}

function idOf(raw: string): string | undefined {
  try {
    return readRawTransaction(raw).txid
  } catch (error) {
    if (error instanceof NodeError) return undefined
    throw error
  }
}
