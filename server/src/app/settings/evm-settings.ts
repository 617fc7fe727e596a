/** The settings that exist once for each EVM network. */
import { evmNetworkNames, evmNetworks, type ShippedEvmName } from '../../chains/evm/evm-networks.ts'
import { parseDecimal } from '../../core/money.ts'
import { list, ruled, text } from '../../core/settings.ts'
import { gasBudgetDefaults } from '../../outgoing/withdrawals/network-costs/gas-budget.ts'
import { type PerNetwork, perNetwork } from './network-settings.ts'
import { evmAddressProblem, oracleAddress, urlProblem } from './setting-rules.ts'

type PerEvm<Prefix extends string, T> = PerNetwork<Prefix, ShippedEvmName, T>

/** The values of the settings after they are read. */
export interface EvmConfig
  extends PerEvm<'evmRpc', readonly string[]>,
    /** The cold address, as written in the setting. */
    PerEvm<'coldAddress', string | undefined>,
    /** The address of the oracle's contract, in canonical form. */
    PerEvm<'sanctionsOracle', string | undefined>,
    /** An amount of the network's coin, as written in the setting. */
    PerEvm<'gasBudget', string> {}

export const evmNodesNameOf = (name: string) => `EVM_RPC_${name.toUpperCase()}`

export const evmNodeSettings = perNetwork(evmNetworkNames, 'evmRpc', (name) => {
  const unset = name === 'ethereum' ? 'unset in a sandbox: the dev chain' : 'unset: not used'
  return ruled(
    list(evmNodesNameOf(name), `Node URLs of ${titleOf(name)}, comma-separated; ${unset}.`),
    (urls, setting) => urls.map((url) => urlProblem(url, setting)).find((problem) => problem !== undefined),
  )
})

export const tokensOnlySetting = ruled(
  list(
    'TOKENS_ONLY_NETWORKS',
    'EVM networks on which tokens alone are accepted, comma-separated; cheap to follow, because blocks are read from logs.',
  ),
  (names, setting) => {
    const unknown = names.find((name) => !evmNetworkNames.some((known) => known === name))
    return unknown === undefined
      ? undefined
      : `${setting} has ${unknown}, which is no EVM network: use ${evmNetworkNames.join(', ')}`
  },
)

export const evmColdAddressSettings = perNetwork(evmNetworkNames, 'coldAddress', (name) => {
  const meaning =
    name === 'ethereum'
      ? 'The destination of treasury withdrawals; unset: there are none.'
      : `The same for ${name}.`
  return ruled(text(`COLD_ADDRESS_${name.toUpperCase()}`, undefined, meaning), evmAddressProblem)
})

export const sanctionsOracleSettings = perNetwork(evmNetworkNames, 'sanctionsOracle', (name) =>
  oracleAddress(
    `SANCTIONS_ORACLE_${name.toUpperCase()}`,
    name === 'ethereum'
      ? 'A contract on ethereum with isSanctioned(address), such as 0x40C57923924B5c5c5455c48D93317139ADDaC8fb.'
      : `The same on ${name}.`,
  ),
)

export const gasBudgetSettings = perNetwork(evmNetworkNames, 'gasBudget', (name) => {
  const { symbol, decimals } = evmNetworks[name].coin
  const meaning =
    name === 'ethereum'
      ? 'ETH that a merchant’s transactions may cost in 24 h beyond the fees it pays; above that its withdrawals wait.'
      : `The same in ${symbol} on ${name}.`
  return ruled(
    text(`GAS_BUDGET_${name.toUpperCase()}`, gasBudgetDefaults[symbol] ?? '0', meaning),
    (value, setting) =>
      parseDecimal(value, decimals) === undefined
        ? `${setting} must be an amount in ${symbol} such as 0.25`
        : undefined,
  )
})

function titleOf(name: ShippedEvmName): string {
  const { title, isTried } = evmNetworks[name]
  return isTried ? title : `${title} (untested)`
}
