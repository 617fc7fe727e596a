/** The nodes on which the money stories run, and how Coffer reaches each of them. */
import { type EvmNetwork, evmNetworks, type ShippedEvmName } from '../../../src/chains/evm/evm-networks.ts'
import { devChainIdOf } from '../../../src/chains/networks.ts'
import type { PaymentMethod } from '../../../src/pricing/payment-methods/payment-method.ts'
import type { Policy } from '../../../src/signer/authorization/policy.ts'
import { startTestAnvil } from '../anvil.ts'
import { type NodeLimits, startLimitedNode } from '../limited-node.ts'
import { dearData, installGasPriceOracle, setOpStackFees, startFeeStatingNode } from '../op-stack.ts'
import { controlNode, type DevNode } from './dev-node.ts'
import { type EdrOptions, edrObstacle, startEdrNode } from './edr-node.ts'
import { startLegacyNode } from './legacy-node.ts'

export interface StoryNode {
  readonly network: EvmNetwork
  readonly dev: DevNode
  /** The URL that Coffer uses, possibly that of a proxy. */
  readonly url: string
  /** What a network that does not come with Coffer needs, with its token at a contract. */
  readonly own?: (usdc: string) => { readonly methods: readonly PaymentMethod[]; readonly policy: Policy }
  close(): Promise<void>
}

export interface StoryNodeKind {
  readonly name: string
  readonly network: string
  /** Whether the node reports final blocks. Money is spendable only when it is final. */
  readonly hasFinality: boolean
  /** The reason why the node cannot run here. */
  readonly obstacle?: string | undefined
  start(): Promise<StoryNode>
}

/** The limits of a public node: short batches, no receipts by block, late receipts and refused requests. */
const publicLimits: Partial<NodeLimits> = { missing: ['trace_block', 'eth_getBlockReceipts'], batchMax: 5 }

export const storyNodes: readonly StoryNodeKind[] = [
  {
    name: 'anvil',
    network: 'ethereum',
    hasFinality: true,
    start: () => startAnvil('ethereum'),
  },
  {
    name: 'anvil --network optimism, with data fees',
    network: 'base',
    hasFinality: true,
    start: startOpStack,
  },
  {
    name: 'anvil --hardfork berlin, without base fees',
    network: 'oldnet',
    hasFinality: true,
    start: startLegacyNode,
  },
  {
    name: 'EDR, traced by transaction',
    network: 'ethereum',
    hasFinality: true,
    obstacle: edrObstacle(),
    start: () => startEdr({ tracesBlocks: true }),
  },
  {
    name: 'EDR',
    network: 'ethereum',
    hasFinality: true,
    obstacle: edrObstacle(),
    start: () => startEdr({ tracesBlocks: false }),
  },
  {
    name: 'public limits',
    network: 'ethereum',
    hasFinality: true,
    start: () => startLimited(publicLimits),
  },
  {
    name: 'public limits, no finalized',
    network: 'ethereum',
    hasFinality: false,
    start: () => startLimited({ ...publicLimits, finalized: false }),
  },
  {
    name: 'public limits, no traces',
    network: 'ethereum',
    hasFinality: true,
    start: () =>
      startLimited({
        ...publicLimits,
        missing: [...(publicLimits.missing ?? []), 'debug_traceBlockByHash', 'debug_traceBlockByNumber'],
      }),
  },
]

function devRow(name: ShippedEvmName): EvmNetwork {
  return { ...evmNetworks[name], chainId: devChainIdOf(name) }
}

async function startAnvil(name: ShippedEvmName): Promise<StoryNode> {
  const anvil = await startTestAnvil({ network: name })
  return { network: devRow(name), dev: await controlNode(anvil.url), url: anvil.url, close: anvil.stop }
}

/** Starts an OP-stack chain whose proxy states the data fee in receipts, as the nodes of these networks do. */
export async function startOpStack(): Promise<StoryNode> {
  const anvil = await startTestAnvil({ network: 'base' })
  await installGasPriceOracle(anvil)
  await setOpStackFees(anvil, dearData)
  const proxy = await startFeeStatingNode(anvil.url)
  const close = async () => {
    await proxy.close()
    await anvil.stop()
  }
  return { network: devRow('base'), dev: await controlNode(anvil.url), url: proxy.url, close }
}

async function startEdr(options: Pick<EdrOptions, 'tracesBlocks'>): Promise<StoryNode> {
  const node = await startEdrNode({ ...options, chainId: devChainIdOf('ethereum') })
  return { network: devRow('ethereum'), dev: await controlNode(node.url), url: node.url, close: node.close }
}

async function startLimited(limits: Partial<NodeLimits>): Promise<StoryNode> {
  const anvil = await startTestAnvil()
  const proxy = await startLimitedNode(anvil.url, {
    ...limits,
    receiptsDelayed: 1,
    refusals: [{ status: 429, retryAfter: '0' }],
  })
  const close = async () => {
    await proxy.close()
    await anvil.stop()
  }
  return { network: devRow('ethereum'), dev: await controlNode(anvil.url), url: proxy.url, close }
}
