/** The settings that exist once for each UTXO network. */
import { isAbsolute } from 'node:path'
import { type UtxoNetwork, utxoNetworkNames, utxoNetworkOf } from '../../chains/networks.ts'
import { addressCodecOf } from '../../chains/open-chain.ts'
import { accountPathOf, readAccountKey } from '../../chains/utxo/account-key.ts'
import { cookieParameter } from '../../chains/utxo/core-calls.ts'
import { type UtxoChain, utxoChains } from '../../chains/utxo/utxo-chains.ts'
import { required } from '../../core/assert.ts'
import { type Environment, list, ruled, type Setting, text } from '../../core/settings.ts'
import { ofNetwork, type PerNetwork, perNetwork } from './network-settings.ts'
import { needed, urlProblem } from './setting-rules.ts'

type Coin = UtxoNetwork['name']

/** One field for each UTXO network, such as `xpubLitecoin`. */
export type PerCoin<Prefix extends string, T> = PerNetwork<Prefix, Coin, T>

/** The declaration of the xpub setting of each coin: its name and rules, not its value. */
export type AccountSettings = PerCoin<'xpub', Setting<string | undefined>>
export type ColdAddressSettings = PerCoin<'coldAddress', Setting<string | undefined>>

/** The values of the settings after they are read. */
export interface CoinConfig
  extends PerCoin<'xpub', string | undefined>,
    PerCoin<'coldAddress', string | undefined>,
    PerCoin<'utxoRpc', readonly string[]> {}

function perCoin<Prefix extends string, T>(prefix: Prefix, make: (coin: Coin) => T): PerCoin<Prefix, T> {
  return perNetwork(utxoNetworkNames, prefix, make)
}

const nodesNameOf = (coin: Coin) => `UTXO_RPC_${coin.toUpperCase()}`

/** Account xpubs, each checked by a derivation. They may belong to the mainnet or to a regtest chain. */
export const accountSettings: AccountSettings = perCoin('xpub', (coin) => {
  const { main, regtest } = utxoChains[coin]
  const path = accountPathOf(main).replaceAll("'", '’')
  const meaning = `Account xpub at ${path}; required with ${nodesNameOf(coin)}; from a generated seed in a sandbox.`
  return ruled(text(`XPUB_${coin.toUpperCase()}`, undefined, meaning), (value, name) =>
    value === undefined || accountError(value, regtest) === undefined
      ? undefined
      : mainAccountProblem(coin)(value, name),
  )
})

/**
 * Returns the xpub settings. The xpub of a network is required if nodes of that network are configured. `why`
 * completes the error message "... must be set".
 */
export function neededAccounts(
  settings: AccountSettings,
  environment: Environment,
  why: string,
): AccountSettings {
  return perCoin('xpub', (coin) => {
    const nodes = nodesNameOf(coin)
    const setting = ofNetwork(settings, 'xpub', coin)
    return environment[nodes] ? needed(setting, ` with ${nodes}${why}`) : setting
  })
}

/** Does the same as `neededAccounts`, but accepts account xpubs of mainnets only. */
export function neededMainAccounts(
  settings: AccountSettings,
  environment: Environment,
  why: string,
): AccountSettings {
  const accounts = neededAccounts(settings, environment, why)
  return perCoin('xpub', (coin) => ruled(ofNetwork(accounts, 'xpub', coin), mainAccountProblem(coin)))
}

function mainAccountProblem(coin: Coin) {
  return (value: string | undefined, name: string): string | undefined => {
    const error = value === undefined ? undefined : accountError(value, utxoChains[coin].main)
    return error === undefined ? undefined : `${name} cannot be used: ${error}`
  }
}

function accountError(value: string, chain: UtxoChain): string | undefined {
  try {
    readAccountKey(value, chain)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

export const coldAddressSettings: ColdAddressSettings = perCoin('coldAddress', (coin) =>
  text(`COLD_ADDRESS_${coin.toUpperCase()}`, undefined, `The same for ${coin}.`),
)

/**
 * Returns the cold address settings with a check: every address must belong to a chain of the kind `kind`.
 */
export function ruledColdAddresses(
  settings: ColdAddressSettings,
  kind: 'main' | 'regtest',
): ColdAddressSettings {
  return perCoin('coldAddress', (coin) =>
    ruled(ofNetwork(settings, 'coldAddress', coin), coldAddressProblem(coin, kind)),
  )
}

function coldAddressProblem(coin: Coin, kind: 'main' | 'regtest') {
  const codec = addressCodecOf(required(utxoNetworkOf(coin, kind), 'a network'))
  return (value: string | undefined, name: string): string | undefined => {
    const destination = value === undefined ? undefined : codec.readDestination(value)
    if (destination === undefined || 'address' in destination) return undefined
    const chain = kind === 'main' ? coin : `${coin}'s private chain (regtest), as a sandbox has it`
    return `${name}: the address ${destination.error}; it must be an address of ${chain}`
  }
}

export const nodeSettings = perCoin('utxoRpc', (coin) => {
  const meaning = `Node URLs of ${coin}, comma-separated, with user:password or ?cookiefile=<path>; unset: not used.`
  return ruled(list(nodesNameOf(coin), meaning), (urls, name) => {
    const problem = urls.map((url) => urlProblem(url, name)).find((one) => one !== undefined)
    return problem ?? urls.map((url) => cookieProblem(url, name)).find((one) => one !== undefined)
  })
})

function cookieProblem(url: string, name: string): string | undefined {
  const path = new URL(url).searchParams.get(cookieParameter)
  if (path === null || isAbsolute(path)) return undefined
  return `${name}: the path after ${cookieParameter}= must be absolute`
}
