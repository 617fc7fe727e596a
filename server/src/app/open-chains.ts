/** Opens the nodes, the chain readers and the payment methods on their chains. */
import type { EvmNetwork } from '../chains/evm/evm-networks.ts'
import { devChainIds, networks } from '../chains/networks.ts'
import { addressCodecOf, openChain } from '../chains/open-chain.ts'
import { type AddressCodec, type ChainReader, NodeError, WrongChainError } from '../chains/port.ts'
import { required } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Db } from '../platform/db/pool.ts'
import { devPaymentMethods, mainPaymentMethods } from '../pricing/payment-methods/catalogue.ts'
import {
  type PaymentMethod,
  type PaymentMethods,
  paymentMethods,
} from '../pricing/payment-methods/payment-method.ts'
import { readDevTokens } from '../pricing/payment-methods/store.ts'
import { startAnvil } from '../sandbox/anvil.ts'
import { callNode } from '../sandbox/node-call.ts'
import type { CloseStack } from './close-stack.ts'
import type { Role } from './jobs.ts'
import type { OpenNode, OpenNodeParts } from './open-node.ts'
import { openUtxoNodes, withRunningNodes } from './open-utxo-nodes.ts'
import { findTokens, prepareTokens } from './sandbox/dev-tokens.ts'
import { type Config, networksOf } from './settings/config.ts'

/**
 * Returns the configured nodes, or in a sandbox the nodes of its own dev chains. It runs before the database
 * is opened, because it finds the most common errors of a start: a port is in use, a node is missing, or a
 * chain has real money.
 */
export async function openNodes(parts: OpenNodeParts): Promise<readonly OpenNode[]> {
  return [await openEvmNode(parts), ...(await openUtxoNodes(parts))]
}

async function openEvmNode(parts: OpenNodeParts): Promise<OpenNode<EvmNetwork>> {
  const { config, onProgress, signal } = parts
  if (config.mode === 'production') {
    return { urls: config.evmRpcEthereum, network: networks.ethereum }
  }
  const isOwn = config.evmRpcEthereum.length === 0
  onProgress(isOwn ? 'starting the dev chain' : 'opening the chain')
  const urls = isOwn ? [await startOwn(parts)] : config.evmRpcEthereum
  const chainIds = await Promise.all(urls.map((url) => readDevChainId(url, signal)))
  const [chainId = 0] = chainIds
  if (chainIds.every((other) => other === chainId))
    return { urls, network: { ...networks.ethereum, chainId } }
  throw new Error(
    `EVM_RPC_ETHEREUM lists nodes of different chains (${chainIds.join(', ')}): list nodes of one chain`,
  )
}

async function startOwn({ config, log, opened, onLost }: OpenNodeParts): Promise<string> {
  const anvil = await startAnvil({
    dataDir: config.dataDir,
    port: config.sandboxEvmPort,
    blockTimeS: config.sandboxBlockTimeS,
    log,
  })
  opened.add('dev chain', () => anvil.stop())
  anvil.onExit(() => onLost(new Error('The dev chain (anvil) ended unexpectedly. Start Coffer again.')))
  return anvil.url
}

/**
 * Returns the id of a dev chain and refuses every other chain. A sandbox must not handle real money, because
 * anyone who runs it can read everything in it, including its seed.
 * @throws Error if the chain is not a dev chain, or if no node answers
 */
export async function readDevChainId(nodeUrl: string, signal: AbortSignal): Promise<number> {
  const answer = await callNode(nodeUrl, 'eth_chainId', [], signal).catch((error: unknown) => {
    signal.throwIfAborted()
    // Only the host is shown, because the path of a node's URL often contains a key.
    throw new Error(
      `No node answers at ${new URL(nodeUrl).host}: start it, or unset EVM_RPC_ETHEREUM to use the built-in dev chain.`,
      { cause: error },
    )
  })
  const chainId = Number(answer)
  if (devChainIds.includes(chainId)) return chainId
  throw new Error(
    `EVM_RPC_ETHEREUM is chain ${chainId}, which is not a dev chain (${devChainIds.join(', ')}). ` +
      'The sandbox never touches real money: leave EVM_RPC_ETHEREUM unset, or point it to anvil.',
  )
}

export interface OpenChains {
  readonly chains: readonly ChainReader[]
  readonly methods: PaymentMethods
  /**
   * The URL of the node, for tools that are not part of Coffer. In the sandbox it is the node of the dev
   * chain. In production the URL often contains a secret and must not be shown.
   */
  readonly nodeUrl: string
  codecOf(network: string): AddressCodec
}

export interface OpenChainsParts {
  readonly config: Pick<Config, 'mode'>
  readonly nodes: readonly OpenNode[]
  readonly roles: readonly Role[]
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly opened: CloseStack
  readonly signal: AbortSignal
  onProgress(step: string): void
}

/** Returns the readers of the chains and the payment methods on them. */
export async function openChains(parts: OpenChainsParts): Promise<OpenChains> {
  const { config, nodes, log, opened } = parts
  const chains = nodes.map((node) => openChain({ ...node, log }))
  for (const chain of chains) opened.add('chain reader', () => chain.close())
  const known =
    config.mode === 'production'
      ? await mainMethods(chains, parts)
      : await devMethods(parts, nodeUrlOf(nodes))
  const codecs = new Map<string, AddressCodec>(
    nodes.map(({ network }) => [network.name, addressCodecOf(network)]),
  )
  return {
    chains,
    nodeUrl: nodeUrlOf(nodes),
    methods: paymentMethods(known, new Set(chains.map(({ network }) => network))),
    codecOf: (network) => required(codecs.get(network), `the addresses of ${network}`),
  }
}

/** Returns the payment methods of an installation. Coffer may be running or stopped. */
export async function readMethods(config: Config, db: Db): Promise<PaymentMethods> {
  const known =
    config.mode === 'production' ? mainPaymentMethods() : devPaymentMethods(await readDevTokens(db))
  return paymentMethods(known, new Set(networksOf(await withRunningNodes(config))))
}

/** Returns the node URL of the chain that has the test tokens. */
function nodeUrlOf(nodes: readonly OpenNode[]): string {
  return nodes.find(({ network }) => network.family === 'evm')?.urls[0] ?? ''
}

/**
 * Checks that each node belongs to its configured chain. If a node belongs to another chain, the start fails.
 * If a node does not answer, only a warning is logged, because the node may answer later.
 */
async function mainMethods(
  chains: readonly ChainReader[],
  { log, signal }: OpenChainsParts,
): Promise<readonly PaymentMethod[]> {
  for (const chain of chains) {
    await chain.checkIdentity(signal).catch((error: unknown) => {
      if (error instanceof WrongChainError || !(error instanceof NodeError)) throw error
      log.warn({ network: chain.network, err: error }, 'no node answers yet')
    })
  }
  return mainPaymentMethods()
}

/**
 * Returns the payment methods of the dev chain. The process with the role `watcher` creates the test tokens,
 * and other processes wait until they exist.
 */
async function devMethods(parts: OpenChainsParts, nodeUrl: string): Promise<readonly PaymentMethod[]> {
  const { roles } = parts
  const connection = { ...parts, network: networks.ethereum.name, nodeUrl }
  const tokens = roles.includes('watcher') ? await prepareTokens(connection) : await findTokens(connection)
  return devPaymentMethods(tokens)
}
