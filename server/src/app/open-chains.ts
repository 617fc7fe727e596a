import { devChainIds, type NetworkName, networks } from '../chains/networks.ts'
import { addressCodecs, openChain } from '../chains/open-chain.ts'
import type { ChainReader } from '../chains/port.ts'
import type { Log } from '../core/log.ts'
import type { Db } from '../db/pool.ts'
import type { ChainSpelling } from '../invoices/view.ts'
import { devPaymentMethods } from '../payment-methods/catalogue.ts'
import { type PaymentMethods, paymentMethods } from '../payment-methods/payment-method.ts'
import { readDevTokens, saveDevTokens } from '../payment-methods/store.ts'
import { startAnvil } from '../sandbox/anvil.ts'
import { callNode } from '../sandbox/node-call.ts'
import { deployTestTokens } from '../sandbox/test-tokens.ts'
import type { CloseStack } from './close-stack.ts'
import type { Config } from './config.ts'

export interface OpenChains {
  readonly chains: readonly ChainReader[]
  readonly methods: PaymentMethods
  /** Where outsiders reach the dev chain. */
  readonly nodeUrl: string
  chainOf(network: string): ChainSpelling
}

export interface OpenChainsParts {
  readonly config: Config
  readonly db: Db
  readonly log: Log
  readonly opened: CloseStack
  readonly signal: AbortSignal
  /** Called when our dev chain ended by itself. */
  onLost(error: Error): void
}

/** The sandbox's chain: the configured dev node, or our own; with the test tokens on it. */
export async function openSandboxChains(parts: OpenChainsParts): Promise<OpenChains> {
  const { config, db, log, opened, signal } = parts
  const urls = config.evmRpcEthereum.length > 0 ? config.evmRpcEthereum : [await startOwn(parts)]
  const [nodeUrl = ''] = urls
  const chainId = await readDevChainId(nodeUrl, signal)
  const network = { ...networks.ethereum, chainId }
  const chain = openChain({ network, urls, log })
  opened.add('chain reader', () => chain.close())
  const tokens = await prepareTokens(db, network.name, nodeUrl, signal)
  return {
    chains: [chain],
    nodeUrl,
    methods: paymentMethods(devPaymentMethods(tokens), new Set([network.name])),
    chainOf: () => ({ codec: addressCodecs[network.family], chainId }),
  }
}

async function startOwn({ config, log, opened, onLost }: OpenChainsParts): Promise<string> {
  const anvil = await startAnvil({
    dataDir: config.dataDir,
    port: config.sandboxEvmPort,
    blockTimeS: config.sandboxBlockTimeS,
    log,
  })
  opened.add('dev chain', () => anvil.stop())
  anvil.onExit(() => onLost(new Error('The dev chain (anvil) ended by itself. Start Coffer again.')))
  return anvil.url
}

/** Refuses a chain where money is real: everything in a sandbox, its seed included, is open to who runs it. */
export async function readDevChainId(nodeUrl: string, signal: AbortSignal): Promise<number> {
  const chainId = Number(await callNode(nodeUrl, 'eth_chainId', [], signal))
  if (devChainIds.includes(chainId)) return chainId
  throw new Error(
    `EVM_RPC_ETHEREUM is chain ${chainId}, which is no dev chain (${devChainIds.join(', ')}). ` +
      'The sandbox never touches real money: leave EVM_RPC_ETHEREUM unset, or point it to anvil.',
  )
}

async function prepareTokens(db: Db, network: NetworkName, nodeUrl: string, signal: AbortSignal) {
  const stored = await readDevTokens(db)
  const known = Object.fromEntries(stored.map(({ symbol, contract }) => [symbol, contract]))
  const deployed = await deployTestTokens(nodeUrl, signal, known)
  const tokens = Object.entries(deployed).map(([symbol, contract]) => ({
    network,
    symbol,
    contract: contract.toLowerCase(),
  }))
  await saveDevTokens(db, tokens)
  return tokens
}
