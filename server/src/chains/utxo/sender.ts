/** Sends to a chain of the UTXO family through one node. */

import { call, field, resultOf } from '../json-rpc.ts'
import type { UtxoNetwork } from '../networks.ts'
import { type BroadcastAnswer, NodeError } from '../port.ts'
import { foundAnswer, hashOf, listOf, textOf } from './answers.ts'
import type { BlockSpan, CoinSender, FeeRate, SpentCoin } from './coin-port.ts'
import { answerTimeoutMs, CoreCalls } from './core-calls.ts'
import { readRawTransaction } from './encoding/raw-block.ts'
import { readFeeRate } from './fee-rate.ts'
import { fetchRawBlock } from './fetch-raw-block.ts'
import { SpentFinder } from './find-spent.ts'
import { findWaitingSpender } from './find-waiting.ts'
import type { CoreNode } from './reader.ts'
import { readReason, readSendRefusal } from './refusals.ts'

export function openUtxoSender({ network, url, timeoutMs = answerTimeoutMs }: CoreNode): CoinSender {
  return new UtxoSender(network, new CoreCalls(network, url, timeoutMs))
}

/** No fee is too high for the node: the signer holds them to the operator's own limits. */
const anyFee = 0
/** Core's RPC_METHOD_NOT_FOUND. */
const noSuchMethod = -32601

class UtxoSender implements CoinSender {
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
    if (answer?.refusal?.code === noSuchMethod) return undefined
    if (answer?.refusal !== undefined && readSendRefusal(answer.refusal) === 'other') return noTransaction
    const [judged] = listOf(resultOf(answer, 'testmempoolaccept'), 'judgements')
    if (field(judged, 'txid') !== txid)
      throw new NodeError(`the node judged another transaction than ${txid}`)
    if (field(judged, 'allowed') === true) return { type: 'taken' }
    const detail = textOf(field(judged, 'reject-reason'), 'reason')
    const why = readReason(detail)
    return why === 'known' ? { type: 'taken' } : { type: 'refused', why, detail }
  }

  async broadcast(raw: string, signal: AbortSignal): Promise<BroadcastAnswer> {
    const txid = idOf(raw)
    signal.throwIfAborted()
    if (txid === undefined) return noTransaction
    const limits = this.#row.chain.isLegacyCore ? [] : [anyFee]
    const [answer] = await this.#calls.ask([call('sendrawtransaction', raw, ...limits)], signal)
    if (answer?.refusal === undefined) {
      const told = hashOf(resultOf(answer, 'sendrawtransaction'), 'hash of what was sent')
      if (told === txid) return { type: 'taken' }
      throw new NodeError(`the node was sent ${txid} and says ${told}`)
    }
    const why = readSendRefusal(answer.refusal)
    if (why === 'known') return { type: 'taken' }
    // Whatever a node says of a transaction that it has: it has it.
    const [entry] = await this.#calls.ask([call('getmempoolentry', txid)], signal)
    if (foundAnswer(entry, 'getmempoolentry') !== undefined) return { type: 'taken' }
    const detail = `${answer.refusal.message} (${answer.refusal.code})`
    if (why === undefined) throw new NodeError(`sendrawtransaction was refused: ${detail}`)
    return { type: 'refused', why, detail }
  }

  findSpent(outpoint: string, span: BlockSpan, signal: AbortSignal): Promise<SpentCoin | undefined> {
    return this.#spent.find(outpoint, span, signal)
  }

  findWaitingSpender(outpoint: string, signal: AbortSignal): Promise<string | undefined> {
    return findWaitingSpender(this.#calls, outpoint, signal)
  }

  /** From the whole block: nodes before Core 0.17 find no single transaction in one (Dogecoin). */
  async readMakers(
    blockHash: string,
    txHashes: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const wanted = new Set(txHashes)
    const { transactions } = await fetchRawBlock(this.#calls, blockHash, this.#row.chain.hasAuxPow, signal)
    const found = transactions.filter(({ txid }) => wanted.has(txid))
    return new Map(found.map(({ txid, pieces }) => [txid, Buffer.concat(pieces).toString('hex')]))
  }

  close(): Promise<void> {
    return this.#calls.rpc.close()
  }
}

const noTransaction: BroadcastAnswer = {
  type: 'refused',
  why: 'other',
  detail: 'the bytes are no transaction',
}

function idOf(raw: string): string | undefined {
  try {
    return readRawTransaction(raw).txid
  } catch (error) {
    if (error instanceof NodeError) return undefined
    throw error
  }
}
