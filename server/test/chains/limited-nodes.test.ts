/** Tests how blocks are read from nodes that lack methods, or limit batches and calls. */
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openEvmReader } from '../../src/chains/evm/reader.ts'
import { type ChainReader, NodeError } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { replaceTime, wallMs } from '../../src/core/clock.ts'
import { quantity, readTestContract, useAnvil } from '../support/anvil.ts'
import { type BatchRefusal, type NodeLimits, startLimitedNode } from '../support/limited-node.ts'
import { startAlteredNode } from './altered-node.ts'
import { devNetwork, openDevChain } from './evm-harness.ts'

const never = new AbortController().signal
const timeoutMs = 10_000
const anvil = useAnvil()
/** A block with a payment of a token, a payment of the coin, and one by a contract; and an empty block. */
let height: number
let emptyHeight: number

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

beforeAll(async () => {
  const { USDT: contract } = await anvil.deployTokens()
  const artifact = await readTestContract('Forwarder')
  const forwarder = await anvil.deploy(artifact)
  const payees = [anvil.accounts[5], anvil.accounts[6]]
  for (const to of payees) await anvil.sendToken({ contract, to: required(to, 'payee'), amountMinor: 5n })
  for (const to of payees) await anvil.sendCoin({ to: required(to, 'payee'), amountMinor: 6n })
  const paid = { contract: forwarder, artifact, name: 'pay', args: [payees, [1n, 2n]], valueMinor: 3n }
  await anvil.sendCall(paid)
  height = await anvil.mine()
  emptyHeight = await anvil.mine()
})

async function limited(limits: Partial<NodeLimits>) {
  const node = await startLimitedNode(anvil.url, limits)
  opened.push(() => node.close())
  return node
}

function reading(...urls: string[]): ChainReader {
  const reader = openDevChain(...urls)
  opened.push(() => reader.close())
  return reader
}

/** Opens a reader that reads transfers from logs, as with three or more nodes. */
function readingLogs(url: string, patienceMs = timeoutMs): ChainReader {
  const reader = openEvmReader({ network: devNetwork, url, timeoutMs: patienceMs })
  opened.push(() => reader.close())
  return reader
}

async function transfersAt(reader: ChainReader, at = height) {
  return (await reader.readBlock(at, never))?.transfers
}

async function wholeBlock() {
  return required(await reading(anvil.url).readBlock(height, never), 'block')
}

/**
 * Lets every wait end at once, as if its time had passed, until the test ends. Timeouts of requests are whole
 * multiples of `timeoutMs` and keep their time. Returns the waits in milliseconds.
 */
function skipWaits(): readonly number[] {
  const waits: number[] = []
  let skippedMs = 0
  const restore = replaceTime({
    wallMs: () => Date.now(),
    monotonicMs: () => performance.now() + skippedMs,
    startTimer: (onEnd, ms) => {
      if (ms % timeoutMs !== 0) {
        waits.push(ms)
        skippedMs += ms
      }
      const timeout = setTimeout(onEnd, ms % timeoutMs === 0 ? ms : 0)
      const timer = { cancel: () => clearTimeout(timeout), unref: () => timer }
      return timer
    },
  })
  onTestFinished(restore)
  return waits
}

describe('a node without trace_block', () => {
  it('gives the same block as a node with it', async () => {
    const node = await limited({ missing: ['trace_block'] })
    const whole = await wholeBlock()
    const keys = whole.transfers.map(({ key }) => key.slice(67))
    expect(keys.join(' ')).toBe('log:0 log:0 call: call: call: call:0 call:1')
    expect(whole.tracedBy).toBe('trace_block')
    const expected = { ...whole, tracedBy: 'debug_traceBlockByHash' }
    expect(await reading(node.url).readBlock(height, never)).toEqual(expected)
    expect(await readingLogs(node.url).readBlock(height, never)).toEqual(expected)
  })

  it('is asked for the traces by the hash of the block, and for its methods only once', async () => {
    const node = await limited({ missing: ['trace_block'] })
    const reader = reading(node.url)
    await reader.checkIdentity(never)
    const before = node.requests.length
    const facts = await reader.readBlock(height, never)
    await reader.readBlock(height, never)
    const calls = node.requests.slice(before).flat()
    const traced = calls.filter(({ method }) => method === 'debug_traceBlockByHash')
    expect(traced.map(({ params }) => params)).toEqual(
      Array(2).fill([facts?.block.hash, { tracer: 'callTracer' }]),
    )
    expect(calls.filter(({ method }) => method === 'trace_block')).toEqual([])
  })

  it('is not asked for the traces of a block without transactions', async () => {
    const node = await limited({ missing: ['trace_block'] })
    const reader = reading(node.url)
    await reader.checkIdentity(never)
    const before = node.requests.length
    const facts = await reader.readBlock(emptyHeight, never)
    expect(facts).toEqual({ block: facts?.block, transfers: [] })
    const methods = node.requests.slice(before).flatMap((calls) => calls.map(({ method }) => method))
    expect(methods).toEqual(['eth_getBlockByNumber', 'eth_getBlockReceipts'])
  })

  it('agrees with a node that has it', async () => {
    const node = await limited({ missing: ['trace_block'] })
    const reader = reading(node.url, anvil.url)
    expect(await transfersAt(reader)).toEqual((await wholeBlock()).transfers)
    expect(node.requests.flat().map(({ method }) => method)).toContain('debug_traceBlockByHash')
  })

  it('may get or lose a method while it is used', async () => {
    const node = await limited({})
    const reader = readingLogs(node.url)
    const readBy = async () => (await reader.readBlock(height, never))?.tracedBy
    expect(await readBy()).toBe('trace_block')
    node.limits.missing = ['trace_block']
    expect(await readBy()).toBe('debug_traceBlockByHash')
    node.limits.missing = ['debug_traceBlockByHash']
    expect(await readBy()).toBe('trace_block')
    node.limits.missing = ['trace_block', 'debug_traceBlockByHash']
    await expect(readBy(), 'a node that may lack it for a moment').rejects.toThrow(/which it did before/)
    const clock = passTime()
    clock.pass(31_000)
    expect(await readBy()).toBe('none')
    node.limits.missing = []
    expect(await readBy(), 'asked within a minute').toBe('none')
    clock.pass(61_000)
    expect(await readBy()).toBe('trace_block')
  })
})

describe('a node without any traces', () => {
  const missing = ['trace_block', 'debug_traceBlockByHash']

  it.each([
    ['proven', reading],
    ['not proven', readingLogs],
  ])(
    'gives tokens and plain payments with the same keys, %s',
    async (_, open: (url: string) => ChainReader) => {
      for (const more of [[], ['eth_getBlockReceipts', 'eth_getLogs']]) {
        const node = await limited({ missing: [...missing, ...more] })
        const reader = open(node.url)
        await reader.checkIdentity(never)
        expect(reader.traits.seesInternalTransfers).toBe(false)
        const whole = await wholeBlock()
        const transfers = whole.transfers.filter(({ key }) => !/:call:[0-9]/.test(key))
        expect(transfers).toHaveLength(5)
        expect(await reader.readBlock(height, never)).toEqual({ ...whole, transfers, tracedBy: 'none' })
        expect(await reader.readBlock(emptyHeight, never)).toMatchObject({ transfers: [] })
      }
    },
  )

  it('is read beside nodes with traces, which alone do not decide what contracts sent', async () => {
    const plain = () => limited({ missing })
    const [traced, ...others] = [anvil.url, (await plain()).url, (await plain()).url] as const
    const countOf = async (...urls: string[]) => {
      const reader = reading(...urls)
      await reader.checkIdentity(never)
      const facts = await reader.readBlock(height, never)
      return [facts?.tracedBy, facts?.transfers.length, reader.traits.seesInternalTransfers]
    }
    expect(await countOf(traced, others[0])).toEqual(['none', 5, false])
    expect(await countOf(...others, traced)).toEqual(['none', 5, false])
    const second = await limited({ missing: ['trace_block'] })
    expect((await countOf(others[0], traced, second.url)).slice(1)).toEqual([7, true])
  })
})

/** Lets the monotonic clock move ahead until the test ends. */
function passTime() {
  let passedMs = 0
  const restore = replaceTime({
    wallMs: () => Date.now(),
    monotonicMs: () => performance.now() + passedMs,
    startTimer: (onEnd, ms) => {
      const timeout = setTimeout(onEnd, ms)
      const timer = { cancel: () => clearTimeout(timeout), unref: () => timer }
      return timer
    },
  })
  onTestFinished(restore)
  const pass = (ms: number) => {
    passedMs += ms
  }
  return { pass }
}

describe('a node without eth_getBlockReceipts', () => {
  it.each([
    ['proven', reading],
    ['read from logs that the node refuses', readingLogs],
  ])('gives the same block, %s', async (_, open: (url: string) => ChainReader) => {
    const node = await limited({ missing: ['eth_getBlockReceipts', 'eth_getLogs'] })
    const reader = open(node.url)
    expect(await reader.readBlock(height, never)).toEqual(await wholeBlock())
    expect(await reader.readBlock(emptyHeight, never)).toMatchObject({ transfers: [] })
    await reader.readBlock(height, never)
    const methods = node.requests.flat().map(({ method }) => method)
    expect(methods.filter((method) => method === 'eth_getBlockReceipts')).toHaveLength(1)
    expect(methods.filter((method) => method === 'eth_getTransactionReceipt')).toHaveLength(10)
  })

  it('is asked again for a receipt that it has not indexed yet', async () => {
    const node = await limited({ missing: ['eth_getBlockReceipts'], receiptsDelayed: 6 })
    expect(await transfersAt(reading(node.url))).toHaveLength(7)
  })

  it('gives no block while it has not indexed the receipts', async () => {
    const node = await limited({ missing: ['eth_getBlockReceipts', 'eth_getLogs'], receiptsDelayed: 10_000 })
    for (const reader of [reading(node.url), readingLogs(node.url)])
      await expect(reader.readBlock(height, never)).rejects.toThrow(/has no receipt of 0x[0-9a-f]{64} yet/)
  })
})

it.each([false, null])('a node without the tag finalized reports no final height: %j', async (finalized) => {
  const node = await limited({ finalized })
  expect(await reading(node.url).readFinalHeight(never)).toBeUndefined()
})

describe('a node that limits batches', () => {
  it.each<[string, BatchRefusal]>([
    ['an error alone', { type: 'error', code: -32600 }],
    ['an error alone with the code of a limit', { type: 'error', code: -32005 }],
    ['an error alone with the code of a rate', { type: 'error', code: -32014 }],
    ['one error in a list', { type: 'list' }],
    ['HTTP status 413', { type: 'status', status: 413 }],
    ['HTTP status 400', { type: 'status', status: 400 }],
  ])('gives the same block, although it refuses with %s', async (_, batchRefusal) => {
    const node = await limited({ missing: ['eth_getBlockReceipts'], batchMax: 2, batchRefusal })
    const reader = reading(node.url)
    expect(await reader.readBlock(height, never)).toEqual(await wholeBlock())
    const { refused } = node
    expect(refused).toBeGreaterThan(0)
    await reader.readBlock(height, never)
    expect(node.refused, 'the length is kept').toBe(refused)
    expect(node.requests.at(-1)?.length).toBeLessThanOrEqual(2)
  })

  it('gets single calls if it accepts no batches', async () => {
    const node = await limited({ batchMax: 0 })
    expect(await transfersAt(reading(node.url))).toEqual((await wholeBlock()).transfers)
    expect(node.requests.at(-1)).toHaveLength(1)
  })
})

describe('a node that limits calls in time', () => {
  it.each<[string, number, string | undefined, readonly [number, number]]>([
    ['429 with seconds', 429, '7', [7_000, 7_000]],
    ['503 with seconds', 503, '7', [7_000, 7_000]],
    ['429 with a date', 429, new Date(wallMs() + 3_600_000).toUTCString(), [0, 0]],
    ['429 without a time', 429, undefined, [500, 500]],
  ])('is asked again after the wait that it states: %s', async (_, status, retryAfter, [least, most]) => {
    const waits = skipWaits()
    const node = await limited({})
    const reader = readingLogs(node.url)
    await reader.checkIdentity(never)
    node.limits.refusals.push({ status, ...(retryAfter !== undefined && { retryAfter }) })
    if (most === 0) {
      // The date is an hour away. The wait is capped, but still longer than the caller's patience.
      await expect(reader.readHead(never)).rejects.toThrow(/HTTP status 429/)
      expect(waits).toEqual([])
      return
    }
    expect((await reader.readHead(never)).height).toBe(emptyHeight)
    expect(waits).toHaveLength(1)
    expect(waits[0]).toBeGreaterThan(least - 200)
    expect(waits[0]).toBeLessThanOrEqual(most)
  })

  it('is given up after the patience of the call, and the error names only its host', async () => {
    const waits = skipWaits()
    const node = await limited({})
    const reader = readingLogs(`${node.url}/v2/secret-key`)
    await reader.checkIdentity(never)
    node.limits.refusals.push(...Array(3).fill({ status: 429, retryAfter: '4' }))
    const error = await reader.readHead(never).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(NodeError)
    expect(String(error)).toBe(`NodeError: node ${new URL(node.url).host}: HTTP status 429`)
    expect(waits).toHaveLength(2)
  })

  it('gets no request while it asks for a wait of up to a minute', async () => {
    skipWaits()
    const node = await limited({})
    const reader = readingLogs(node.url)
    await reader.checkIdentity(never)
    node.limits.refusals.push({ status: 429, retryAfter: '3600' })
    await expect(reader.readHead(never)).rejects.toThrow(/HTTP status 429/)
    const sent = node.requests.length
    await expect(reader.readHead(never)).rejects.toThrow(/asks for a wait of (59|60) s/)
    expect(node.requests).toHaveLength(sent)
  })

  it('is not waited for after the caller has stopped', async () => {
    const node = await limited({})
    // The wait of a minute is longer than the time limit of this test.
    const reader = readingLogs(node.url, 10 * timeoutMs)
    await reader.checkIdentity(never)
    node.limits.refusals.push({ status: 429, retryAfter: '60' })
    const sent = node.requests.length
    const stop = new AbortController()
    const head = reader.readHead(stop.signal)
    await expect.poll(() => node.refused).toBe(1)
    stop.abort(new Error('stopped'))
    await expect(head).rejects.toThrow('stopped')
    expect(node.requests).toHaveLength(sent + 1)
  })

  it('is not waited for if it is unavailable and states no time', async () => {
    const waits = skipWaits()
    const node = await limited({})
    const reader = readingLogs(node.url)
    await reader.checkIdentity(never)
    node.limits.refusals.push({ status: 503 })
    await expect(reader.readHead(never)).rejects.toThrow(/HTTP status 503/)
    expect(waits).toEqual([])
  })

  it('gets shorter batches, because it may count calls', async () => {
    skipWaits()
    const node = await limited({})
    const reader = readingLogs(node.url)
    await reader.checkIdentity(never)
    node.limits.refusals.push({ status: 429, retryAfter: '1' })
    expect(await transfersAt(reader)).toHaveLength(7)
    const [whole, ...parts] = node.requests.slice(-4).map((calls) => calls.length)
    expect(whole).toBe(3)
    expect(parts).toEqual([1, 1, 1])
  })

  it('is asked again only for the calls of a batch that it refused', async () => {
    const waits = skipWaits()
    let isRefusing = false
    const node = await startAlteredNode(anvil.url, (call, answer) => {
      if (!isRefusing || call.method !== 'trace_block') return answer
      isRefusing = false
      return { id: call.id, error: { code: -32005, message: 'rate limit exceeded' } }
    })
    opened.push(() => node.close())
    const reader = readingLogs(node.url)
    await reader.checkIdentity(never)
    isRefusing = true
    const before = node.calls.length
    expect(await transfersAt(reader)).toHaveLength(7)
    const methods = node.calls.slice(before).map(({ method }) => method)
    expect(methods).toEqual(['eth_getBlockByNumber', 'eth_getLogs', 'trace_block', 'trace_block'])
    expect(waits).toHaveLength(1)
  })
})

it('a request of a hundred calls and more is divided, and its answers keep their order', async () => {
  const node = await limited({ batchMax: 100 })
  const reader = readingLogs(node.url)
  const addresses = Array.from({ length: 250 }, (_, index) =>
    index % 2 === 0 ? `0x${'00'.repeat(19)}ee` : required(anvil.accounts[8], 'account'),
  )
  const balances = await reader.readBalances({ type: 'coin' }, addresses, height, never)
  const held = BigInt(await anvil.rpc('eth_getBalance', [anvil.accounts[8], quantity(height)]))
  expect(balances).toEqual(addresses.map((_, index) => (index % 2 === 0 ? 0n : held)))
  expect(node.requests.slice(-3).map((calls) => calls.length)).toEqual([100, 100, 50])
})
