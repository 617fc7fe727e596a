/** Finds the nodes of EVM networks: the configured ones, or the sandbox's own dev chain. */
import {
  type EvmNetwork,
  evmNetworkNames,
  evmNetworks,
  type ShippedEvmName,
} from '../chains/evm/evm-networks.ts'
import { devChainIdOf, devChainIds } from '../chains/networks.ts'
import { required } from '../core/assert.ts'
import { endLeftAnvil, findDevChain, startAnvil } from '../sandbox/anvil.ts'
import { callNode } from '../sandbox/node-call.ts'
import type { OpenNode, OpenNodeParts } from './open-node.ts'
import type { Config } from './settings/config.ts'
import { evmNodesNameOf } from './settings/evm-settings.ts'
import { ofNetwork } from './settings/network-settings.ts'

type EvmNode = Omit<OpenNode<EvmNetwork & { readonly name: ShippedEvmName }>, 'isOwn'>

/**
 * Returns the configured nodes of EVM networks. Production uses the main chains. A sandbox uses dev chains,
 * because it never handles real money, and starts a dev chain of Ethereum if none is configured.
 * @throws Error if a sandbox finds another chain, if no node answers, or if two networks have the same chain
 */
export async function openEvmNodes(parts: OpenNodeParts): Promise<readonly EvmNode[]> {
  const { config, signal } = parts
  if (config.mode === 'production') return configuredNodes(config)
  const ethereum = config.evmRpcEthereum.length === 0 ? [await startOwn(parts, 'ethereum')] : undefined
  if (ethereum === undefined) parts.onProgress('opening the chain')
  const base = await startOwnBase(parts)
  return devNodesOf(
    {
      ...config,
      ...(ethereum !== undefined && { evmRpcEthereum: ethereum }),
      ...(base !== undefined && { evmRpcBase: [base] }),
    },
    signal,
  )
}

/** Starts the sandbox's own dev chain of Base. Returns undefined if the settings do not ask for one. */
async function startOwnBase(parts: OpenNodeParts): Promise<string | undefined> {
  const { config } = parts
  if (config.sandboxBase && config.evmRpcBase.length === 0) return startOwn(parts, 'base')
  await endLeftAnvil(config.dataDir, 'base')
  return undefined
}

/**
 * Returns the nodes of the EVM networks that a running Coffer follows, for use by commands.
 * @throws Error if no node of a dev chain answers
 */
export async function findRunningNodes(config: Config, signal: AbortSignal): Promise<readonly EvmNode[]> {
  if (config.mode === 'production') return configuredNodes(config)
  return devNodesOf(await withRunningChains(config), signal)
}

/** Returns the settings with the dev chains that a running sandbox has started itself. */
export async function withRunningChains(config: Config): Promise<Config> {
  if (config.mode === 'production') return config
  const ownUrl = `http://127.0.0.1:${config.sandboxEvmPort}`
  const base = config.evmRpcBase.length === 0 ? await findDevChain(config.dataDir, 'base') : undefined
  return {
    ...config,
    ...(config.evmRpcEthereum.length === 0 && { evmRpcEthereum: [ownUrl] }),
    ...(base !== undefined && { evmRpcBase: [base] }),
  }
}

function configuredNodes(config: Config): readonly EvmNode[] {
  return evmNetworkNames.flatMap((name) => {
    const urls = ofNetwork(config, 'evmRpc', name)
    return urls.length === 0 ? [] : [{ network: evmNetworks[name], urls }]
  })
}

async function startOwn(
  { config, log, opened, onLost, onProgress }: OpenNodeParts,
  network: 'ethereum' | 'base',
): Promise<string> {
  const title = network === 'ethereum' ? 'dev chain' : 'chain of Base'
  onProgress(`starting the ${title}`)
  const anvil = await startAnvil({
    network,
    dataDir: config.dataDir,
    port: network === 'ethereum' ? config.sandboxEvmPort : config.sandboxBasePort,
    blockTimeS: config.sandboxBlockTimeS,
    log,
  })
  opened.add(title, () => anvil.stop())
  anvil.onExit(() => onLost(new Error(`The ${title} (anvil) ended unexpectedly. Start Coffer again.`)))
  return anvil.url
}

/** Returns the configured nodes with the chain ids of their dev chains, which must be different. */
async function devNodesOf(config: Config, signal: AbortSignal): Promise<readonly EvmNode[]> {
  const nodes = await Promise.all(
    configuredNodes(config).map(async ({ network, urls }) => ({
      urls,
      network: { ...network, chainId: await readCommonChainId(network.name, urls, signal) },
    })),
  )
  for (const [index, { network }] of nodes.entries()) {
    const twin = nodes.slice(0, index).find((other) => other.network.chainId === network.chainId)
    if (twin !== undefined) throw sameChainError(twin.network, network)
  }
  return nodes
}

/**
 * A payment that is signed for a chain id is valid on every chain with that id. Two networks therefore never
 * have the same one.
 */
function sameChainError(first: EvmNode['network'], second: EvmNode['network']): Error {
  return new Error(
    `${evmNodesNameOf(first.name)} and ${evmNodesNameOf(second.name)} are both chain ${first.chainId}: ` +
      `start the second chain with another id, such as "anvil --chain-id ${devChainIdOf(second.name)}"`,
  )
}

async function readCommonChainId(
  name: ShippedEvmName,
  urls: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const chainIds = await Promise.all(urls.map((url) => readDevChainId(name, url, signal)))
  const chainId = required(chainIds[0], `a node of ${name}`)
  if (chainIds.every((other) => other === chainId)) return chainId
  throw new Error(
    `${evmNodesNameOf(name)} lists nodes of different chains (${chainIds.join(', ')}): list nodes of one chain`,
  )
}

/**
 * Returns the id of a dev chain and refuses every other chain. A sandbox must not handle real money, because
 * anyone who runs it can read everything in it, including its seed.
 * @throws Error if the chain is not a dev chain, or if no node answers
 */
async function readDevChainId(name: ShippedEvmName, nodeUrl: string, signal: AbortSignal): Promise<number> {
  const setting = evmNodesNameOf(name)
  const remedy = name === 'ethereum' ? ' to use the built-in dev chain' : ''
  const answer = await callNode(nodeUrl, 'eth_chainId', [], signal).catch((error: unknown) => {
    signal.throwIfAborted()
    // Only the host is shown, because the path of a node's URL often contains a key.
    throw new Error(`No node answers at ${new URL(nodeUrl).host}: start it, or unset ${setting}${remedy}.`, {
      cause: error,
    })
  })
  const chainId = Number(answer)
  if (devChainIds.includes(chainId)) return chainId
  throw new Error(
    `${setting} is chain ${chainId}, which is not a dev chain (${devChainIds.join(', ')}). ` +
      `The sandbox never touches real money: leave ${setting} unset, or point it to anvil.`,
  )
}
