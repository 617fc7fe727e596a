/** Joins the operator's own networks and tokens with the parts of a running process. */
import type { ChainReader } from '../../chains/port.ts'
import type { Growing } from '../../core/concurrency/growing.ts'
import type { Log } from '../../core/log.ts'
import { decimal } from '../../core/money.ts'
import { openSealer } from '../../core/seal.ts'
import type { EngineParts } from '../../outgoing/engine/engine-parts.ts'
import type { Db } from '../../platform/db/pool.ts'
import { evmNetworkOf, type OwnNetwork } from '../../pricing/own-rows/own-network.ts'
import type { Keys } from '../keys/open-keys.ts'
import { openOperatorVerifier } from '../keys/open-operator-keys.ts'
import type { OpenChains } from '../open-chains.ts'
import type { OpenNode } from '../open-node.ts'
import type { DevNode } from '../sandbox/fund-hot-wallets.ts'
import type { Config } from '../settings/config.ts'
import { chainIdProblem } from './chain-id-problem.ts'
import { OwnRowsKeeper } from './keep-own-rows.ts'
import { methodsWithOwn } from './methods-with-own.ts'
import { requireKnownMethods } from './require-known-methods.ts'

/** What a network of the operator is added to while the process runs. */
export interface LiveParts {
  readonly devNodes: Growing<DevNode>
  /** The destinations of treasury withdrawals, by network. */
  readonly coldAddresses: Map<string, string>
  readonly gasBudgetsMinor: Map<string, bigint>
  /** The nodes of the EVM networks that this process follows, by network. */
  readonly nodeUrls: Map<string, readonly string[]>
  /** Nodes that replaced those of an own network. This process uses them after a restart, and sends them no webhook. */
  readonly laterNodeUrls: Set<string>
}

/** The engines for outgoing transactions. */
export interface Payouts {
  readonly engines: Growing<EngineParts>
  /** Builds the engine of one more network. The returned function starts it. */
  openNetwork(node: OpenNode, chain: ChainReader): () => void
}

export interface OpenOwnRowsParts
  extends LiveParts,
    Pick<Keys, 'xpub' | 'encryptionKey' | 'encryptionKeyPrevious'> {
  readonly config: Config
  readonly db: Db
  readonly log: Log
  readonly chains: OpenChains
  /** The nodes of the networks that come with Coffer. */
  readonly nodes: readonly OpenNode[]
  /** Undefined if this process pays nothing out. */
  readonly payouts: Payouts | undefined
}

/**
 * Takes the operator's rows into this process, before its jobs start, so that everything that was stored about
 * them can be read. The worker of the returned keeper takes later rows.
 */
export async function openOwnRows(parts: OpenOwnRowsParts): Promise<OwnRowsKeeper> {
  const { config, db, log, chains, xpub } = parts
  const keeper = new OwnRowsKeeper({
    db,
    log,
    sealer: openSealer(parts.encryptionKey, parts.encryptionKeyPrevious),
    reading: await openOperatorVerifier(config, xpub),
    entryMin: config.operatorEntryMin,
    chainIdProblem: (chainId) => chainIdProblem(config, chainId, parts.nodes),
    openNetwork: (row, urls) => openNetwork(parts, row, urls),
    onNewNodes: (urls) => {
      for (const url of urls) parts.laterNodeUrls.add(url)
    },
    onRows: (rows, disabled) => {
      const followed = new Set(chains.chains.map(({ network }) => network))
      chains.setMethods(methodsWithOwn(config, chains.shippedMethods, rows, { followed, disabled }))
    },
  })
  await keeper.refresh()
  await requireKnownMethods(db, chains.methods)
  return keeper
}

/** Everything that can fail comes before the first part is added. */
function openNetwork(
  { config, chains, payouts, devNodes, coldAddresses, gasBudgetsMinor, nodeUrls }: OpenOwnRowsParts,
  row: OwnNetwork,
  urls: readonly string[],
): void {
  const { name, coldAddress, gasBudget, coin } = row
  const node = { network: evmNetworkOf(row), urls }
  if (coldAddress !== null) coldAddresses.set(name, coldAddress)
  gasBudgetsMinor.set(name, decimal(gasBudget, coin.decimals))
  const opened = chains.openNetwork(node)
  const startEngine = payouts?.openNetwork(node, opened.chain)
  // Before any connection is made there, so that no webhook is sent to these nodes.
  nodeUrls.set(name, urls)
  opened.add()
  startEngine?.()
  if (config.mode === 'sandbox') devNodes.add({ network: name, nodeUrl: urls[0] ?? '' })
}
