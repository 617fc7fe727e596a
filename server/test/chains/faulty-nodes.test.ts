import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openEvmReader } from '../../src/chains/evm/reader.ts'
import { openChain } from '../../src/chains/open-chain.ts'
import { type ChainReader, NodeError, WrongChainError } from '../../src/chains/port.ts'
import { silentLog } from '../../src/core/log.ts'
import { quantity, useAnvil } from '../support/anvil.ts'
import { holdTimers } from '../support/hold-timers.ts'
import { openLater } from '../support/made-server.ts'
import { type Alter, emptyAnswers, type Intercept, startAlteredNode, without } from './altered-node.ts'
import { devNetwork, openDevChain } from './evm-harness.ts'

const never = new AbortController().signal
const traceMethods = ['trace_block', 'debug_traceBlockByHash']
const anvil = useAnvil()
let tokens: { readonly USDT: string }
let height: number

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

beforeAll(async () => {
  tokens = await anvil.deployTokens()
  await anvil.sendToken({ contract: tokens.USDT, to: anvil.accounts[5] ?? '', amountMinor: 5n })
  await anvil.sendCoin({ to: anvil.accounts[6] ?? '', amountMinor: 6n })
  height = await anvil.mine()
})

async function altered(alter: Alter, intercept?: Intercept) {
  const node = await startAlteredNode(anvil.url, alter, intercept)
  opened.push(() => node.close())
  return node
}

function reading(...urls: string[]): ChainReader {
  const reader = openDevChain(...urls)
  opened.push(() => reader.close())
  return reader
}

/**
 * Opens a reader that reads transfers from logs. Coffer uses it with three or more nodes, of which two must
 * agree.
 */
function readingLogs(url: string): ChainReader {
  const reader = openEvmReader({ network: devNetwork, url })
  opened.push(() => reader.close())
  return reader
}

async function readThrough(alter: Alter, intercept?: Intercept) {
  return readingLogs((await altered(alter, intercept)).url).readBlock(height, never)
}

/** Changes the result of one method. The function receives a deep copy of it. */
// biome-ignore lint/suspicious/noExplicitAny: a test spoils answers of any shape
function spoiling(method: string, spoil: (result: any) => unknown): Alter {
  return (call, answer) =>
    call.method === method && call.params[0] !== 'latest'
      ? { ...answer, result: spoil(structuredClone(answer['result'])) }
      : answer
}

/** Answers as a hosted node does for a block with more logs than it returns in one answer. */
function capped(...methods: readonly string[]): Alter {
  return (call, answer) =>
    methods.includes(call.method)
      ? { id: call.id, error: { code: -32005, message: 'query returned more than 10000 results' } }
      : answer
}

function both(first: Alter, second: Alter): Alter {
  return (call, answer) => second(call, first(call, answer) as Record<string, unknown>)
}

describe('a reader refuses an impossible answer', () => {
  it.each<[string, Alter]>([
    ['no logs', emptyAnswers('eth_getLogs')],
    ['no traces', spoiling('trace_block', () => [])],
    ['one log less', spoiling('eth_getLogs', (logs) => logs.slice(1))],
    ['a log twice', spoiling('eth_getLogs', (logs) => [...logs, ...logs])],
    [
      'a log of another token',
      spoiling('eth_getLogs', (logs) =>
        logs.map((log: object) => ({ ...log, address: `0x${'11'.repeat(20)}` })),
      ),
    ],
    [
      'a log of another block',
      spoiling('eth_getLogs', (logs) =>
        logs.map((log: object) => ({ ...log, blockHash: `0x${'11'.repeat(32)}` })),
      ),
    ],
    [
      'a trace of another block',
      spoiling('trace_block', (traces) =>
        traces.map((trace: object) => ({ ...trace, blockHash: `0x${'11'.repeat(32)}` })),
      ),
    ],
    ['one trace less', spoiling('trace_block', (traces) => traces.slice(1))],
    ['another height', spoiling('eth_getBlockByNumber', (block) => ({ ...block, number: '0x1' }))],
    ['transactions hidden', spoiling('eth_getBlockByNumber', (block) => ({ ...block, transactions: [] }))],
    ['a hash that is none', spoiling('eth_getBlockByNumber', (block) => ({ ...block, hash: '0x12' }))],
    ['a block that is a number', spoiling('eth_getBlockByNumber', () => 5)],
    [
      'a block without transactions',
      spoiling('eth_getBlockByNumber', ({ transactions: _, ...block }) => block),
    ],
    ['logs that are no list', spoiling('eth_getLogs', () => ({ 0: 'log' }))],
    ['a log that is null', spoiling('eth_getLogs', () => [null])],
    [
      'a trace without an action',
      spoiling('trace_block', (traces) => traces.map((trace: object) => ({ ...trace, action: null }))),
    ],
    [
      'an amount that is no number',
      spoiling('trace_block', (traces) =>
        traces.map((trace: object) => ({ ...trace, action: { callType: 'call', value: 'much' } })),
      ),
    ],
    ['a refusal', capped('trace_block')],
    [
      'a refusal to tell logs and receipts',
      capped('eth_getLogs', 'eth_getBlockReceipts', 'eth_getTransactionReceipt'),
    ],
    [
      'receipts for capped logs, and one less',
      both(
        capped('eth_getLogs'),
        spoiling('eth_getBlockReceipts', (receipts) => receipts.slice(1)),
      ),
    ],
    [
      'receipts for capped logs, and no logs in them',
      both(
        capped('eth_getLogs'),
        spoiling('eth_getBlockReceipts', (receipts) =>
          receipts.map((receipt: object) => ({ ...receipt, logs: [] })),
        ),
      ),
    ],
    [
      'receipts of another block for capped logs',
      both(
        capped('eth_getLogs'),
        spoiling('eth_getBlockReceipts', (receipts) =>
          receipts.map((receipt: object) => ({ ...receipt, blockHash: `0x${'11'.repeat(32)}` })),
        ),
      ),
    ],
    ['nothing for one call', (call, answer) => (call.method === 'eth_getLogs' ? null : answer)],
  ])('%s', async (_, alter) => {
    await expect(readThrough(alter)).rejects.toThrow(NodeError)
  })

  it.each<[string, Intercept]>([
    ['HTTP status 500', (response) => respond(response, 500, '[]')],
    ['a page instead of JSON', (response) => respond(response, 200, '<html>')],
    ['half an answer', (response) => respond(response, 200, '[{"id":0,"resu')],
    [
      'one answer for a batch',
      (response) => respond(response, 200, '{"error":{"code":1,"message":"no batches"}}'),
    ],
    ['a closed connection', (response) => response.destroy() !== undefined],
  ])('%s', async (_, intercept) => {
    await expect(readThrough((_call, answer) => answer, intercept)).rejects.toThrow(NodeError)
  })
})

it('reads a block again if a reorganisation happened between its parts', async () => {
  let spoiled = 0
  const node = await altered((call, answer) => {
    if (call.method !== 'eth_getLogs' || spoiled > 0) return answer
    spoiled += 1
    return { ...answer, result: [] }
  })
  expect((await readingLogs(node.url).readBlock(height, never))?.transfers).toHaveLength(2)
  expect(spoiled).toBe(1)
})

it('stops reading a block again after a few attempts', async () => {
  const node = await altered(emptyAnswers('eth_getLogs'))
  await expect(readingLogs(node.url).readBlock(height, never)).rejects.toThrow(NodeError)
  expect(node.calls.filter(({ method }) => method === 'eth_getLogs')).toHaveLength(3)
})

it('reads the logs from the receipts if a node caps its logs, with the same result', async () => {
  const whole = await reading(anvil.url).readBlock(height, never)
  const node = await altered(capped('eth_getLogs'))
  expect(await readingLogs(node.url).readBlock(height, never)).toEqual(whole)
  expect(node.calls.filter(({ method }) => method === 'eth_getBlockReceipts')).toHaveLength(1)
})

it("allows three times as long for a block's next trace after a timeout", async () => {
  const timeoutMs = 12_345
  const timers = holdTimers((ms) => ms % timeoutMs === 0 && ms > 0)
  let isLate = true
  const node = await altered((call, answer) => {
    if (!isLate || call.method !== 'trace_block' || call.params[0] !== quantity(BigInt(height))) return answer
    isLate = false
    // The timeout ends before the node answers.
    timers.at(-1)?.fire()
    return answer
  })
  const reader = openEvmReader({ network: devNetwork, url: node.url, timeoutMs })
  opened.push(() => reader.close())
  await expect(reader.readBlock(height, never)).rejects.toThrow('no answer within 12.345 s')
  const before = node.requests
  const timersBefore = timers.length
  expect((await reader.readBlock(height, never))?.transfers).toHaveLength(2)
  expect(node.requests - before, 'traces apart from header and logs').toBe(2)
  expect(timers.slice(timersBefore).map(({ ms }) => ms)).toEqual([timeoutMs, 3 * timeoutMs])
})

it('reads fewer blocks at once while their answers are large', async () => {
  const padding = 'x'.repeat(9 * 1024 * 1024)
  let asked = 0
  let most = 0
  let held: () => Promise<unknown> = async () => {}
  const node = await altered(async (call, answer) => {
    if (call.method !== 'trace_block' || call.params[0] === 'latest') return answer
    asked += 1
    most = Math.max(most, asked)
    await held()
    asked -= 1
    return { ...answer, padding }
  })
  const reader = reading(node.url)
  const readFour = () => Promise.all([1, 2, 3, 4].map(() => reader.readBlock(height, never)))
  // Each request is answered once all four have been received.
  const allAsked = openLater()
  held = () => {
    if (asked === 4) allAsked.resolve()
    return allAsked.promise
  }
  await readFour()
  expect(most).toBe(4)
  most = 0
  // Each answer now waits until the node has answered another call. If the reader had sent a second block's
  // request at the same time, that request would arrive during this wait and would be counted.
  held = () => reader.readHead(never)
  await readFour()
  expect(most).toBe(1)
})

it('never shows the full URL of a node, because the path may be a secret', async () => {
  const reader = reading('http://user:hunter2@127.0.0.1:1/v2/secret-key')
  const error = await reader.readHead(never).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(NodeError)
  expect(String(error)).not.toMatch(/secret-key|hunter2/)
})

it('removes the key from an error message that repeats it', async () => {
  const node = await altered((call, answer) =>
    call.method === 'eth_getBlockByNumber'
      ? { id: call.id, error: { code: -32000, message: 'key secret-key is over its limit' } }
      : answer,
  )
  const error = await reading(`${node.url}/v2/secret-key`)
    .readHead(never)
    .catch((reason: unknown) => reason)
  expect(String(error)).toContain('key ... is over its limit')
})

describe('identity', () => {
  it('refuses a node of another chain, and reads nothing through it', async () => {
    const reader = openChain({ network: { ...devNetwork, chainId: 1 }, urls: [anvil.url], log: silentLog })
    opened.push(() => reader.close())
    await expect(reader.checkIdentity(never)).rejects.toThrow(WrongChainError)
    await expect(reader.readHead(never)).rejects.toThrow(NodeError)
  })

  it('refuses several nodes if one of them is of another chain', async () => {
    const other = await altered(spoiling('eth_chainId', () => '0x1'))
    await expect(reading(anvil.url, other.url).checkIdentity(never)).rejects.toThrow(WrongChainError)
  })

  it('accepts several nodes while one of them answers', async () => {
    await reading('http://127.0.0.1:1', anvil.url).checkIdentity(never)
  })
})

describe('a node that cannot trace', () => {
  it('is accepted, and says that it sees no internal transfers', async () => {
    const reader = reading((await altered(without(...traceMethods))).url)
    await reader.checkIdentity(never)
    expect(reader.traits.seesInternalTransfers).toBe(false)
    expect(await reader.readBlock(height, never)).toMatchObject({ tracedBy: 'none' })
  })

  it('is asked again, so that one answer from a backend without traces does not disable traces', async () => {
    let refused = 0
    const node = await altered((call, answer) => {
      if (!traceMethods.includes(call.method) || refused === traceMethods.length) return answer
      refused += 1
      return without(...traceMethods)(call, answer)
    })
    const reader = reading(node.url)
    await reader.checkIdentity(never)
    expect(reader.traits.seesInternalTransfers).toBe(true)
    expect(await reader.readBlock(height, never)).toMatchObject({ tracedBy: 'trace_block' })
  })
})

describe('several nodes', () => {
  it('continues with the next node if one is unavailable, and stays with it', async () => {
    let refused = 0
    const away = await altered(
      (_call, answer) => answer,
      (response) => {
        refused += 1
        return respond(response, 503, '')
      },
    )
    const reader = reading(away.url, anvil.url)
    expect((await reader.readBlock(height, never))?.transfers).toHaveLength(2)
    expect((await reader.readHead(never)).height).toBe(height)
    expect(refused).toBe(1)
  })

  it('continues with the next node if one gives a false answer', async () => {
    const lying = await altered(emptyAnswers('eth_getBlockReceipts'))
    expect((await reading(lying.url, anvil.url).readBlock(height, never))?.transfers).toHaveLength(2)
  })

  it('fails if all nodes fail', async () => {
    await expect(reading('http://127.0.0.1:1', 'http://127.0.0.1:2').readHead(never)).rejects.toThrow(
      NodeError,
    )
  })
})

function respond(response: Parameters<Intercept>[0], status: number, body: string): boolean {
  response.writeHead(status).end(body)
  return true
}
