import { evmNetworkNames } from '../chains/evm/evm-networks.ts'
import { networks } from '../chains/networks.ts'
import { addressCodecOf } from '../chains/open-chain.ts'
import type { ChainReader } from '../chains/port.ts'
import type { Log } from '../core/log.ts'
import type { CanonicalOf } from '../payments/screening/sanctions-list.ts'
import { openScreening, type SanctionsOracle, type Screening } from '../payments/screening/screen.ts'
import type { Config } from './settings/config.ts'
import { ofNetwork } from './settings/network-settings.ts'

/**
 * The functions that convert addresses in a sanctions list to canonical form. There is none for UTXO
 * networks, because `canonicalize` lower-cases bech32 addresses (BIP 173) and keeps base58 addresses
 * unchanged.
 */
export const addressFamilies: readonly CanonicalOf[] = [addressCodecOf(networks.ethereum).canonical]

/** Returns the screening of senders and destinations, as configured. */
export function screeningOf(config: Config, chains: readonly ChainReader[], log: Log): Screening {
  const { screening, sanctionsFile } = config
  return openScreening({
    log,
    isOn: screening === 'on',
    hasSource: sanctionsFile !== undefined,
    oracles: oraclesOf(config, chains),
    families: addressFamilies,
  })
}

/**
 * Returns the sanctions oracle of each network that has one. Coffer queries the oracle through the network's
 * configured nodes.
 */
function oraclesOf(config: Config, chains: readonly ChainReader[]): ReadonlyMap<string, SanctionsOracle> {
  const addresses = new Map<string, string | undefined>(
    evmNetworkNames.map((name) => [name, ofNetwork(config, 'sanctionsOracle', name)]),
  )
  return new Map(
    chains.flatMap((chain): [string, SanctionsOracle][] => {
      const oracle = addresses.get(chain.network)
      const { network, sanctions } = chain
      if (oracle === undefined || sanctions === undefined) return []
      return [[network, { areListed: (asked, signal) => sanctions.isListed(oracle, asked, signal) }]]
    }),
  )
}
