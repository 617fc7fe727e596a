/** Tests the first half of the run contract: a start on an empty folder, and every way to end a process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { encodeFunctionData, erc20Abi, getContractAddress } from 'viem'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { callNode } from '../../src/sandbox/node-call.ts'
import { call, type MerchantClient, openMerchant, payFrom, printedLogin } from '../support/coffer-client.ts'
import {
  ownSettings,
  processesIn,
  type RunningCoffer,
  type Settings,
  spawnCoffer,
  startCoffer,
  useDataDirs,
} from '../support/coffer-process.ts'
import { startMerchantServer } from '../support/merchant-server.ts'

const dataDirs = useDataDirs()
let dataDir: string
let settings: Settings
let first: RunningCoffer
/** The default number of hot wallets. */
const hotWallets = 4

beforeAll(async () => {
  dataDir = await dataDirs.fresh()
  settings = await ownSettings(dataDir, { SANDBOX_BLOCK_TIME_S: '1' })
  first = await startCoffer(settings)
})

/*
 * The times below are promises of the run contract, so the test measures real time. These cases are therefore
 * among the proofs and not in `npm test`.
 */
describe('on an empty folder', () => {
  it('prints what it prepares, then its URL, the login, a tour to paste, and the data folder', async () => {
    const { stdout, stderr, url, nodeUrl } = first
    expect(stderr).toMatch(/dev chain ….*PostgreSQL ….*deriving addresses …/s)
    for (const printed of [url, nodeUrl, 'admin@coffer.test', dataDir]) expect(stdout).toContain(printed)
    // The sandbox was ready when it said so. On a busy host it may have fallen behind its fast chain since,
    // so the test polls.
    await expect
      .poll(async () => (await call(`${url}/readyz`, 'GET', {})).status, { timeout: 10_000 })
      .toBe(200)
  })

  it('is ready within 15 s', () => {
    console.log(`empty folder: ready after ${Math.round(first.readyMs)} ms`)
    expect(first.readyMs).toBeLessThan(15_000)
  })

  it('prints a tour that leads from login to a payment address without changes', async () => {
    const lines = first.stdout.split('\n').map((line) => line.trim())
    const tour = lines.filter((line) => /^([A-Z]+=\$\()?curl /.test(line))
    expect(tour).toHaveLength(5)
    const { stdout } = await runShell(tour.join('\n'))
    expect(JSON.parse(stdout)).toMatchObject({ address: expect.stringMatching(/^0x/), amount: '0.01' })
  })

  it('signs with two dev accounts: the first for its tokens, which 0 and 1 hold, the last for the hot wallets', async () => {
    const accounts = (await callNode(first.nodeUrl, 'eth_accounts', [])) as string[]
    await vi.waitUntil(async () => (await nonceOf(first.nodeUrl, accounts[9] ?? '')) === hotWallets, {
      timeout: 20_000,
    })
    const nonces = await Promise.all(accounts.map((account) => nonceOf(first.nodeUrl, account)))
    expect(nonces).toEqual([2, 0, 0, 0, 0, 0, 0, 0, 0, hotWallets])
    for (const nonce of [0n, 1n]) {
      const contract = getContractAddress({ from: accounts[0] as `0x${string}`, nonce })
      const held = await Promise.all(accounts.map((owner) => balanceOf(first.nodeUrl, contract, owner)))
      expect(held).toEqual([1_000_000_000_000n, 1_000_000_000_000n, ...Array(8).fill(0n)])
    }
  })
})

describe('stopping', () => {
  it('ends with 0 at SIGTERM and leaves no process behind', async () => {
    const startedAt = performance.now()
    expect(await first.stop()).toEqual({ code: 0, signal: null })
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    expect(processesIn(dataDir)).toEqual([])
  })

  it('is ready within 5 s the next time, and signs nothing', async () => {
    const warm = await startCoffer(settings)
    console.log(`warm folder: ready after ${Math.round(warm.readyMs)} ms`)
    const accounts = (await callNode(warm.nodeUrl, 'eth_accounts', [])) as string[]
    expect(await Promise.all(accounts.map((account) => nonceOf(warm.nodeUrl, account)))).toEqual([
      2,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      hotWallets,
    ])
    // A terminal sends SIGHUP when it is closed.
    warm.signal('SIGHUP')
    expect(await warm.ended).toEqual({ code: 0, signal: null })
    expect(processesIn(dataDir)).toEqual([])
    // This comes last, because a Coffer that is not stopped would keep the next cases from starting.
    expect(warm.readyMs).toBeLessThan(5_000)
  })

  it('answers running requests at SIGTERM, closes those that never end, and ends within 10 s', async () => {
    const coffer = await startCoffer(settings)
    const merchant = await openMerchant(coffer.url, printedLogin(coffer))
    const silent = await startMerchantServer(() => {})
    await merchant.setWebhook(silent.url, 'a secret of at least 32 characters')
    await payFrom(coffer.nodeUrl, 2, await merchant.addressOf(await merchant.createInvoice()))
    await expect.poll(() => silent.calls.length, { timeout: 10_000 }).toBeGreaterThan(0)
    const slow = await openRequest(coffer.url, merchant)
    const endless = await openRequest(coffer.url, merchant)

    const startedAt = performance.now()
    coffer.signal('SIGTERM')
    await coffer.wrote(/stopping/)
    // Ctrl-C in a terminal reaches a process behind npm twice, and must count once.
    coffer.signal('SIGINT')
    slow.finish()
    expect(await slow.answer).toMatch(/^HTTP\/1\.1 201 /)
    expect(performance.now() - startedAt, 'the answered connection lingers').toBeLessThan(3_000)

    expect(await coffer.ended).toEqual({ code: 0, signal: null })
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    expect(processesIn(dataDir)).toEqual([])
    await Promise.all([endless.answer, silent.close()])
  })

  it('ends a start in progress', async () => {
    const coffer = spawnCoffer(['start'], settings)
    await coffer.wrote(/PostgreSQL …/)
    coffer.signal('SIGINT')
    expect(await coffer.ended).toEqual({ code: 0, signal: null })
    expect(coffer.stdout).toBe('')
    expect(processesIn(dataDir)).toEqual([])
  })

  it('reaches Coffer through "npm start", which replaces itself with Coffer', async () => {
    const npm = await startCoffer(settings, { words: [], command: ['npm', 'start', '--silent'] })
    expect(await npm.stop()).toMatchObject({ code: 0 })
    expect(processesIn(dataDir)).toEqual([])
  })
})

async function runShell(script: string): Promise<{ stdout: string }> {
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  let stdout = ''
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk)
  })
  await once(child, 'close')
  return { stdout }
}

async function nonceOf(nodeUrl: string, account: string): Promise<number> {
  return Number(await callNode(nodeUrl, 'eth_getTransactionCount', [account, 'latest']))
}

async function balanceOf(nodeUrl: string, contract: string, owner: string): Promise<bigint> {
  const args = [owner as `0x${string}`] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args })
  return BigInt((await callNode(nodeUrl, 'eth_call', [{ to: contract, data }, 'latest'])) as string)
}

interface OpenRequest {
  /** Sends the half of the body that was held back. */
  finish(): void
  /** Everything that was received until the connection ended. */
  readonly answer: Promise<string>
}

/** Opens a request to create an invoice, of which the server has the head and half of the body. */
async function openRequest(url: string, { merchantId, key }: MerchantClient): Promise<OpenRequest> {
  const body = JSON.stringify({ amount: '25', type: 'onetime', paymentMethodID: 3 })
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => {})
  const answer = once(socket, 'close').then(() => text)
  socket.write(
    `POST /merchants/${merchantId}/invoices HTTP/1.1\r\nhost: ${host}\r\nx-api-key: ${key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
  )
  // The server asks for the body only after it has read the head.
  await expect.poll(() => text).toMatch(/^HTTP\/1\.1 100 /)
  text = ''
  socket.write(body.slice(0, 10))
  return { finish: () => void socket.write(body.slice(10)), answer }
}
