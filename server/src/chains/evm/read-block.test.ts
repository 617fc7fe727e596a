/** Tests how blocks with transactions that the chain itself adds are read, through a node with made answers. */
import { expect, it } from 'vitest'
import type { Rpc, RpcCall } from '../json-rpc.ts'
import { NodeError } from '../port.ts'
import { bloomOf } from './encoding/bloom.ts'
import { bytesField, countField } from './encoding/bytes.ts'
import { keccakOfHex } from './encoding/keccak.ts'
import { orderedTrieRoot } from './encoding/ordered-trie-root.ts'
import { encodeRlp, type RlpItem } from './encoding/rlp.ts'
import { typed } from './encoding/transaction-bytes.ts'
import { blockReader } from './read-block.ts'
import { Tracing } from './tracing/tracing.ts'
import { transferTopic } from './transfers.ts'

const never = new AbortController().signal
const word = (byte: string) => `0x${byte.repeat(32)}`
const payer = `0x${'11'.repeat(20)}`
const payee = `0x${'5a'.repeat(20)}`
const token = `0x${'70'.repeat(20)}`
const item = (hex: string) => bytesField(hex, 'test')

type Fields = Readonly<Record<string, unknown>>

interface Made {
  readonly transaction: Fields
  /** In hex without 0x. */
  readonly bytes: string
  readonly succeeded?: boolean
  readonly logs?: readonly Fields[]
  /** Absent if the node does not trace the transaction. */
  readonly trace?: Fields
}

const deposit = made('0x7e', [
  item(word('01')),
  item(payer),
  item(payee),
  '09',
  '07',
  item('0x030000'),
  item('0x'),
  item('0x'),
]).with({
  sourceHash: word('01'),
  from: payer,
  to: payee,
  mint: '0x9',
  value: '0x7',
  gas: '0x30000',
  input: '0x',
})
const internal = made('0x6a', [item('0xa4b1'), item('0x6bf6a42d')]).with({
  chainId: '0xa4b1',
  input: '0x6bf6a42d',
})
const event = ['01', item(token), item('0x05'), item(word('02'))]
const stateSync = made('0x7f', [event]).with({ input: '0x', value: '0x0', from: payer, to: payee })

/** Returns a transaction of these encoded items; `with` adds the fields that a node reports. */
function made(type: string, items: readonly RlpItem[]) {
  const bytes = typed(type, items)
  return {
    with: (fields: Fields): Made => ({
      transaction: { ...fields, type, hash: keccakOfHex(bytes) },
      bytes,
    }),
  }
}

const callTrace = (value: string, error?: string): Fields => ({
  type: 'call',
  action: { callType: 'call', from: payer, to: payee, value },
  traceAddress: [],
  ...(error !== undefined && { error }),
})

/** Reads a block of these transactions. */
function read(transactions: readonly Made[], provesBlocks: boolean) {
  const receipts = transactions.map(receiptOf)
  const logs = receipts.flatMap((receipt) => receipt.logs)
  const header = {
    parentHash: word('0a'),
    sha3Uncles: word('0b'),
    miner: payer,
    stateRoot: word('0c'),
    transactionsRoot: orderedTrieRoot(transactions.map(({ bytes }) => bytes)),
    receiptsRoot: orderedTrieRoot(receipts.map(encodeReceipt)),
    logsBloom: bloomOf(logs as never),
    difficulty: '0x0',
    number: '0x5',
    gasLimit: '0x1',
    gasUsed: '0x1',
    timestamp: '0x1',
    extraData: '0x',
    mixHash: word('0d'),
    nonce: '0x0000000000000000',
  }
  const counts = ['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp']
  const items = Object.entries(header).map(([name, value]) =>
    counts.includes(name) ? countField(value, name) : item(value),
  )
  const hash = keccakOfHex(encodeRlp(items))
  const within = { blockHash: hash, blockNumber: '0x5' }
  const answers: Readonly<Record<string, (call: RpcCall) => unknown>> = {
    eth_getBlockByNumber: () => ({
      ...header,
      hash,
      transactions: transactions.map((one) => one.transaction),
    }),
    eth_getBlockReceipts: () =>
      receipts.map((receipt) => ({ ...receipt, ...within, logs: placed(receipt.logs, hash) })),
    eth_getLogs: () => placed(logs, hash),
    trace_block: () =>
      transactions.flatMap(({ trace, transaction }) =>
        trace === undefined ? [] : [{ ...trace, blockHash: hash, transactionHash: transaction['hash'] }],
      ),
    eth_getRawTransactionByBlockHashAndIndex: ({ params }) =>
      `0x${transactions[Number(params[1])]?.bytes ?? ''}`,
    eth_getTransactionByHash: ({ params }) =>
      transactions.find(({ transaction }) => transaction['hash'] === params[0])?.transaction,
    eth_getTransactionReceipt: ({ params }) => ({
      ...receipts.find(({ transactionHash }) => transactionHash === params[0]),
      ...within,
    }),
  }
  const rpc: Rpc = {
    node: 'made',
    ask: async (calls) => ({
      answers: calls.map((call) => ({ result: answers[call.method]?.(call) })),
      sizeBytes: 1,
    }),
    close: async () => {},
  }
  const tracing = new Tracing(rpc, 1000)
  return blockReader({ rpc, timeoutMs: 1000, provesBlocks, tracing })(5, never)
}

function receiptOf({ transaction, succeeded = true, logs = [] }: Made) {
  const { hash, type } = transaction
  const status = succeeded ? '0x1' : '0x0'
  const own = logs.map((log) => ({ ...log, transactionHash: hash }))
  return {
    type,
    status,
    transactionHash: hash,
    cumulativeGasUsed: '0x1',
    logsBloom: bloomOf(own as never),
    logs: own,
  }
}

function encodeReceipt({ type, status, logsBloom, logs }: ReturnType<typeof receiptOf>): string {
  const items = logs.map((log) => {
    const { address, topics, data } = log as unknown as { address: string; topics: string[]; data: string }
    return [item(address), topics.map(item), item(data)]
  })
  return typed(type, [countField(status, 'status'), '01', item(logsBloom), items])
}

function placed(logs: readonly Fields[], blockHash: string): readonly Fields[] {
  return logs.map((log, index) => ({ ...log, blockHash, logIndex: `0x${index}` }))
}

const modes = [
  ['a single node', true],
  ['several nodes', false],
] as const

it.each(modes)('a deposit pays its value once, and its mint is no transfer: %s', async (_, proves) => {
  const facts = await read([{ ...deposit, trace: callTrace('0x7') }], proves)
  expect(facts?.transfers).toMatchObject([{ sender: payer, recipient: payee, amountMinor: 7n }])
})

it.each(modes)(
  'a deposit may have no trace if it failed, since its sender had too little: %s',
  async (_, proves) => {
    const failed = { ...deposit, succeeded: false }
    expect((await read([failed], proves))?.transfers).toEqual([])
    expect((await read([{ ...failed, trace: callTrace('0x7', 'Reverted') }], proves))?.transfers).toEqual([])
    await expect(read([deposit], proves)).rejects.toThrow(NodeError)
  },
)

it('a failed deposit whose trace reports a payment is refused from a single node', async () => {
  const lie = { ...deposit, succeeded: false, trace: callTrace('0x7') }
  await expect(read([lie], true)).rejects.toThrow(/contradict each other/)
})

it.each(modes)(
  'a state-sync transaction of Polygon may have no trace, and its token transfers count: %s',
  async (_, proves) => {
    const topics = [transferTopic, `0x${'0'.repeat(64)}`, `0x${'0'.repeat(24)}${payee.slice(2)}`]
    const log = { address: token, topics, data: `0x${'4'.padStart(64, '0')}` }
    const facts = await read([{ ...stateSync, logs: [log] }], proves)
    expect(facts?.transfers).toMatchObject([
      { recipient: payee, amountMinor: 4n, asset: { contract: token } },
    ])
    expect((await read([{ ...stateSync, trace: callTrace('0x0') }], proves))?.transfers).toEqual([])
  },
)

it('another transaction that is reported as a state-sync transaction is refused, since it may pay', async () => {
  const lie = { ...deposit, transaction: { ...deposit.transaction, type: '0x7f' } }
  await expect(read([lie], true)).rejects.toThrow(/does not have the type/)
})

it('an amount that the hash of an internal transaction of Arbitrum does not cover is refused', async () => {
  expect((await read([{ ...internal, trace: callTrace('0x0') }], true))?.transfers).toEqual([])
  const lie = { ...internal.transaction, to: payee, value: '0x7' }
  await expect(read([{ ...internal, transaction: lie, trace: callTrace('0x7') }], true)).rejects.toThrow(
    /does not have the amount/,
  )
})

it.each(modes)('a transaction without a trace is refused if its type needs one: %s', async (_, proves) => {
  await expect(read([internal], proves)).rejects.toThrow(NodeError)
})
