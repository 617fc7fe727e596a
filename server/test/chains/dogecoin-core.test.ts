/**
 * Imitates the answers of Dogecoin Core 1.14, which derives from Bitcoin Core 0.14. The real node cannot be
 * installed in tests.
 */
import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { networks, type UtxoNetwork } from '../../src/chains/networks.ts'
import { openUtxoReader } from '../../src/chains/utxo/reader.ts'
import { openUtxoNodeSender } from '../../src/chains/utxo/sender.ts'
import { utxoChains } from '../../src/chains/utxo/utxo-chains.ts'
import type { UtxoSender } from '../../src/chains/utxo/utxo-port.ts'

const never = new AbortController().signal
const chain = utxoChains.dogecoin.regtest
const dogecoin: UtxoNetwork = { ...networks.dogecoin, chain }

const zeros = (bytes: number) => '00'.repeat(bytes)
const hash = (hex: string) => {
  const inner = createHash('sha256').update(Buffer.from(hex, 'hex')).digest()
  return createHash('sha256').update(inner).digest()
}
const displayed = (bytes: Buffer) => Buffer.from(bytes).reverse().toString('hex')

/**
 * Returns a transaction with one input, and one output of 12.34567890 to the key hash that repeats `digit`.
 */
function transaction(input: string, digit: string): string {
  const script = `76a914${digit.repeat(40)}88ac`
  return `0100000001${input}00ffffffff01d20296490000000019${script}00000000`
}

const coinbase = transaction(`${zeros(32)}ffffffff`, 'a')
const payment = transaction(`${'11'.repeat(32)}00000000`, 'b')
const root = hash(Buffer.concat([hash(coinbase), hash(payment)]).toString('hex')).toString('hex')
const parentHash = 'cd'.repeat(32)
// A header of version 4 and chain id 0x62, merge-mined with another coin (AuxPoW).
const header = `04016200${parentHash}${root}00e1f505ffff7f2000000000`
// The merge-mining proof: the parent chain's coinbase, the hash of its block, a Merkle branch of one hash, an
// empty Merkle branch, and the parent's header.
const auxPow = `${coinbase}${zeros(32)}01${zeros(32)}00000000${'00'}00000000${zeros(80)}`
const block = { hash: displayed(hash(header)), hex: `${header}${auxPow}02${coinbase}${payment}` }

/** The transaction that was sent to the node, and the error with which it answers. */
const sent: { raw: string; error: { code: number; message: string } | undefined } = {
  raw: '',
  error: undefined,
}
const waiting = new Set<string>()

/**
 * Answers one call. `getblock` and `sendrawtransaction` reject numbers as parameters. `testmempoolaccept` and
 * a lookup of an output's spender are missing.
 */
function answerOf(method: string, params: readonly unknown[]) {
  switch (method) {
    case 'getnetworkinfo':
      return { result: { version: 1_140_900, relayfee: 0.001 } }
    case 'getmempoolinfo':
      return { result: { mempoolminfee: 0 } }
    case 'estimatesmartfee':
      return { result: { feerate: -1, blocks: 25 } }
    case 'getblockcount':
      return { result: 7 }
    case 'getblockhash':
      return { result: params[0] === 0 ? chain.genesisHash : block.hash }
    case 'getblock':
      return params[1] === false ? { result: block.hex } : notABoolean
    case 'getmempoolentry':
      return waiting.has(String(params[0])) ? { result: {} } : notThere
    case 'getrawmempool':
      return { result: [...waiting] }
    case 'gettxout':
      return { result: null }
    case 'getrawtransaction':
      return waiting.has(String(params[0])) ? { result: sent.raw } : notThere
    case 'sendrawtransaction':
      sent.raw = String(params[0])
      if (params.length > 1) return notABoolean
      return sent.error === undefined ? { result: displayed(hash(sent.raw)) } : { error: sent.error }
    default:
      return { error: { code: -32_601, message: 'Method not found' } }
  }
}

const notABoolean = { error: { code: -1, message: 'JSON value is not a boolean as expected' } }
const notThere = { error: { code: -5, message: 'Transaction not in mempool' } }

let node: Server
beforeAll(async () => {
  node = createServer(async (request, response) => {
    const calls = (await json(request)) as { id: number; method: string; params: readonly unknown[] }[]
    response.end(JSON.stringify(calls.map(({ id, method, params }) => ({ id, ...answerOf(method, params) }))))
  })
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  node.close()
  node.closeAllConnections()
})

const nodeUrl = () => `http://127.0.0.1:${(node.address() as AddressInfo).port}`

it('reads a merge-mined block, and finds that an output is spent', async () => {
  const reader = openUtxoReader({ network: dogecoin, url: nodeUrl() })
  const facts = await reader.readBlock(7, never)
  const coin = { outpoint: `${'11'.repeat(32)}:0`, recipient: '', amountMinor: 1n }
  expect(await reader.findGone?.([coin], 7, never)).toEqual([coin.outpoint])
  await reader.close()
  expect(facts?.block).toMatchObject({ height: 7, hash: block.hash, parentHash })
  expect(facts?.transfers).toMatchObject([
    { amountMinor: 1_234_567_890n, maturesAfter: 240 },
    { key: `${displayed(hash(payment))}:0`, amountMinor: 1_234_567_890n },
  ])
  expect(facts?.spent).toEqual([{ outpoint: `${'11'.repeat(32)}:0`, txHash: displayed(hash(payment)) }])
})

describe('sending to Dogecoin Core', () => {
  let sender: UtxoSender
  beforeAll(() => {
    sender = openUtxoNodeSender({ network: dogecoin, url: nodeUrl() })
  })
  beforeEach(() => {
    waiting.clear()
    sent.error = undefined
  })
  afterAll(() => sender.close())

  const txHash = displayed(hash(payment))

  it("sends no fee limit beside the bytes, and derives the outcome from the node's message", async () => {
    expect(await sender.broadcast(payment, never)).toEqual({ type: 'taken' })
    expect(sent.raw).toBe(payment)
    for (const [code, message, wanted] of [
      [-27, 'transaction already in block chain', { type: 'taken' }],
      [-25, 'Missing inputs', { why: 'missing-inputs' }],
      [-26, '18: txn-mempool-conflict', { why: 'conflict' }],
      [-26, '66: min relay fee not met', { why: 'underpriced' }],
      [-26, '64: dust', { why: 'other' }],
    ] as const) {
      sent.error = { code, message }
      expect(await sender.broadcast(payment, never)).toMatchObject(wanted)
    }
    waiting.add(txHash)
    expect(await sender.broadcast(payment, never)).toEqual({ type: 'taken' })
  })

  it('works without testmempoolaccept', async () => {
    expect(await sender.testAccept(payment, never)).toBeUndefined()
  })

  it('uses the usual fee rate if the node has seen too few blocks for an estimate', async () => {
    const usual = { rateMinor: chain.usualFeeRate, leastMinor: 100_000n, source: 'usual' }
    expect(await sender.readFeeRate(3, never)).toEqual(usual)
  })

  it('finds the spender of an output in the mempool, without a lookup by output', async () => {
    const outpoint = `${'11'.repeat(32)}:0`
    expect(await sender.findWaitingSpender(outpoint, never)).toBeUndefined()
    sent.raw = payment
    waiting.add(txHash)
    waiting.add('11'.repeat(32))
    expect(await sender.findWaitingSpender(outpoint, never)).toBe(txHash)
  })

  it('reads previous transactions from whole blocks', async () => {
    const previousTransactions = await sender.readPreviousTransactions(
      block.hash,
      [txHash, 'ab'.repeat(32)],
      never,
    )
    expect([...previousTransactions]).toEqual([[txHash, payment]])
  })
})
