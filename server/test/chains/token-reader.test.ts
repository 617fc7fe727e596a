/** Tests how transfers of tokens are read from logs alone, also from nodes that lack blocks or limit ranges. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openChain } from '../../src/chains/open-chain.ts'
import { type ChainReader, NodeError } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import { readTestContract, useAnvil } from '../support/anvil.ts'
import { type NodeLimits, startLimitedNode } from '../support/limited-node.ts'
import { type Alter, startAlteredNode } from './altered-node.ts'
import { devNetwork, openDevChain } from './evm-harness.ts'

const never = new AbortController().signal
const anvil = useAnvil()
let contract: string
/** The blocks of the test. The second pays twice in one transaction; the third has no transfer of the token. */
let range: { readonly from: number; readonly to: number }
const payees = () => [required(anvil.accounts[5], 'payee'), required(anvil.accounts[6], 'payee')]

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

beforeAll(async () => {
  contract = (await anvil.deployTokens()).USDT
  const artifact = await readTestContract('MultiSender')
  const sender = await anvil.deploy(artifact)
  const [first = ''] = payees()
  await anvil.sendToken({ contract, to: sender, amountMinor: 100n })
  const from = (await anvil.mine()) + 1
  await anvil.sendToken({ contract, to: first, amountMinor: 5n })
  await anvil.mine()
  await anvil.sendCall({ contract: sender, artifact, name: 'pay', args: [contract, payees(), [1n, 2n]] })
  await anvil.sendToken({ contract, to: first, amountMinor: 7n })
  await anvil.mine()
  await anvil.sendCoin({ to: first, amountMinor: 6n })
  await anvil.mine()
  range = { from, to: await anvil.mine(3) }
})

function reading(...urls: string[]): ChainReader {
  const reader = openChain({ network: devNetwork, urls, tokensOnly: true, log: silentLog })
  opened.push(() => reader.close())
  return reader
}

function tokensOf(reader: ChainReader) {
  return required(reader.tokens, 'its tokens')
}

async function altered(alter: Alter) {
  const node = await startAlteredNode(anvil.url, alter)
  opened.push(() => node.close())
  return node
}

async function limited(limits: Partial<NodeLimits>) {
  const node = await startLimitedNode(anvil.url, limits)
  opened.push(() => node.close())
  return node
}

/** Reads the range from logs, and then whole every transaction with a transfer. */
async function readAll(reader: ChainReader) {
  const tokens = tokensOf(reader)
  const blocks = await tokens.readSighted(range, [contract], never)
  return Promise.all(
    blocks.map(async ({ block, transfers }) => {
      const txHashes = [...new Set(transfers.map(({ txHash }) => txHash))]
      return { block, transfers: await tokens.readTransfers(block, txHashes, never) }
    }),
  )
}

/** Reads the range as a network is read on which the coin is accepted too. */
async function readWhole() {
  const reader = openDevChain(anvil.url)
  opened.push(() => reader.close())
  const heights = Array.from({ length: range.to - range.from + 1 }, (_, index) => range.from + index)
  const blocks = await Promise.all(heights.map((height) => reader.readBlock(height, never)))
  return blocks.map((facts) => {
    const { block, transfers } = required(facts, 'a block')
    return { block, transfers: transfers.filter(({ asset }) => asset.type === 'token') }
  })
}

describe('reading tokens from logs', () => {
  it('gives the same transfers with the same keys as reading whole blocks', async () => {
    const whole = await readWhole()
    expect(whole.flatMap(({ transfers }) => transfers)).toHaveLength(4)
    expect(await readAll(reading(anvil.url))).toEqual(whole)
  })

  it('asks again by hash for a block whose bloom filter holds the token, if the range had no logs', async () => {
    const node = await altered((call, answer) =>
      call.method === 'eth_getLogs' && isRange(call.params[0]) ? { ...answer, result: [] } : answer,
    )
    expect(await readAll(reading(node.url))).toEqual(await readWhole())
    const again = node.calls.filter(({ method, params }) => method === 'eth_getLogs' && !isRange(params[0]))
    expect(again).toHaveLength(2)
  })

  it('returns nothing while the node lacks the last block', async () => {
    const blocks = await tokensOf(reading(anvil.url)).readSighted(
      { ...range, to: range.to + 1 },
      [contract],
      never,
    )
    expect(blocks).toEqual([])
  })

  it('asks for shorter ranges if the node refuses the range', async () => {
    const node = await altered((call, answer) =>
      call.method === 'eth_getLogs' && lengthOf(call.params[0]) > 2
        ? { id: answer['id'], jsonrpc: '2.0', error: { code: -32005, message: 'block range is too large' } }
        : answer,
    )
    expect(await readAll(reading(node.url))).toEqual(await readWhole())
  })

  it.each([0, 2, 3])('reads from a node with batches of at most %i calls', async (batchMax) => {
    const node = await limited({ batchMax })
    expect(await readAll(reading(node.url))).toEqual(await readWhole())
  })

  it('asks for the last header next to the logs, so that one answer has both', async () => {
    const node = await limited({ batchMax: 3 })
    await readAll(reading(node.url))
    const withLogs = node.requests.filter((calls) => calls.some(({ params }) => isRange(params[0])))
    const last = withLogs.at(-1)?.find(({ method }) => method === 'eth_getBlockByNumber')
    expect(Number(last?.params[0])).toBe(range.to)
  })

  it('books nothing that one of two nodes hides', async () => {
    const hiding = await altered((call, answer) =>
      call.method === 'eth_getLogs' ? { ...answer, result: [] } : answer,
    )
    const reader = reading(anvil.url, hiding.url)
    await expect(tokensOf(reader).readSighted(range, [contract], never)).rejects.toThrow(
      'no two of 2 nodes agree',
    )
  })

  it('believes two of three nodes', async () => {
    const hiding = await altered((call, answer) =>
      call.method === 'eth_getLogs' ? { ...answer, result: [] } : answer,
    )
    expect(await readAll(reading(hiding.url, anvil.url, anvil.url))).toEqual(await readWhole())
  })

  it.each([
    ['reverted', (receipt: Receipt) => ({ ...receipt, status: '0x0' })],
    ['in another block', (receipt: Receipt) => ({ ...receipt, blockHash: `0x${'ab'.repeat(32)}` })],
    ['short of a log', (receipt: Receipt) => ({ ...receipt, logs: receipt.logs.slice(1) })],
    ['missing', () => null],
  ])('rejects a transaction whose receipt is %s', async (_, change) => {
    const node = await altered((call, answer) =>
      call.method === 'eth_getTransactionReceipt'
        ? { ...answer, result: change(answer['result'] as Receipt) }
        : answer,
    )
    await expect(readAll(reading(node.url))).rejects.toThrow(NodeError)
  })

  it('rejects logs of other blocks and of other tokens', async () => {
    const ofOtherBlock = await altered((call, answer) =>
      call.method === 'eth_getLogs'
        ? { ...answer, result: moved(answer['result'], 'blockHash', 32) }
        : answer,
    )
    const ofOtherToken = await altered((call, answer) =>
      call.method === 'eth_getLogs' ? { ...answer, result: moved(answer['result'], 'address', 20) } : answer,
    )
    for (const node of [ofOtherBlock, ofOtherToken])
      await expect(readAll(reading(node.url))).rejects.toThrow('which was not asked for')
  })
})

interface Receipt {
  readonly logs: readonly unknown[]
}

interface Filter {
  readonly fromBlock?: string
  readonly toBlock?: string
}

function isRange(filter: unknown): boolean {
  return (filter as Filter | undefined)?.fromBlock !== undefined
}

function lengthOf(filter: unknown): number {
  const { fromBlock, toBlock } = filter as Filter
  return Number(toBlock) - Number(fromBlock) + 1
}

function moved(logs: unknown, field: string, bytes: number): readonly unknown[] {
  return (logs as readonly object[]).map((log) => ({ ...log, [field]: `0x${'cd'.repeat(bytes)}` }))
}
