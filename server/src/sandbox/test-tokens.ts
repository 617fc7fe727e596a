/** Our own USDT and USDC on the dev chain. */
import { readFile } from 'node:fs/promises'
import type { Abi } from 'ox/Abi'
import * as AbiConstructor from 'ox/AbiConstructor'
import { systemClock } from '../core/clock.ts'
import { callNode } from './node-call.ts'

/** Contracts in canonical spelling. */
export interface TestTokens {
  readonly USDT: string
  readonly USDC: string
}

/** 1,000,000.000000 of each token for each holder. */
const eachMinor = 1_000_000_000_000n
const sources = { USDT: 'TestUsdt', USDC: 'TestUsdc' } as const

/**
 * Deploys both tokens from dev account 0, which anvil signs for; accounts 0 and 1 get 1,000,000 of each. A contract
 * in `known` that the chain still has is kept; a chain that lost it gets a new one.
 */
export async function deployTestTokens(
  rpcUrl: string,
  signal: AbortSignal,
  known: Partial<TestTokens> = {},
): Promise<TestTokens> {
  // Sent one after the other, so that a new chain always has them at the same addresses; one block takes both.
  const usdt = await findOrSend(rpcUrl, 'USDT', known.USDT, signal)
  const usdc = await findOrSend(rpcUrl, 'USDC', known.USDC, signal)
  const [USDT, USDC] = await Promise.all([usdt.contract(), usdc.contract()])
  return { USDT, USDC }
}

/** A contract that is there, or will be with the next block. */
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

/** What a creation leaves on the chain is the end of the bytes that made it. */
async function hasToken(
  url: string,
  contract: string,
  artifact: Artifact,
  signal: AbortSignal,
): Promise<boolean> {
  const code = (await callNode(url, 'eth_getCode', [contract, 'latest'], signal)) as string
  return code.length > 2 && artifact.bytecode.endsWith(code.slice(2))
}

/** Waits for the block that holds the deployment. */
async function contractMadeBy(url: string, txHash: unknown, signal: AbortSignal): Promise<string> {
  for (;;) {
    signal.throwIfAborted()
    const receipt = (await callNode(url, 'eth_getTransactionReceipt', [txHash], signal)) as Receipt | null
    if (receipt?.status === '0x1') return receipt.contractAddress.toLowerCase()
    if (receipt !== null) throw new Error('The dev chain refused to make a test token.')
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

/** From `src`, which is always beside the built code. */
async function readArtifact(contract: string): Promise<Artifact> {
  const file = new URL(`../../src/sandbox/contracts/${contract}.json`, import.meta.url)
  return JSON.parse(await readFile(file, 'utf8'))
}
