import { assert } from '../core/assert.ts'
import type { Log } from '../core/log.ts'
import { evmAddresses } from './evm/address.ts'
import { openEvmReader } from './evm/reader.ts'
import { openEvmSender } from './evm/sender.ts'
import type { ChainFamily, Network } from './networks.ts'
import type { AddressCodec, ChainReader, ChainSender } from './port.ts'
import { overSeveral } from './several-nodes.ts'
import { sendToAll } from './several-senders.ts'

export interface ChainNodes {
  readonly network: Network
  /** http or https, best first. */
  readonly urls: readonly string[]
  readonly log: Log
}

/**
 * A reader of `network` through its nodes, of which two must agree where there are several. Connects when first asked; close it
 * when done. In the sandbox `network.chainId` is the dev chain's.
 */
export function openChain({ network, urls, log }: ChainNodes): ChainReader {
  assert(urls.length > 0, `no node is configured for ${network.name}`)
  return overSeveral(
    urls.map((url) => readers[network.family]({ network, url })),
    log,
  )
}

/** A sender to `network` through its nodes, as `openChain` reads it; what is sent goes to all of them. */
export function openSender({ network, urls, log }: ChainNodes): ChainSender {
  assert(urls.length > 0, `no node is configured for ${network.name}`)
  return sendToAll(
    urls.map((url) => senders[network.family]({ network, url })),
    log,
  )
}

/** The address rules of each family. */
export const addressCodecs: Readonly<Record<ChainFamily, AddressCodec>> = { evm: evmAddresses }

const readers = { evm: openEvmReader } satisfies Record<ChainFamily, unknown>
const senders = { evm: openEvmSender } satisfies Record<ChainFamily, unknown>
