import { assert } from '../core/assert.ts'
import type { Log } from '../core/log.ts'
import { evmAddressesOf } from './evm/address.ts'
import { openEvmReader } from './evm/reader.ts'
import { openEvmSender } from './evm/sender.ts'
import type { EvmNetwork, Network, UtxoNetwork } from './networks.ts'
import type { AccountSender, AddressCodec, ChainReader } from './port.ts'
import { voicesMin } from './quorum/agreement.ts'
import { sendCoinsToAll } from './quorum/several-coin-senders.ts'
import { overSeveral } from './quorum/several-nodes.ts'
import { sendToAll } from './quorum/several-senders.ts'
import { utxoAddressesOf } from './utxo/address.ts'
import type { CoinSender } from './utxo/coin-port.ts'
import { openUtxoReader } from './utxo/reader.ts'
import { openUtxoSender } from './utxo/sender.ts'

export interface ChainNodes<Row extends Network = Network> {
  readonly network: Row
  /** http or https, best first. */
  readonly urls: readonly string[]
  readonly log: Log
}

/**
 * A reader of `network` through its nodes, of which two must agree where there are several. Connects when first asked; close it
 * when done. In the sandbox `network` is of a dev chain.
 */
export function openChain({ network, urls, log }: ChainNodes): ChainReader {
  assert(urls.length > 0, `no node is configured for ${network.name}`)
  // Of two nodes one is believed alone while the other is away.
  const provesBlocks = urls.length <= voicesMin
  return overSeveral(
    urls.map((url) => openReader(network, url, provesBlocks)),
    log,
  )
}

/** A sender to `network` through its nodes, as `openChain` reads it; what is sent goes to all of them. */
export function openSender({ network, urls, log }: ChainNodes<EvmNetwork>): AccountSender {
  assert(urls.length > 0, `no node is configured for ${network.name}`)
  return sendToAll(
    urls.map((url) => openEvmSender({ network, url })),
    log,
  )
}

/** As `openSender`, of a network whose money lies in coins. */
export function openCoinSender({ network, urls, log }: ChainNodes<UtxoNetwork>): CoinSender {
  assert(urls.length > 0, `no node is configured for ${network.name}`)
  return sendCoinsToAll(
    urls.map((url) => openUtxoSender({ network, url })),
    log,
  )
}

/** The address rules of a network. */
export function addressCodecOf(network: Network): AddressCodec {
  switch (network.family) {
    case 'evm':
      return evmAddressesOf(network.chainId)
    case 'utxo':
      return utxoAddressesOf(network)
  }
}

/** Blocks of the UTXO family are always read as bytes that have the block's hash. */
function openReader(network: Network, url: string, provesBlocks: boolean): ChainReader {
  switch (network.family) {
    case 'evm':
      return openEvmReader({ network, url, provesBlocks })
    case 'utxo':
      return openUtxoReader({ network, url })
  }
}
