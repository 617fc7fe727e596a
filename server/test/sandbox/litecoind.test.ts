import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openChain } from '../../src/chains/open-chain.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import { birthOf, isAlive } from '../../src/core/process-table.ts'
import { fundLitecoinWallets, readOperatorsAddress } from '../../src/sandbox/fund-litecoin.ts'
import { callLitecoin, faucetWallet, walletUrl } from '../../src/sandbox/litecoin-call.ts'
import { endLeftLitecoind, findLitecoind, startLitecoind } from '../../src/sandbox/litecoind.ts'
import type { NodeServer } from '../../src/sandbox/node-process.ts'
import { newAddress } from '../support/litecoin-wallet.ts'
import { hasLitecoind, litecoinRegtest } from '../support/litecoind.ts'

/**
 * Decides whether every thread of a process is stopped. Threads stop one by one, so one may still answer for
 * a moment. proc(5) gives the state; "T" is stopped.
 */
function isStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks).every((task) => {
    const stat = readFileSync(path.join(tasks, task, 'stat'), 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T')
  })
}

describe.skipIf(!hasLitecoind)('the sandbox’s Litecoin chain', () => {
  let dataDir: string
  const started: NodeServer[] = []

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'sandbox-litecoind-'))
  })
  afterEach(async () => {
    for (const server of started.splice(0)) await server.stop()
  })
  afterAll(() => rm(dataDir, { recursive: true, force: true }))

  async function start(blockTimeS = 0.1): Promise<NodeServer> {
    const server = await startLitecoind({ dataDir, blockTimeS, log: silentLog })
    started.push(server)
    return server
  }
  const height = ({ url }: NodeServer) => callLitecoin(url, 'getblockcount') as Promise<number>
  const pay = ({ url }: NodeServer, to: string) =>
    callLitecoin(walletUrl(url, faucetWallet), 'sendtoaddress', [to, '1.5']) as Promise<string>
  const recordFile = () => path.join(dataDir, 'litecoind', 'litecoind.pid.json')

  it('is a regtest chain whose payer has coins, mines blocks when they are paid and is idle otherwise', async () => {
    const server = await start()
    const chain = openChain({ network: litecoinRegtest, urls: [server.url], log: silentLog })
    await chain.checkIdentity(new AbortController().signal)
    await chain.close()
    const before = await height(server)
    const txHash = await pay(server, newAddress())
    const confirmed = await vi.waitUntil(
      async () => {
        const wallet = walletUrl(server.url, faucetWallet)
        const { confirmations } = (await callLitecoin(wallet, 'gettransaction', [txHash])) as {
          confirmations: number
        }
        return confirmations > 2 && confirmations
      },
      { timeout: 5_000 },
    )
    expect(confirmed).toBeGreaterThan(2)
    expect((await height(server)) - before).toBeLessThan(20)
  })

  it('continues with its blocks and its payer after a stop, and stops only its own node', async () => {
    const first = await start()
    const before = await height(first)
    await pay(first, newAddress())
    await vi.waitUntil(async () => (await height(first)) > before, { timeout: 5_000 })
    await first.stop()
    expect(isAlive(first.pid)).toBe(false)
    expect(await findLitecoind(dataDir)).toBeUndefined()
    const second = await start()
    expect(await height(second)).toBeGreaterThan(before)
    expect(await findLitecoind(dataDir)).toBe(second.url)
    const wallet = walletUrl(second.url, faucetWallet)
    expect(Number(await callLitecoin(wallet, 'getbalance'))).toBeGreaterThan(100)
  })

  it('gives each hot wallet money of the operator once, all of it from one address', async () => {
    // No block is mined meanwhile, because the interval is an hour.
    const { url } = await start(3_600)
    const first = newAddress()
    const second = newAddress()
    const signal = AbortSignal.timeout(20_000)
    expect(await fundLitecoinWallets(url, [first], signal)).toBe(1)
    expect(await fundLitecoinWallets(url, [first, second], signal)).toBe(1)
    expect(await fundLitecoinWallets(url, [first, second], signal)).toBe(0)
    const chain = openChain({ network: litecoinRegtest, urls: [url], log: silentLog })
    const mempool = required(chain.mempool, 'the mempool')
    const waiting = await mempool.readWaiting(await mempool.listMempool(signal), signal)
    await chain.close()
    const operator = await readOperatorsAddress(url)
    for (const { transfers } of waiting) for (const { sender } of transfers) expect(sender).toBe(operator)
    const paid = waiting
      .flatMap(({ transfers }) => transfers)
      .filter(({ recipient }) => recipient !== operator)
    expect(paid.map(({ recipient, amountMinor }) => [recipient, amountMinor]).toSorted()).toEqual(
      [
        [first, 1_000_000_000n],
        [second, 1_000_000_000n],
      ].toSorted(),
    )
  })

  it('adopts a litecoind that a killed Coffer left behind, or stops it if the sandbox runs without Litecoin', async () => {
    const left = await start()
    const adopted = await start()
    expect(adopted.pid).toBe(left.pid)
    await endLeftLitecoind(dataDir, silentLog)
    expect(isAlive(left.pid)).toBe(false)
  })

  it('stops one that no longer answers and continues its chain', async () => {
    const stuck = await start()
    process.kill(stuck.pid, 'SIGSTOP')
    await vi.waitUntil(() => isStopped(stuck.pid), { timeout: 20_000 })
    const second = await start()
    expect(second.pid).not.toBe(stuck.pid)
    expect(isAlive(stuck.pid)).toBe(false)
    expect(await height(second)).toBeGreaterThanOrEqual(200)
  })

  it('reports that litecoind was killed, and starts again from its saved state', async () => {
    const first = await start()
    const onExit = vi.fn()
    first.onExit(onExit)
    process.kill(first.pid, 'SIGKILL')
    await vi.waitUntil(() => onExit.mock.calls.length > 0, { timeout: 20_000 })
    expect(await height(await start())).toBeGreaterThanOrEqual(200)
  })

  it.each([
    ['of another start time', (folder: string) => [`-datadir=${folder}`], () => '1'],
    ['with another command line', () => [], (pid: number) => birthOf(pid)],
  ])('does not touch a recorded process %s, because its pid was reused', async (_, words, birth) => {
    const server = await start()
    const record = JSON.parse(readFileSync(recordFile(), 'utf8'))
    await server.stop()
    const folder = path.join(dataDir, 'litecoind')
    const someone = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '--', ...words(folder)])
    const pid = someone.pid ?? 0
    writeFileSync(recordFile(), JSON.stringify({ ...record, pid, birth: birth(pid) }))
    await endLeftLitecoind(dataDir, silentLog)
    expect((await start()).pid).not.toBe(pid)
    expect(isAlive(pid)).toBe(true)
    someone.kill('SIGKILL')
  })
})
