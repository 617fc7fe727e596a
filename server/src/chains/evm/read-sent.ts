/** Reads from a node the number of transactions that an address sent, and the bytes of one transaction. */
import type { Hex, TransactionSerializable } from 'viem'
import { call, fieldsOf, type RpcAnswer, type RpcCall, resultOf } from '../json-rpc.ts'
import type { SentCounts, SentTransaction, Spend } from '../port.ts'
import { countOf } from './answers.ts'
import { canonicalType } from './encoding/transaction-types.ts'
import { spendOf } from './spend-call.ts'

type Ask = (calls: readonly RpcCall[]) => Promise<readonly RpcAnswer[]>

const tags = ['finalized', 'latest', 'pending'] as const

/**
 * Reads three counts of each address's transactions: (1) in final blocks, (2) in all blocks, (3) in all blocks
 * plus the mempool. A node with pruned state may reject count 1, and a node without a mempool may reject count
 * 3. Every node answers count 2.
 */
export async function readSentCounts(ask: Ask, addresses: readonly string[]): Promise<readonly SentCounts[]> {
  const calls = addresses.flatMap((address) =>
    tags.map((tag) => call('eth_getTransactionCount', address, tag)),
  )
  const answers = await ask(calls)
  return addresses.map((_, index) => {
    const [final, latest, pending] = answers.slice(index * tags.length, (index + 1) * tags.length)
    return {
      final: countIn(final),
      latest: countOf(resultOf(latest, method), 'nonce'),
      pending: countIn(pending),
    }
  })
}

const method = 'eth_getTransactionCount'

function countIn(answer: RpcAnswer | undefined): number | undefined {
  if (answer?.error !== undefined) return undefined
  return countOf(resultOf(answer, method), 'nonce')
}

/**
 * Reads a transaction and rebuilds its signed bytes. The bytes are correct if their hash is the requested
 * hash. The signature proves the sender. Returns undefined if the node does not have the transaction, or if
 * its bytes cannot be rebuilt.
 *
 * A transaction without this chain id in its signature (EIP-155) is never one of ours. It is returned without its
 * spend, so that no order is taken for paid by it.
 */
export async function readSent(
  ask: Ask,
  txHash: string,
  chainId: number,
): Promise<SentTransaction | undefined> {
  const [answer] = await ask([call('eth_getTransactionByHash', txHash)])
  const reported = resultOf(answer, 'eth_getTransactionByHash') ?? null
  if (reported === null) return undefined
  const { keccak256, parseTransaction, recoverTransactionAddress } = await loadTransactionCodec()
  const raw = await serialized(reported)
  if (raw === undefined || keccak256(raw) !== txHash) return undefined
  const { nonce = 0, gas = 0n, ...rest } = parseTransaction(raw)
  const sender = await recoverTransactionAddress({ serializedTransaction: raw as never })
  const { maxFeePerGas, maxPriorityFeePerGas, gasPrice } = rest
  return {
    txHash,
    raw: raw.slice(2),
    sender: sender.toLowerCase(),
    nonce,
    gasLimit: gas,
    maxFeePerGas: maxFeePerGas ?? gasPrice ?? 0n,
    maxPriorityFeePerGas: maxPriorityFeePerGas ?? gasPrice ?? 0n,
    spend: rest.chainId === chainId ? spendIn(rest) : undefined,
  }
}

/**
 * Loads viem, which supports every type of transaction but takes a quarter of a second to load. Viem is loaded
 * only when a sent transaction must be read again, which happens after the database has lost data.
 */
const loadTransactionCodec = () => import('viem')

/** Rebuilds the signed bytes of a transaction; undefined if the transaction's type is not supported. */
async function serialized(reported: unknown): Promise<Hex | undefined> {
  const { formatTransaction, serializeTransaction } = await loadTransactionCodec()
  try {
    const stated = fieldsOf(reported)
    // Some nodes state no type for type 0, or write types otherwise than viem.
    const canonical = { ...stated, type: canonicalType(stated['type']) }
    const { r, s, v, yParity, ...fields } = formatTransaction(canonical as never)
    const { input: data, to, type, ...rest } = fields
    const signature = type === 'legacy' ? { r, s, v } : { r, s, yParity }
    const transaction = { ...rest, to, data, type } as TransactionSerializable
    return serializeTransaction(transaction, signature as never)
  } catch {
    return undefined
  }
}

function spendIn({
  to,
  value,
  data,
}: Pick<TransactionSerializable, 'to' | 'value' | 'data'>): Spend | undefined {
  if (to === undefined || to === null) return undefined
  const callBytes = data ?? '0x'
  // A transaction of ours never calls a contract and sends coin at the same time.
  if (callBytes !== '0x' && (value ?? 0n) > 0n) return undefined
  try {
    return spendOf({ to: to.toLowerCase() as Hex, amountMinor: value ?? 0n, callBytes })
  } catch {
    return undefined
  }
}
