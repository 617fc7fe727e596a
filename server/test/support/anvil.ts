/**
 * A private development chain for one test file: a real anvil on a free port, stopped after the last test.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { type Abi, encodeDeployData, encodeFunctionData, erc20Abi } from 'viem'
import { afterAll, beforeAll } from 'vitest'
import { evmNetworks, type ShippedEvmName } from '../../src/chains/evm/evm-networks.ts'
import { devChainIdOf } from '../../src/chains/networks.ts'
import { required } from '../../src/core/assert.ts'
import { findAnvil } from '../../src/sandbox/anvil-binary.ts'
import { callNode } from '../../src/sandbox/node-call.ts'
import { sendTransaction } from '../../src/sandbox/send-transaction.ts'
import { deployTestTokens, type TestTokens } from '../../src/sandbox/test-tokens.ts'

export interface AnvilOptions {
  /** Whether each transaction is mined at once. Otherwise only `mine` mines. */
  readonly automine?: boolean
  readonly blockTimeS?: number
  /**
   * Whether the chain reports the chain id of Ethereum's main network. Blocks are final 64 below the head,
   * anvil's default.
   */
  readonly isMain?: boolean
  /**
   * The network whose development chain it is; Ethereum by default. The chain of a network of the OP stack
   * runs with the rules of that stack.
   */
  readonly network?: ShippedEvmName
  /** The chain id of a network that does not come with Coffer. */
  readonly chainId?: number
  /** The rules of the chain; those of the newest fork by default. Before `london`, blocks have no base fee. */
  readonly hardfork?: 'berlin' | undefined
}

export interface CoinPayment {
  readonly to: string
  readonly amountMinor: bigint
  readonly from?: string
}

export interface TokenPayment extends CoinPayment {
  readonly contract: string
}

export interface Artifact {
  readonly abi: Abi
  readonly bytecode: `0x${string}`
}

/** The contracts in `test/support/contracts`. */
export type TestContract = 'Forwarder' | 'Hostile' | 'LookAlike' | 'MultiSender' | 'NoEventFalse' | 'Taxed'

export interface Anvil {
  readonly url: string
  readonly chainId: number
  /** The ten development accounts, unlocked, in lower case. */
  readonly accounts: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the node's answers as it knows them to be
  rpc(method: string, params?: readonly unknown[]): Promise<any>
  /** Mines blocks and returns the new head's height. */
  mine(blocks?: number): Promise<number>
  /**
   * Sends coins, from development account 2 by default, and returns the transaction's hash. It is mined at
   * once only with automine.
   */
  sendCoin(payment: CoinPayment): Promise<string>
  /** Sends tokens, by default from development account 0, which holds the test tokens. */
  sendToken(payment: TokenPayment): Promise<string>
  /** Calls a contract from development account 2 and returns the transaction's hash. */
  sendCall(call: {
    contract: string
    artifact: Artifact
    name: string
    args: readonly unknown[]
    valueMinor?: bigint
  }): Promise<string>
  /** Deploys a contract, mines the transaction and returns the contract's address in lower case. */
  deploy(artifact: Artifact, args?: readonly unknown[]): Promise<string>
  /** Deploys and mines the test tokens. */
  deployTokens(): Promise<TestTokens>
  /** Waits until the transaction is mined and returns its receipt. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the node's answers as it knows them to be
  receiptOf(txHash: string): Promise<any>
  stop(): Promise<void>
}

/**
 * Starts anvil before the tests of a file and stops it after them. Its members may be used inside tests and
 * hooks.
 */
export function useAnvil(options: AnvilOptions = {}): Anvil {
  let started: Anvil | undefined
  beforeAll(async () => {
    started = await startTestAnvil(options)
  })
  afterAll(() => started?.stop())
  return new Proxy({} as Anvil, {
    get: (_, name) => Reflect.get(required(started, 'anvil, which starts before the first test,'), name),
  })
}

export async function readTestContract(name: TestContract): Promise<Artifact> {
  return JSON.parse(await readFile(new URL(`./contracts/${name}.json`, import.meta.url), 'utf8'))
}

export async function startTestAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const folder = await mkdtemp(path.join(tmpdir(), 'coffer-anvil-'))
  const child = spawn(findAnvil(), anvilArguments(options, folder), { stdio: ['ignore', 'pipe', 'ignore'] })
  const stop = async () => {
    await ended(child)
    await rm(folder, { recursive: true, force: true })
  }
  const url = `http://${await listeningAt(child)}`
  const accounts = (await callNode(url, 'eth_accounts', [])) as string[]
  const isPaced = options.blockTimeS !== undefined
  const { hardfork } = options
  return operate(url, { chainId: chainIdOf(options), isPaced, hardfork }, accounts, stop)
}

function chainIdOf({ isMain = false, network = 'ethereum', chainId }: AnvilOptions): number {
  return chainId ?? (isMain ? 1 : devChainIdOf(network))
}

function anvilArguments(options: AnvilOptions, folder: string): string[] {
  const { automine = false, blockTimeS, isMain = false, network = 'ethereum', hardfork } = options
  const mining =
    blockTimeS === undefined ? (automine ? [] : ['--no-mining']) : ['--block-time', `${blockTimeS}`]
  const id = ['--chain-id', `${chainIdOf(options)}`]
  const rules = evmNetworks[network].feeModel === 'op-stack' ? ['--network', 'optimism'] : []
  if (hardfork !== undefined) rules.push('--hardfork', hardfork)
  const kind = [...id, ...rules, ...(isMain ? [] : ['--slots-in-an-epoch', '1'])]
  const chain = ['--order', 'fifo', '--prune-history', '256', ...kind]
  return ['--host', '127.0.0.1', '--port', '0', '--cache-path', folder, ...chain, ...mining]
}

/** Returns the URL of an anvil that chose a free port itself and printed it. */
function listeningAt(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error('anvil ended before it listened')))
    const lines = createInterface({ input: required(child.stdout, 'output of anvil') })
    lines.on('line', (line) => {
      const [, address] = /^Listening on (\S+)$/.exec(line) ?? []
      if (address !== undefined) resolve(address)
    })
  })
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

function operate(
  url: string,
  {
    chainId,
    isPaced,
    hardfork,
  }: Pick<AnvilOptions, 'hardfork'> & { readonly chainId: number; readonly isPaced: boolean },
  accounts: readonly string[],
  stop: () => Promise<void>,
): Anvil {
  const rpc = (method: string, params: readonly unknown[] = []) => callNode(url, method, params)
  const account = (index: number) => required(accounts[index], 'dev account')
  const send = (transaction: Record<string, unknown>) =>
    sendTransaction(url, transaction, AbortSignal.timeout(20_000))
  const receiptOf = async (txHash: string) => {
    for (;;) {
      const receipt = await rpc('eth_getTransactionReceipt', [txHash])
      if (receipt !== null) return receipt
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const mine = async (blocks = 1) => {
    await rpc('anvil_mine', [quantity(blocks)])
    return Number(await rpc('eth_blockNumber'))
  }
  const mined = async <T>(work: () => Promise<T>): Promise<T> => {
    // Setting automine would end the mining at intervals.
    if (isPaced) return work()
    const automine = await rpc('anvil_getAutomine')
    await rpc('evm_setAutomine', [true])
    const result = await work()
    await rpc('evm_setAutomine', [automine])
    return result
  }
  const deploy = (artifact: Artifact, args: readonly unknown[] = []) =>
    mined(async () => {
      const data = encodeDeployData({ ...artifact, args })
      const receipt = (await receiptOf(await send({ from: account(9), data, gas: '0x300000' }))) as Mined
      return receipt.contractAddress.toLowerCase()
    })
  return {
    url,
    chainId,
    accounts,
    rpc,
    mine,
    deploy,
    receiptOf,
    stop,
    deployTokens: () =>
      hardfork === undefined
        ? mined(() => deployTestTokens(url, AbortSignal.timeout(20_000)))
        : deployTokensFor(hardfork, accounts, deploy),
    sendCoin: ({ to, amountMinor, from = account(2) }) =>
      send({ from, to, value: quantity(amountMinor), gas: '0x30000' }),
    sendToken: ({ contract, to, amountMinor, from = account(0) }) =>
      send({ from, to: contract, data: transferCall(to, amountMinor), gas: '0x30000' }),
    sendCall: ({ contract, artifact, name, args, valueMinor = 0n }) => {
      const data = encodeFunctionData({ abi: artifact.abi, functionName: name, args })
      return send({ from: account(2), to: contract, data, value: quantity(valueMinor), gas: '0x200000' })
    },
  }
}

/** Deploys the test tokens, compiled for an older version of the EVM, which lacks instructions of the newest. */
async function deployTokensFor(
  hardfork: string,
  accounts: readonly string[],
  deploy: Anvil['deploy'],
): Promise<TestTokens> {
  const deployOne = async (name: string) => {
    const source = new URL(`../../src/sandbox/contracts/${name}.sol`, import.meta.url)
    const { compileContract } = await import('./compile-contract.ts')
    return deploy(await compileContract(source, hardfork), [accounts.slice(0, 2), 10n ** 12n])
  }
  return { USDT: await deployOne('TestUsdt'), USDC: await deployOne('TestUsdc') }
}

interface Mined {
  readonly contractAddress: string
}

export function transferCall(to: string, amountMinor: bigint): `0x${string}` {
  return encodeFunctionData({
    abi: erc20Abi,
    functionName: 'transfer',
    args: [to as `0x${string}`, amountMinor],
  })
}

export function quantity(count: number | bigint): string {
  return `0x${count.toString(16)}`
}
