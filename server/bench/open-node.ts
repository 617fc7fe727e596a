/** Starts a real anvil that mines on request, deploys the test tokens, and mines blocks of token payments. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { networks } from '../src/chains/networks.ts'
import { openChain } from '../src/chains/open-chain.ts'
import type { ChainReader } from '../src/chains/port.ts'
import { required } from '../src/core/assert.ts'
import { silentLog } from '../src/core/log.ts'
import { findAnvil } from '../src/sandbox/anvil-binary.ts'
import { deployTestTokens, type TestTokens } from '../src/sandbox/test-tokens.ts'
import { openBatchCaller, resultsOf } from './batch-calls.ts'
import { amountMinor } from './fill-shop.ts'

export interface DevNode {
  /** The reader that the watcher uses too. */
  readonly chain: ChainReader
  readonly url: string
  readonly tokens: TestTokens
  /**
   * Sends a payment of 10 USDT to each recipient for the next block, and returns the hashes of the
   * transactions.
   */
  pay(recipients: readonly string[]): Promise<readonly string[]>
  mine(): Promise<void>
  stop(): Promise<void>
}

const never = new AbortController().signal

export async function openNode(): Promise<DevNode> {
  const cache = await mkdtemp(path.join(tmpdir(), 'coffer-bench-'))
  const child = spawn(findAnvil(), anvilArguments(cache), { stdio: ['ignore', 'pipe', 'ignore'] })
  // The node ends together with the process of the benchmark.
  process.once('exit', () => child.kill())
  const url = `http://${await listeningAt(child)}`
  const caller = openBatchCaller(url, 1)
  const call = async (method: string, ...params: readonly unknown[]) =>
    resultsOf(await caller.ask([{ method, params }]))[0]
  const tokens = await deployTestTokens(url, never)
  await call('evm_setAutomine', false)
  const [payer] = (await call('eth_accounts')) as readonly string[]
  let nonce = Number(await call('eth_getTransactionCount', payer, 'latest'))
  const pay = async (recipients: readonly string[]) => {
    const calls = recipients.map((recipient) => {
      const payment = { from: payer, to: tokens.USDT, data: transferCall(recipient), gas: '0x20000' }
      return { method: 'eth_sendTransaction', params: [{ ...payment, nonce: `0x${(nonce++).toString(16)}` }] }
    })
    return calls.length === 0 ? [] : resultsOf(await caller.ask(calls)).map(String)
  }
  const chain = openChain({ network: { ...networks.ethereum, chainId: 31337 }, urls: [url], log: silentLog })
  const stop = async () => {
    await Promise.all([chain.close(), caller.close()])
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
    await rm(cache, { recursive: true, force: true })
  }
  return { chain, url, tokens, pay, stop, mine: async () => void (await call('evm_mine')) }
}

function anvilArguments(cache: string): readonly string[] {
  const chain = ['--slots-in-an-epoch', '1', '--prune-history', '256', '--gas-limit', '1000000000']
  return ['--host', '127.0.0.1', '--port', '0', '--cache-path', cache, '--order', 'fifo', ...chain]
}

/** Returns the address at which anvil listens. anvil chooses a free port and prints it. */
async function listeningAt(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: required(child.stdout, 'output of anvil') })) {
    const [, address] = /^Listening on (\S+)$/.exec(line) ?? []
    if (address !== undefined) {
      child.stdout?.resume()
      return address
    }
  }
  throw new Error('anvil ended before it listened')
}

/** Returns the call data of `transfer(address,uint256)` (ERC-20). */
function transferCall(recipient: string): string {
  const words = [recipient.slice(2), amountMinor.toString(16)].map((word) => word.padStart(64, '0'))
  return `0xa9059cbb${words.join('')}`
}
