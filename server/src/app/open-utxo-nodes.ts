import { networks, type UtxoNetwork, utxoNetworkNames } from '../chains/networks.ts'
import { openChain } from '../chains/open-chain.ts'
import { WrongChainError } from '../chains/port.ts'
import { utxoChains } from '../chains/utxo/utxo-chains.ts'
import type { Log } from '../core/log.ts'
import { findProgram } from '../sandbox/find-program.ts'
import { endLeftLitecoind, findLitecoind, startLitecoind } from '../sandbox/litecoind.ts'
import { signerFiles } from '../signer/keys/signer-files.ts'
import { runKeysProcess } from './keys/signer-child.ts'
import type { OpenNode, OpenNodeParts } from './open-node.ts'
import type { Config } from './settings/config.ts'
import { ofNetwork } from './settings/network-settings.ts'

/**
 * Returns the configured nodes of UTXO networks. Production uses mainnets. A sandbox uses regtest chains,
 * because it never handles real money, and may start a Litecoin chain of its own.
 * @throws Error if a sandbox finds another chain, or if no node answers
 */
export async function openUtxoNodes(parts: OpenNodeParts): Promise<readonly OpenNode<UtxoNetwork>[]> {
  const { config, log, signal } = parts
  const own = config.mode === 'sandbox' ? await openOwnLitecoin(parts) : undefined
  const nodes = utxoNodesOf(own === undefined ? config : { ...config, utxoRpcLitecoin: [own] }).map(
    (node): OpenNode<UtxoNetwork> => ({ ...node, isOwn: node.urls[0] === own }),
  )
  if (config.mode === 'sandbox') for (const node of nodes) await requirePlayMoney(node, log, signal)
  return nodes
}

/** Returns the nodes of UTXO networks that the settings name. */
export function utxoNodesOf(config: Config): readonly Omit<OpenNode<UtxoNetwork>, 'isOwn'>[] {
  return utxoNetworkNames.flatMap((name) => {
    const urls = ofNetwork(config, 'utxoRpc', name)
    return urls.length === 0 ? [] : [{ network: rowOf(config, name), urls }]
  })
}

/**
 * Starts the sandbox's own Litecoin chain. Returns undefined if the settings disable that chain, or if the
 * program of the node is missing. The welcome text then says what is missing.
 */
async function openOwnLitecoin(parts: OpenNodeParts): Promise<string | undefined> {
  const { config, log, opened, onLost, onProgress } = parts
  if (!mayOwnLitecoin(config)) {
    await endLeftLitecoind(config.dataDir, log)
    return undefined
  }
  onProgress('starting the Litecoin chain')
  const { dataDir, sandboxBlockTimeS: blockTimeS } = config
  const litecoind = await startLitecoind({ dataDir, blockTimeS, log })
  opened.add('Litecoin chain', () => litecoind.stop())
  litecoind.onExit(() =>
    onLost(new Error('The Litecoin chain (litecoind) ended unexpectedly. Start Coffer again.')),
  )
  return litecoind.url
}

function mayOwnLitecoin({ sandboxLitecoin, utxoRpcLitecoin }: Config): boolean {
  return sandboxLitecoin && utxoRpcLitecoin.length === 0 && findProgram('litecoind') !== undefined
}

/**
 * Returns the settings for a command. If a running sandbox started a Litecoin node itself, the settings
 * include this node.
 */
export async function withRunningNodes(config: Config): Promise<Config> {
  if (config.mode === 'production' || config.utxoRpcLitecoin.length > 0) return config
  const own = await findLitecoind(config.dataDir)
  return own === undefined ? config : { ...config, utxoRpcLitecoin: [own] }
}

function rowOf({ mode }: Pick<Config, 'mode'>, name: UtxoNetwork['name']): UtxoNetwork {
  return mode === 'production' ? networks[name] : { ...networks[name], chain: utxoChains[name].regtest }
}

async function requirePlayMoney(node: OpenNode<UtxoNetwork>, log: Log, signal: AbortSignal): Promise<void> {
  const name = `UTXO_RPC_${node.network.name.toUpperCase()}`
  const reader = openChain({ ...node, log })
  try {
    await reader.checkIdentity(signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof WrongChainError) {
      throw new Error(
        `${name}: ${error.message}. The sandbox never touches real money: start the node with -regtest, or unset ${name}.`,
        { cause: error },
      )
    }
    const said = error instanceof Error ? error.message : String(error)
    throw new Error(`${name}: ${said}. Start the node, or unset ${name}.`, { cause: error })
  } finally {
    await reader.close()
  }
}

/**
 * Returns the account xpub of a UTXO network's deposit addresses: the configured xpub, or the xpub of the
 * sandbox's own seed.
 */
export async function readUtxoXpub(config: Config, { name }: UtxoNetwork): Promise<string> {
  const xpub = ofNetwork(config, 'xpub', name)
  if (xpub !== undefined) return xpub
  const files = signerFiles(config.dataDir)
  return runKeysProcess([
    'export-xpub',
    '--sandbox',
    '--network',
    name,
    '--keystore',
    config.keystoreFile ?? files.keystore,
    '--passphrase-file',
    config.keystorePassphraseFile ?? files.passphrase,
  ])
}
