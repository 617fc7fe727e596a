/** Deploys the sandbox's own USDT and USDC to the dev chain. */
import { readFile } from 'node:fs/promises'
import type { Abi } from 'ox/Abi'
import * as AbiConstructor from 'ox/AbiConstructor'
import { systemClock } from '../core/clock.ts'
import { callNode } from './node-call.ts'

/** The addresses of the test tokens' contracts, in canonical form. */
export interface TestTokens {
  readonly USDT: string
  readonly USDC: string
}

/** The amount of each token that each holder gets: 1,000,000.000000. */
const eachMinor = 1_000_000_000_000n
const sources = { USDT: 'TestUsdt', USDC: 'TestUsdc' } as const

/**
 * Deploys the two test tokens from dev account 0, for which anvil signs. Accounts 0 and 1 get 1,000,000 of
 * each token. If the chain still has the contract in `known`, that contract is kept and no new one is
 * deployed.
 */
export async function deployTestTokens(
  rpcUrl: string,
  signal: AbortSignal,
  known: Partial<TestTokens> = {},
): Promise<TestTokens> {
  // The deployments are sent one after the other, so that the addresses are the same on every new chain. One
  // block may contain both.
  const usdt = await findOrSend(rpcUrl, 'USDT', known.USDT, signal)
  const usdc = await findOrSend(rpcUrl, 'USDC', known.USDC, signal)
  const [USDT, USDC] = await Promise.all([usdt.contract(), usdc.contract()])
  return { USDT, USDC }
}

/** Returns the known contract if it exists. If not, sends a deployment, which the next block contains. */
async function findOrSend(
  rpcUrl: string,
  symbol: keyof TestTokens,
  known: string | undefined,
  signal: AbortSignal,
): Promise<{ contract(): Promise<string> }> {
  const artifact = await readArtifact(sources[symbol])
  if (known !== undefined && (await hasToken(rpcUrl, known, artifact, signal))) {
    return { contract: async () => known }
  }
  const accounts = (await callNode(rpcUrl, 'eth_accounts', [], signal)) as `0x${string}`[]
  const args = [accounts.slice(0, 2), eachMinor]
  const data = AbiConstructor.encode(AbiConstructor.fromAbi(artifact.abi), {
    bytecode: artifact.bytecode,
    args,
  })
  const deployment = { from: accounts[0], data, gas: '0x200000' }
  const txHash = await callNode(rpcUrl, 'eth_sendTransaction', [deployment], signal)
  return { contract: () => contractMadeBy(rpcUrl, txHash, signal) }
}

/**
 * Decides whether a contract is this token. The contract's code on the chain must be the end of the token's
 * creation bytecode.
 */
async function hasToken(
  url: string,
  contract: string,
  artifact: Artifact,
  signal: AbortSignal,
): Promise<boolean> {
  const code = (await callNode(url, 'eth_getCode', [contract, 'latest'], signal)) as string
  return code.length > 2 && artifact.bytecode.endsWith(code.slice(2))
}

/** Waits for the deployment and returns the contract's address. @throws Error if the deployment failed */
async function contractMadeBy(url: string, txHash: unknown, signal: AbortSignal): Promise<string> {
  for (;;) {
    signal.throwIfAborted()
    const receipt = (await callNode(url, 'eth_getTransactionReceipt', [txHash], signal)) as Receipt | null
    if (receipt?.status === '0x1') return receipt.contractAddress.toLowerCase()
    if (receipt !== null) throw new Error('The deployment of a test token to the dev chain failed.')
    await systemClock.sleep(50, signal)
  }
}

interface Receipt {
  readonly status: string
  readonly contractAddress: string
}

interface Artifact {
  readonly abi: Abi
  readonly bytecode: `0x${string}`
}

/**
 * Reads the compiled contract from the folder `src`, because the build does not copy compiled contracts to
 * `dist`. The relative path is right both for this file in `src` and for its built copy in `dist`.
 */
async function readArtifact(contract: string): Promise<Artifact> {
  const file = new URL(`../../src/sandbox/contracts/${contract}.json`, import.meta.url)
  return JSON.parse(await readFile(file, 'utf8'))
}
