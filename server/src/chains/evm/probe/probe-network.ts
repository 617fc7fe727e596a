/** Asks the nodes of a network what they are and can do, before an operator adds the network. */
import { quantity } from '../../json-rpc.ts'
import type { FeeModel } from '../evm-networks.ts'
import { numberIn, ProbeCalls } from './probe-calls.ts'

/** What one node answered. A value is undefined if the node did not say or cannot do it. */
export interface NodeFindings {
  /** The host of the node. */
  readonly node: string
  readonly chainId: number | undefined
  readonly genesisHash: string | undefined
  readonly headHeight: number | undefined
  readonly finalHeight: number | undefined
  /** The average time between the last blocks. */
  readonly blockTimeMs: number | undefined
  readonly feeModel: FeeModel | undefined
  /** The price of a unit of gas, in the coin's smallest unit. Only of a network without base fees. */
  readonly gasPriceMinor: bigint | undefined
  /** Whether addresses can be delegated (EIP-7702); undefined if the node could not try. */
  readonly canDelegate: boolean | undefined
  readonly tracing: 'trace_block' | 'debug_traceBlockByHash' | 'none'
  readonly hasBlockReceipts: boolean
}

const measuredBlocks = 100
const l1BlockContract = '0x4200000000000000000000000000000000000015'
const arbSysContract = '0x0000000000000000000000000000000000000064'

/**
 * Asks one node.
 * @throws NodeError if it does not answer
 */
export async function probeNode(url: string, signal: AbortSignal): Promise<NodeFindings> {
  const calls = new ProbeCalls(url, signal)
  try {
    const head = await calls.ask('eth_getBlockByNumber', 'latest', false)
    const height = numberIn(head, 'number')
    const hash = (head as { readonly hash?: unknown } | undefined)?.hash
    const fees = await feesOf(calls, head)
    return {
      node: calls.node,
      chainId: await calls.askNumber('eth_chainId'),
      genesisHash: await genesisHash(calls),
      headHeight: height,
      finalHeight: numberIn(await calls.ask('eth_getBlockByNumber', 'finalized', false), 'number'),
      blockTimeMs: await measureBlockTime(calls, head),
      feeModel: fees.feeModel,
      gasPriceMinor: fees.gasPriceMinor,
      canDelegate: await tryDelegation(calls),
      tracing: await tracingOf(calls, height, hash),
      hasBlockReceipts: Array.isArray(await calls.ask('eth_getBlockReceipts', 'latest')),
    }
  } finally {
    await calls.close()
  }
}

async function genesisHash(calls: ProbeCalls): Promise<string | undefined> {
  const block = (await calls.ask('eth_getBlockByNumber', '0x0', false)) as
    | { readonly hash?: unknown }
    | undefined
  return typeof block?.hash === 'string' ? block.hash : undefined
}

async function measureBlockTime(calls: ProbeCalls, head: unknown): Promise<number | undefined> {
  const height = numberIn(head, 'number') ?? 0
  const count = Math.min(measuredBlocks, height - 1)
  if (count < 1) return undefined
  const earlier = await calls.ask('eth_getBlockByNumber', quantity(height - count), false)
  const from = numberIn(earlier, 'timestamp')
  const to = numberIn(head, 'timestamp')
  return from === undefined || to === undefined ? undefined : Math.round(((to - from) * 1_000) / count)
}

interface FoundFees {
  readonly feeModel: FeeModel | undefined
  readonly gasPriceMinor?: bigint | undefined
}

async function feesOf(calls: ProbeCalls, head: unknown): Promise<FoundFees> {
  if (head === undefined) return { feeModel: undefined }
  const hasCode = async (contract: string) =>
    (await calls.askHex('eth_getCode', contract, 'latest')) !== undefined
  if (await hasCode(l1BlockContract)) return { feeModel: 'op-stack' }
  if (await hasCode(arbSysContract)) return { feeModel: 'arbitrum' }
  if (numberIn(head, 'baseFeePerGas') !== undefined) {
    const history = await calls.ask('eth_feeHistory', '0x4', 'latest', [50])
    return { feeModel: history === undefined ? undefined : 'eip1559' }
  }
  const gasPrice = await calls.askHex('eth_gasPrice')
  if (gasPrice === undefined) return { feeModel: undefined }
  return { feeModel: 'legacy', gasPriceMinor: BigInt(gasPrice) }
}

/**
 * Calls an account whose code is replaced by a delegation to a contract that answers 1. Without EIP-7702 the code
 * of a delegation begins with an invalid instruction.
 */
async function tryDelegation(calls: ProbeCalls): Promise<boolean | undefined> {
  const account = `0x${'d1'.repeat(20)}`
  const contract = `0x${'d2'.repeat(20)}`
  // PUSH1 1, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN.
  const answersOne = '0x60015f5260205ff3'
  const call = (to: string, overrides: object) => calls.askHex('eth_call', { to }, 'latest', overrides)
  const works = await call(contract, { [contract]: { code: answersOne } })
  if (works === undefined || BigInt(works) !== 1n) return undefined
  const delegated = await call(account, {
    [contract]: { code: answersOne },
    [account]: { code: `0xef0100${contract.slice(2)}` },
  })
  return delegated !== undefined && BigInt(delegated) === 1n
}

async function tracingOf(
  calls: ProbeCalls,
  height: number | undefined,
  hash: unknown,
): Promise<NodeFindings['tracing']> {
  if (height !== undefined && Array.isArray(await calls.ask('trace_block', quantity(height))))
    return 'trace_block'
  const traced = await calls.ask('debug_traceBlockByHash', hash, { tracer: 'callTracer' })
  return Array.isArray(traced) ? 'debug_traceBlockByHash' : 'none'
}
