/** Makes a chain of blocks, of which some contain a payment to us. */

import { parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { bloomOf } from '../../src/chains/evm/encoding/bloom.ts'
import { orderedTrieRoot } from '../../src/chains/evm/encoding/ordered-trie-root.ts'
import { hexOfCount } from '../../src/chains/evm/encoding/rlp.ts'
import { required } from '../../src/core/assert.ts'
import {
  bytesOf,
  hashMark,
  hashOfHeader,
  heightMark,
  hex,
  type MadeLog,
  type MadeTransaction,
  makeBody,
  makeTransaction,
  randomBytes,
  transferLog,
} from './make-body.ts'
import type { Shape } from './shapes.ts'

/** What a chain should contain. Can be sent to another process. */
export interface ChainPlan {
  readonly shape: Shape
  readonly chainId: number
  /** The token in which payments are made comes first. */
  readonly tokens: readonly string[]
  /** Height of the highest block. Block 0 is the first. */
  readonly height: number
  /** A block whose height is a multiple of this number has a payment. */
  readonly blocksPerPayment: number
  /** Payments go to these addresses in turn. */
  readonly recipients: readonly string[]
  readonly amountMinor: string
  readonly seed: string
}

export interface MadeBlock {
  readonly hash: string
  readonly height: number
  /** The header without transactions, as JSON without the closing brace. */
  readonly headerJson: string
  readonly body: Body
  readonly payment: MadeTransaction | undefined
}

/** The JSON of a block's parts, divided at the marks. The parts are lists without their brackets. */
export interface Body {
  readonly made: readonly MadeTransaction[]
  readonly hashes: string
  readonly transactions: MarkedJson
  readonly receipts: MarkedJson
  readonly logs: MarkedJson
  readonly eachLog: readonly { readonly address: string; readonly json: MarkedJson }[]
  readonly traces: MarkedJson
  readonly logCount: number
}

/** Number of different bodies. Blocks of the same body have the same transactions in other blocks. */
const bodies = 8
const payerKey = `0x${'11'.repeat(32)}` as const

export async function makeChain(plan: ChainPlan): Promise<readonly MadeBlock[]> {
  const { shape, chainId, tokens, seed, blocksPerPayment } = plan
  const made = Array.from({ length: bodies }, (_, index) =>
    bodyOf(makeBody(shape, chainId, tokens, `${seed}:${shape.network}:${index}`)),
  )
  const rootsOf = new Map(made.map((body) => [body, rootsOfAll(body.made)]))
  const blocks: MadeBlock[] = []
  for (let height = 0; height <= plan.height; height += 1) {
    const body = required(made[height % bodies], 'a body')
    const isPaid = height > 0 && height % blocksPerPayment === 0
    const payment = isPaid ? await makePayment(plan, height / blocksPerPayment, body) : undefined
    const roots =
      payment === undefined ? required(rootsOf.get(body), 'roots') : rootsOfAll([...body.made, payment])
    blocks.push({ ...headerOf(shape, height, blocks.at(-1)?.hash, roots), height, body, payment })
  }
  return blocks
}

async function makePayment(
  plan: ChainPlan,
  count: number,
  { made, logCount }: Body,
): Promise<MadeTransaction> {
  const { shape, chainId, tokens, recipients } = plan
  const payer = privateKeyToAccount(payerKey)
  const token = required(tokens[0], 'a token')
  const recipient = required(recipients[count % recipients.length], 'a recipient')
  const from = payer.address.toLowerCase()
  const log = transferLog(token, from, recipient, BigInt(plan.amountMinor))
  const input = `0xa9059cbb${log.topics[2]?.slice(2)}${log.data.slice(2)}` as const
  const unsigned = {
    type: 'eip1559',
    chainId,
    nonce: count,
    to: token as `0x${string}`,
    data: input,
  } as const
  const prices = { gas: 200_000n, maxFeePerGas: 1_000_000n, maxPriorityFeePerGas: 0n }
  const { r, s, yParity } = parseTransaction(await payer.signTransaction({ ...unsigned, ...prices }))
  const signature = {
    r: required(r, 'r'),
    s: required(s, 's'),
    yParity: yParity === 1 ? (1 as const) : (0 as const),
  }
  const signed = { chainId, nonce: count, from, to: token, input, ...signature }
  return makeTransaction(signed, [log], shape.innerCalls, { index: made.length, firstLogIndex: logCount })
}

interface Roots {
  readonly transactions: string
  readonly receipts: string
  readonly bloom: string
}

function rootsOfAll(made: readonly MadeTransaction[]): Roots {
  return {
    transactions: orderedTrieRoot(made.map(({ transactionBytes }) => transactionBytes)),
    receipts: orderedTrieRoot(made.map(({ receiptBytes }) => receiptBytes)),
    bloom: bloomOf(made.flatMap(({ logs }) => logs)),
  }
}

function headerOf(
  shape: Shape,
  height: number,
  parentHash: string | undefined,
  roots: Roots,
): Pick<MadeBlock, 'hash' | 'headerJson'> {
  const word = (what: string) => `0x${randomBytes(`${shape.network}:${height}:${what}`).toString('hex')}`
  const startS = 1_700_000_000
  const fields = {
    parentHash: parentHash ?? word('parent'),
    sha3Uncles: word('uncles'),
    miner: `0x${'00'.repeat(20)}`,
    stateRoot: word('state'),
    transactionsRoot: roots.transactions,
    receiptsRoot: roots.receipts,
    logsBloom: roots.bloom,
    difficulty: '0x0',
    number: hex(height),
    gasLimit: hex(100_000_000),
    gasUsed: hex(40_000_000),
    timestamp: hex(startS + Math.floor((height * shape.blockTimeMs) / 1000)),
    extraData: '0x',
    mixHash: word('mix'),
    nonce: '0x0000000000000000',
    baseFeePerGas: hex(1_000_000),
    withdrawalsRoot: word('withdrawals'),
  }
  const counts: ReadonlySet<string> = new Set([
    'difficulty',
    'number',
    'gasLimit',
    'gasUsed',
    'timestamp',
    'baseFeePerGas',
  ])
  const bytes = Object.entries(fields).map(([name, value]) =>
    counts.has(name) ? hexOfCount(BigInt(value)) : bytesOf(value),
  )
  const hash = hashOfHeader(bytes)
  const json = JSON.stringify({ hash, ...fields, size: hex(200_000), uncles: [] })
  return { hash, headerJson: json.slice(0, -1) }
}

/** JSON that is divided at the marks for the hash and the height of a block. */
export class MarkedJson {
  readonly #parts: readonly string[]
  readonly #marks: readonly ('hash' | 'height')[]

  constructor(items: readonly object[]) {
    const json = items.map((item) => JSON.stringify(item)).join(',')
    this.#parts = json.split(anyMark)
    this.#marks = [...json.matchAll(anyMark)].map(([mark]) => (mark === `"${hashMark}"` ? 'hash' : 'height'))
  }

  /** Returns the JSON with the hash and the height of the block. */
  of({ hash, height }: Pick<MadeBlock, 'hash' | 'height'>): string {
    const values = { hash: `"${hash}"`, height: `"${hex(height)}"` }
    let text = this.#parts[0] ?? ''
    for (const [index, mark] of this.#marks.entries()) text += values[mark] + (this.#parts[index + 1] ?? '')
    return text
  }
}

const anyMark = new RegExp(`"${hashMark}"|"${heightMark}"`, 'g')

function bodyOf(made: readonly MadeTransaction[]): Body {
  const logs = made.flatMap(({ receipt }) => (receipt as { logs: readonly MadeLog[] }).logs)
  return {
    made,
    hashes: made.map(({ hash }) => JSON.stringify(hash)).join(','),
    transactions: new MarkedJson(made.map(({ transaction }) => transaction)),
    receipts: new MarkedJson(made.map(({ receipt }) => receipt)),
    logs: new MarkedJson(logs),
    eachLog: logs.map((log) => ({ address: log.address, json: new MarkedJson([log]) })),
    traces: new MarkedJson(made.flatMap(({ traces }) => traces)),
    logCount: logs.length,
  }
}
