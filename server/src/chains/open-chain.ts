import { assert } from '../core/assert.ts'
import type { Log } from '../core/log.ts'
import { evmAddresses } from './evm/address.ts'
import { openEvmReader } from './evm/reader.ts'
import { overSeveral } from './failover.ts'
import type { ChainFamily, Network } from './networks.ts'
import type { AddressCodec, ChainReader } from './port.ts'

/**
 * A reader of `network` through the nodes at `urls` (http or https), best first. Connects when first asked; close it
 * when done. In the sandbox `network.chainId` is the dev chain's.
 */
export function openChain(parts: { network: Network; urls: readonly string[]; log: Log }): ChainReader {
  const { network, urls, log } = parts
  assert(urls.length > 0, `no node is configured for ${network.name}`)
  return overSeveral(
    urls.map((url) => readers[network.family]({ network, url })),
    log,
  )
}

/** The address rules of each family. */
export const addressCodecs: Readonly<Record<ChainFamily, AddressCodec>> = { evm: evmAddresses }

const readers = { evm: openEvmReader } satisfies Record<ChainFamily, unknown>
