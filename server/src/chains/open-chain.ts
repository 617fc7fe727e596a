/**
 * Opens the readers and senders of a network from its configured nodes, and selects the adapter of its
 * family.
 */
import { assert } from '../core/assert.ts'
import type { Log } from '../core/log.ts'
import { evmAddressesOf } from './evm/address.ts'
import type { EvmNetwork } from './evm/evm-networks.ts'
import { openEvmReader } from './evm/reader.ts'
import { openEvmSender } from './evm/sender.ts'
import type { Network, UtxoNetwork } from './networks.ts'
import type { AccountSender, AddressCodec, ChainReader } from './port.ts'
import { quorumSize } from './quorum/agreement.ts'
import { openQuorumReader } from './quorum/reader.ts'
import { openQuorumSender } from './quorum/sender.ts'
import { openQuorumUtxoSender } from './quorum/utxo-sender.ts'
import { utxoAddressesOf } from './utxo/address.ts'
import { openUtxoReader } from './utxo/reader.ts'
import { openUtxoNodeSender } from './utxo/sender.ts'
import type { UtxoSender } from './utxo/utxo-port.ts'

export interface ChainNodes<Row extends Network = Network> {
  readonly network: Row
  /** The URLs of the nodes, with http or https. The preferred node comes first. */
  readonly urls: readonly string[]
  /** Whether tokens alone are accepted on the network; only on EVM networks. */
  readonly tokensOnly?: boolean
  readonly log: Log
}

/**
 * Returns a reader of `network` that combines all its nodes. If there are several nodes, two of them must
 * agree. The reader connects at its first request. The caller must close the reader.
 */
export function openChain({ network, urls, tokensOnly = false, log }: ChainNodes): ChainReader {
  assert(urls.length > 0, `no node is configured for ${network.name}`)
  // With one node, or with two of which one is unreachable, a single node is trusted. Each node must then
  // prove its blocks against their hashes.
  const provesBlocks = urls.length <= quorumSize
  if (tokensOnly && urls.length === 1)
    log.warn({ network: network.name }, 'logs cannot be proven: the one node is believed, configure a second')
  return openQuorumReader(
    urls.map((url) => openReader(network, url, { provesBlocks, tokensOnly })),
    log,
  )
}

/** Returns a sender that combines the nodes of `network`. Transactions are sent to all nodes. */
export function openSender({ network, urls, log }: ChainNodes<EvmNetwork>): AccountSender {
  assert(urls.length > 0, `no node is configured for ${network.name}`)
  return openQuorumSender(
    urls.map((url) => openEvmSender({ network, url })),
    log,
    { paysWholePrice: network.feeModel === 'legacy' },
  )
}

/** Returns a sender that combines the nodes of a UTXO network. Transactions are sent to all nodes. */
export function openUtxoSender({ network, urls, log }: ChainNodes<UtxoNetwork>): UtxoSender {
  assert(urls.length > 0, `no node is configured for ${network.name}`)
  return openQuorumUtxoSender(
    urls.map((url) => openUtxoNodeSender({ network, url })),
    log,
  )
}

/** Returns the address rules of a network. */
export function addressCodecOf(network: Network): AddressCodec {
  switch (network.family) {
    case 'evm':
      return evmAddressesOf(network.chainId)
    case 'utxo':
      return utxoAddressesOf(network)
  }
}

/**
 * Opens the reader of one node. The UTXO reader takes no `provesBlocks`, since it always verifies the bytes
 * of a block against the block's hash.
 */
function openReader(
  network: Network,
  url: string,
  reading: { readonly provesBlocks: boolean; readonly tokensOnly: boolean },
): ChainReader {
  switch (network.family) {
    case 'evm':
      return openEvmReader({ network, url, ...reading })
    case 'utxo':
      return openUtxoReader({ network, url })
  }
}
