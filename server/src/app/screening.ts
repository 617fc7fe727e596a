import { networks } from '../chains/networks.ts'
import { addressCodecOf } from '../chains/open-chain.ts'
import type { ChainReader } from '../chains/port.ts'
import type { Log } from '../core/log.ts'
import type { CanonicalOf } from '../payments/screening/sanctions-list.ts'
import { openScreening, type SanctionsOracle, type Screening } from '../payments/screening/screen.ts'
import type { Config } from './settings/config.ts'

/** Whatever can read addresses, for the spelling of a list. Those of the UTXO family are spelled as `spell` leaves them. */
export const addressFamilies: readonly CanonicalOf[] = [addressCodecOf(networks.ethereum).canonical]

/** What senders and destinations are held against, by the settings. */
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

/** The oracle of each network that has one, asked through the network's own nodes. */
function oraclesOf(
  { sanctionsOracleEthereum }: Config,
  chains: readonly ChainReader[],
): ReadonlyMap<string, SanctionsOracle> {
  const addresses: Readonly<Record<string, string | undefined>> = { ethereum: sanctionsOracleEthereum }
  return new Map(
    chains.flatMap((chain): [string, SanctionsOracle][] => {
      const oracle = addresses[chain.network]
      const { network, sanctions } = chain
      if (oracle === undefined || sanctions === undefined) return []
      return [[network, { areListed: (asked, signal) => sanctions.isListed(oracle, asked, signal) }]]
    }),
  )
}
