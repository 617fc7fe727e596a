/** Reads from a node how many transactions an address of ours has sent, and the bytes of one of them. */
import type { Hex, TransactionSerializable } from 'viem'
import { call, type RpcAnswer, type RpcCall, resultOf } from '../json-rpc.ts'
import type { SentCounts, SentTransaction, Spend } from '../port.ts'
import { countOf } from './answers.ts'
import { spendOf } from './spend-call.ts'

type Ask = (calls: readonly RpcCall[]) => Promise<readonly RpcAnswer[]>

const tags = ['finalized', 'latest', 'pending'] as const

/**
 * Reads how many transactions of each address are in final blocks, in blocks, and in blocks or the mempool. Nodes may refuse
 * the first (state that is pruned) and the last (no mempool); all of them tell the second.
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
  if (answer?.refusal !== undefined) return undefined
  return countOf(resultOf(answer, method), 'nonce')
}

/**
 * Reads a transaction and makes its signed bytes anew. They are believed since they have the hash that was asked for; so is
 * the sender, whom their signature shows.
 */
export async function readSent(ask: Ask, txHash: string): Promise<SentTransaction | undefined> {
  const [answer] = await ask([call('eth_getTransactionByHash', txHash)])
  const told = resultOf(answer, 'eth_getTransactionByHash') ?? null
  if (told === null) return undefined
  const { keccak256, parseTransaction, recoverTransactionAddress } = await loadTransactionCodec()
  const raw = await serialized(told)
  if (raw === undefined || keccak256(raw) !== txHash) return undefined
  const { nonce = 0, gas = 0n, ...rest } = parseTransaction(raw)
  const sender = await recoverTransactionAddress({ serializedTransaction: raw as never })
  const { maxFeePerGas, maxPriorityFeePerGas, gasPrice } = rest
  return {
    txHash,
    raw: raw.slice(2),
    sender: sender.toLowerCase(),
    nonce,
    gas,
    maxFeeMinor: maxFeePerGas ?? gasPrice ?? 0n,
    tipMinor: maxPriorityFeePerGas ?? gasPrice ?? 0n,
    spend: spendIn(rest),
  }
}

/** It knows every type of transaction, and takes a quarter of a second to load: this is read after a loss alone. */
const loadTransactionCodec = () => import('viem')

/** Undefined where the node tells of a transaction of a type that is not known here. */
async function serialized(told: unknown): Promise<Hex | undefined> {
  const { formatTransaction, serializeTransaction } = await loadTransactionCodec()
  try {
    const { r, s, v, yParity, ...fields } = formatTransaction(told as never)
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
  // Whoever sends coin along with a call does what no transaction of ours does.
  if (callBytes !== '0x' && (value ?? 0n) > 0n) return undefined
  try {
    return spendOf({ to: to.toLowerCase() as Hex, amountMinor: value ?? 0n, callBytes })
  } catch {
    return undefined
  }
}
