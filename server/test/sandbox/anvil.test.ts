import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { freePort } from '../../src/core/free-port.ts'
import type { Log } from '../../src/core/log.ts'
import { birthOf, isAlive } from '../../src/core/process-table.ts'
import { startAnvil } from '../../src/sandbox/anvil.ts'
import { copyState, openStateFiles } from '../../src/sandbox/anvil-state.ts'
import { callNode } from '../../src/sandbox/node-call.ts'
import type { NodeServer } from '../../src/sandbox/node-process.ts'

let dataDir: string
let port: number
let logged: string[]
const log: Log = {
  info: (_, message) => void logged.push(message),
  warn: (_, message) => void logged.push(message),
  error: (_, message) => void logged.push(message),
}
const started: NodeServer[] = []

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'coffer-sandbox-'))
  port = await freePort()
  logged = []
})

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()))
  await rm(dataDir, { recursive: true, force: true })
})

async function start(blockTimeS = 0.1): Promise<NodeServer> {
  const server = await startAnvil({ network: 'ethereum', dataDir, port, blockTimeS, log })
  started.push(server)
  return server
}

it('continues after a stop with the same blocks, receipts, traces and balances', async () => {
  const first = await start()
  const receipt = await pay(first)
  await first.stop()
  expect(isAlive(first.pid)).toBe(false)
  const second = await start()
  expect(second.pid).not.toBe(first.pid)
  const block = await blockAt(second, receipt.blockNumber)
  expect(block.hash).toBe(receipt.blockHash)
  expect(await callNode(second.url, 'eth_getTransactionReceipt', [receipt.transactionHash])).toEqual(receipt)
  expect(await callNode(second.url, 'trace_block', [receipt.blockNumber])).toHaveLength(1)
  expect(await callNode(second.url, 'eth_getBalance', [recipient, 'latest'])).toBe('0x5')
  await grows(second, Number(receipt.blockNumber))
})

it('continues after a kill of anvil with a chain that lost only its last blocks, and reports that anvil ended', async () => {
  const first = await start()
  const receipt = await pay(first)
  const { state } = await openStateFiles(dataDir, 'ethereum')
  await vi.waitUntil(
    () => existsSync(state) && readFileSync(state, 'utf8').includes(receipt.transactionHash),
    { timeout: 20_000 },
  )
  const onExit = vi.fn()
  first.onExit(onExit)
  process.kill(first.pid, 'SIGKILL')
  await vi.waitUntil(() => onExit.mock.calls.length > 0, { timeout: 20_000 })
  const second = await start()
  expect((await blockAt(second, receipt.blockNumber)).hash).toBe(receipt.blockHash)
})

it('adopts an anvil that a killed Coffer left behind, and can stop it', async () => {
  const left = await start()
  const adopted = await start()
  expect(adopted.pid).toBe(left.pid)
  expect(logged).toContain('took over the dev chain that was still running')
  await adopted.stop()
  expect(isAlive(left.pid)).toBe(false)
})

it('stops a left-over anvil with other settings, and continues its chain', async () => {
  const left = await start()
  const receipt = await pay(left)
  const changed = await start(0.2)
  expect(changed.pid).not.toBe(left.pid)
  expect(isAlive(left.pid)).toBe(false)
  expect((await blockAt(changed, receipt.blockNumber)).hash).toBe(receipt.blockHash)
})

it.each([
  ['of another start time', (state: string) => [state], () => '1'],
  ['with another command line', () => [], (pid: number) => birthOf(pid)],
])('does not touch a recorded process %s, because its pid was reused', async (_, args, birth) => {
  const { state, folder } = await openStateFiles(dataDir, 'ethereum')
  const someone = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', ...args(state)])
  const pid = someone.pid ?? 0
  const record = { pid, port, blockTimeS: 0.1, birth: birth(pid) }
  writeFileSync(path.join(folder, 'anvil.pid'), JSON.stringify(record))
  expect((await start()).pid).not.toBe(pid)
  expect(isAlive(pid)).toBe(true)
  someone.kill('SIGKILL')
})

it('falls back to the last good copy of a truncated state', async () => {
  const first = await start()
  const receipt = await pay(first)
  await first.stop()
  const files = await openStateFiles(dataDir, 'ethereum')
  await copyState(files)
  const whole = readFileSync(files.state)
  writeFileSync(files.state, whole.subarray(0, whole.length / 2))
  const second = await start()
  expect((await blockAt(second, receipt.blockNumber)).hash).toBe(receipt.blockHash)
  expect(logged).toContain('the saved state of the dev chain is incomplete; it continues from the last copy')
})

it('starts a new chain, and reports it, if neither the state nor a copy can be loaded', async () => {
  const files = await openStateFiles(dataDir, 'ethereum')
  writeFileSync(files.state, '{"block":')
  writeFileSync(files.copy, '')
  const server = await start()
  expect((await blockAt(server, '0x0')).number).toBe('0x0')
  expect(logged.at(-1)).toContain('a new chain is started')
})

it('never copies a truncated state', async () => {
  const files = await openStateFiles(dataDir, 'ethereum')
  writeFileSync(files.state, '{"block":')
  await copyState(files)
  expect(existsSync(files.copy)).toBe(false)
})

it('keeps block times increasing on a chain that is ahead of the clock', async () => {
  const first = await start()
  await callNode(first.url, 'evm_increaseTime', [3600])
  const before = await grows(first, Number(await callNode(first.url, 'eth_blockNumber', [])))
  await first.stop()
  const second = await start()
  const after = await grows(second, Number(before.number))
  const parent = await blockAt(second, `0x${(Number(after.number) - 1).toString(16)}`)
  expect(Number(after.timestamp)).toBeGreaterThanOrEqual(Number(parent.timestamp))
  expect(Number(after.timestamp)).toBeGreaterThanOrEqual(Number(before.timestamp))
})

it("corrects the chain's clock when block times fall behind it, as after a reorganisation", async () => {
  const server = await start(0.2)
  await callNode(server.url, 'evm_setTime', [Math.floor(Date.now() / 1000) - 60])
  const isLate = async () => Number((await blockAt(server, 'latest')).timestamp) < Date.now() / 1000 - 30
  await vi.waitUntil(isLate, { timeout: 5_000 })
  await vi.waitUntil(async () => !(await isLate()), { timeout: 5_000 })
})

it('names SANDBOX_EVM_PORT if the port is in use', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve))
  await expect(start()).rejects.toThrow('SANDBOX_EVM_PORT')
  await new Promise((resolve) => taken.close(resolve))
})

it('states the remedies if anvil cannot be run', async () => {
  vi.stubEnv('PATH', dataDir)
  vi.spyOn(process, 'arch', 'get').mockReturnValue('mips')
  await expect(start()).rejects.toThrow(/Install Foundry.*EVM_RPC_ETHEREUM/)
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const recipient = `0x${'ab'.repeat(20)}`

interface Receipt {
  readonly transactionHash: string
  readonly blockHash: string
  readonly blockNumber: string
}

interface Block {
  readonly number: string
  readonly hash: string
  readonly timestamp: string
}

async function pay({ url }: NodeServer): Promise<Receipt> {
  const [from] = (await callNode(url, 'eth_accounts', [])) as string[]
  const txHash = await callNode(url, 'eth_sendTransaction', [{ from, to: recipient, value: '0x5' }])
  return vi.waitUntil(
    async () => (await callNode(url, 'eth_getTransactionReceipt', [txHash])) as Receipt | null,
    {
      timeout: 5_000,
    },
  )
}

async function blockAt({ url }: NodeServer, height: string): Promise<Block> {
  return (await callNode(url, 'eth_getBlockByNumber', [height, false])) as Block
}

/** Waits for a block above `height` and returns it. */
async function grows(server: NodeServer, height: number): Promise<Block> {
  return vi.waitUntil(
    async () => {
      const head = await blockAt(server, 'latest')
      return Number(head.number) > height && head
    },
    { timeout: 5_000 },
  )
}
