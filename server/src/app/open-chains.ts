/** Opens the nodes, the chain readers and the payment methods on their chains. */
import type { EvmNetwork } from '../chains/evm/evm-networks.ts'
import { walletChainOf } from '../chains/evm/wallet-chain.ts'
import { type NetworkName, networkOf } from '../chains/networks.ts'
import { addressCodecOf, openChain } from '../chains/open-chain.ts'
import {
  type AddressCodec,
  type ChainReader,
  NodeError,
  type WalletChain,
  WrongChainError,
} from '../chains/port.ts'
import { required } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { Growing } from '../core/concurrency/growing.ts'
import type { Log } from '../core/log.ts'
import type { Db } from '../platform/db/pool.ts'
import { disabledIds } from '../pricing/own-rows/own-methods.ts'
import { noOwnRows } from '../pricing/own-rows/signed-rows.ts'
import { type DevToken, devPaymentMethods, mainPaymentMethods } from '../pricing/payment-methods/catalogue.ts'
import {
  livePaymentMethods,
  type PaymentMethod,
  type PaymentMethods,
} from '../pricing/payment-methods/payment-method.ts'
import { readDevTokens } from '../pricing/payment-methods/store.ts'
import type { CloseStack } from './close-stack.ts'
import type { Role } from './jobs.ts'
import { openEvmNodes, withRunningChains } from './open-evm-nodes.ts'
import type { OpenNode, OpenNodeParts } from './open-node.ts'
import { openUtxoNodes, withRunningNodes } from './open-utxo-nodes.ts'
import { methodsWithOwn } from './own-rows/methods-with-own.ts'
import { readVerifiedRows } from './own-rows/read-own-rows.ts'
import { requireKnownMethods } from './own-rows/require-known-methods.ts'
import { findTokens, prepareTokens } from './sandbox/dev-tokens.ts'
import { type Config, networksOf } from './settings/config.ts'

/**
 * Returns the configured nodes, or in a sandbox the nodes of its own dev chains. It runs before the database
 * is opened, because it finds the most common errors of a start: a port is in use, a node is missing, or a
 * chain has real money.
 */
export async function openNodes(parts: OpenNodeParts): Promise<readonly OpenNode[]> {
  return [...(await openEvmNodes(parts)), ...(await openUtxoNodes(parts))]
}

export interface OpenChains {
  /** The readers of all networks, also of those that are added while the process runs. */
  readonly chains: readonly ChainReader[]
  readonly readers: Growing<ChainReader>
  readonly methods: PaymentMethods
  /** The payment methods that come with Coffer, as they are on the chains of this installation. */
  readonly shippedMethods: readonly PaymentMethod[]
  setMethods(methods: PaymentMethods): void
  /**
   * The URL of one node of each EVM network, by the network's name. In the sandbox these are the nodes of dev
   * chains. In production a URL often contains a secret and must not be shown.
   */
  readonly evmUrls: ReadonlyMap<string, string>
  codecOf(network: string): AddressCodec
  /** Returns how a payer's wallet adds a network; undefined if it must not. */
  walletChainOf(network: string): WalletChain | undefined
  /** Opens a reader of one more EVM network. Nothing else changes before `add` is called. */
  openNetwork(node: OpenNode<EvmNetwork>): OpenedNetwork
}

export interface OpenedNetwork {
  readonly chain: ChainReader
  /** Follows the network from now on. */
  add(): void
}

export interface OpenChainsParts {
  readonly config: Pick<Config, 'mode' | 'tokensOnlyNetworks'>
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
  const tokensOnly = new Set(config.tokensOnlyNetworks)
  const open = ({ network, urls }: OpenNode) =>
    openChain({ network, urls, tokensOnly: tokensOnly.has(network.name), log })
  const readers = new Growing(nodes.map(open))
  const chains = readers.items
  opened.add('chain readers', () => Promise.all(chains.map((chain) => chain.close())))
  const known =
    config.mode === 'production'
      ? await mainMethods(chains, parts)
      : await devMethods(parts, evmUrlsOf(nodes))
  const codecs = new Map<string, AddressCodec>(
    nodes.map(({ network }) => [network.name, addressCodecOf(network)]),
  )
  const wallets = new Map(
    nodes.flatMap(({ network, urls }): [string, WalletChain | undefined][] =>
      network.family === 'evm' ? [[network.name, walletOf(network, urls)]] : [],
    ),
  )
  const evmUrls = evmUrlsOf(nodes)
  const followed = new Set(chains.map(({ network }) => network))
  const inUse = { followed, disabled: new Set<number>() }
  const live = livePaymentMethods(methodsWithOwn(config, known, noOwnRows, inUse))
  return {
    chains,
    readers,
    evmUrls,
    methods: live.methods,
    shippedMethods: known,
    setMethods: live.set,
    openNetwork: ({ network, urls }) => {
      const url = required(urls[0], `a node of ${network.name}`)
      const chain = open({ network, urls })
      const add = () => {
        codecs.set(network.name, addressCodecOf(network))
        wallets.set(network.name, walletOf(network, urls))
        evmUrls.set(network.name, url)
        readers.add(chain)
      }
      return { chain, add }
    },
    // Invoices of a network whose nodes cannot be opened are still shown.
    codecOf: (network) =>
      codecs.get(network) ?? addressCodecOf(required(networkOf(network), `the network ${network}`)),
    walletChainOf: (network) => wallets.get(network),
  }
}

/** Returns the payment methods of an installation. Coffer may be running or stopped. */
export async function readMethods(config: Config, db: Db): Promise<PaymentMethods> {
  const known =
    config.mode === 'production' ? mainPaymentMethods() : devPaymentMethods(await readDevTokens(db))
  const followed = networksOf(await withRunningNodes(await withRunningChains(config)))
  const rows = await readVerifiedRows(config, db)
  const usable = rows.networks.filter(({ conflict }) => conflict === undefined)
  const names = new Set([...followed, ...usable.map(({ row }) => row.name)])
  const found = methodsWithOwn(config, known, rows, { followed: names, disabled: disabledIds(rows) })
  await requireKnownMethods(db, found)
  return found
}

/** Returns how a payer's wallet adds an EVM network, whose nodes may belong to a dev chain. */
function walletOf(network: EvmNetwork, urls: readonly string[]): WalletChain | undefined {
  const row = networkOf(network.name)
  return row?.family === 'evm' ? walletChainOf(row, network.chainId, urls[0]) : undefined
}

function evmUrlsOf(nodes: readonly OpenNode[]): Map<NetworkName, string> {
  return new Map(
    nodes.flatMap(({ network, urls }): [NetworkName, string][] =>
      network.family === 'evm' ? [[network.name, required(urls[0], `a node of ${network.name}`)]] : [],
    ),
  )
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
 * Returns the payment methods of the dev chains. The process with the role `watcher` creates the test tokens,
 * and other processes wait until they exist.
 */
async function devMethods(
  parts: OpenChainsParts,
  urls: ReadonlyMap<NetworkName, string>,
): Promise<readonly PaymentMethod[]> {
  const tokens: DevToken[] = []
  for (const [network, nodeUrl] of urls) {
    const connection = { ...parts, network, nodeUrl }
    const open = parts.roles.includes('watcher') ? prepareTokens : findTokens
    tokens.push(...(await open(connection)))
  }
  return devPaymentMethods(tokens)
}
