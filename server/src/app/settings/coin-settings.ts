/** Settings that there are once for each network of the UTXO family, named for it: a new row of networks brings its own. */
import { isAbsolute } from 'node:path'
import { type UtxoNetwork, utxoNetworkNames, utxoNetworkOf } from '../../chains/networks.ts'
import { addressCodecOf } from '../../chains/open-chain.ts'
import { accountPathOf, readAccountKey } from '../../chains/utxo/account-key.ts'
import { cookieParameter } from '../../chains/utxo/core-calls.ts'
import { type UtxoChain, utxoChains } from '../../chains/utxo/utxo-chains.ts'
import { required } from '../../core/assert.ts'
import { type Environment, list, ruled, type Setting, text } from '../../core/settings.ts'
import { needed, urlProblem } from './setting-rules.ts'

type Coin = UtxoNetwork['name']

type FieldOf<Prefix extends string> = `${Prefix}${Capitalize<Coin>}`

/** For each network a field that bears its name, such as `xpubLitecoin`. */
export type PerCoin<Prefix extends string, T> = { readonly [Field in FieldOf<Prefix>]: T }

/** The settings as they are declared. */
export type AccountSettings = PerCoin<'xpub', Setting<string | undefined>>
export type ColdAddressSettings = PerCoin<'coldAddress', Setting<string | undefined>>

/** What they are once they are read. */
export interface CoinConfig
  extends PerCoin<'xpub', string | undefined>,
    PerCoin<'coldAddress', string | undefined>,
    PerCoin<'utxoRpc', readonly string[]> {}

/** What the field of that prefix and network holds. */
export function ofCoin<Prefix extends string, Fields>(
  fields: Fields,
  prefix: Prefix,
  coin: Coin,
): Fields[FieldOf<Prefix> & keyof Fields] {
  const field = fieldOf(prefix, coin) as keyof Fields
  return fields[field] as Fields[FieldOf<Prefix> & keyof Fields]
}

function perCoin<Prefix extends string, T>(prefix: Prefix, make: (coin: Coin) => T): PerCoin<Prefix, T> {
  const fields = utxoNetworkNames.map((coin) => [fieldOf(prefix, coin), make(coin)])
  return Object.fromEntries(fields) as PerCoin<Prefix, T>
}

function fieldOf<Prefix extends string>(prefix: Prefix, coin: Coin): FieldOf<Prefix> {
  return `${prefix}${coin.charAt(0).toUpperCase()}${coin.slice(1)}` as FieldOf<Prefix>
}

const nodesNameOf = (coin: Coin) => `UTXO_RPC_${coin.toUpperCase()}`

/** Account keys, tried out: of the main chain, or of a private one. */
export const accountSettings: AccountSettings = perCoin('xpub', (coin) => {
  const { main, regtest } = utxoChains[coin]
  const path = accountPathOf(main).replaceAll("'", '’')
  const meaning = `Account xpub at ${path}; needed with ${nodesNameOf(coin)}; from a generated seed in a sandbox.`
  return ruled(text(`XPUB_${coin.toUpperCase()}`, undefined, meaning), (value, name) =>
    value === undefined || accountFault(value, regtest) === undefined
      ? undefined
      : mainAccountProblem(coin)(value, name),
  )
})

/** Of which those are needed whose network has nodes; `why` goes on after "must be set". */
export function neededAccounts(
  settings: AccountSettings,
  environment: Environment,
  why: string,
): AccountSettings {
  return perCoin('xpub', (coin) => {
    const nodes = nodesNameOf(coin)
    const setting = ofCoin(settings, 'xpub', coin)
    return environment[nodes] ? needed(setting, ` with ${nodes}${why}`) : setting
  })
}

/** The same, of the main chains alone. */
export function neededMainAccounts(
  settings: AccountSettings,
  environment: Environment,
  why: string,
): AccountSettings {
  const accounts = neededAccounts(settings, environment, why)
  return perCoin('xpub', (coin) => ruled(ofCoin(accounts, 'xpub', coin), mainAccountProblem(coin)))
}

function mainAccountProblem(coin: Coin) {
  return (value: string | undefined, name: string): string | undefined => {
    const fault = value === undefined ? undefined : accountFault(value, utxoChains[coin].main)
    return fault === undefined ? undefined : `${name} cannot be used: ${fault}`
  }
}

function accountFault(value: string, chain: UtxoChain): string | undefined {
  try {
    readAccountKey(value, chain)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

export const coldAddressSettings: ColdAddressSettings = perCoin('coldAddress', (coin) =>
  text(`COLD_ADDRESS_${coin.toUpperCase()}`, undefined, `The same of ${coin}.`),
)

/** Of the main chains where money is real, of private ones in a sandbox. */
export function ruledColdAddresses(
  settings: ColdAddressSettings,
  kind: 'main' | 'regtest',
): ColdAddressSettings {
  return perCoin('coldAddress', (coin) =>
    ruled(ofCoin(settings, 'coldAddress', coin), coldAddressProblem(coin, kind)),
  )
}

function coldAddressProblem(coin: Coin, kind: 'main' | 'regtest') {
  const codec = addressCodecOf(required(utxoNetworkOf(coin, kind), 'a network'))
  return (value: string | undefined, name: string): string | undefined => {
    const destination = value === undefined ? undefined : codec.readDestination(value)
    if (destination === undefined || 'address' in destination) return undefined
    const chain = kind === 'main' ? coin : `${coin}'s private chain (regtest), as a sandbox has it`
    return `${name}: the address ${destination.fault}; it must be one of ${chain}`
  }
}

export const nodeSettings = perCoin('utxoRpc', (coin) => {
  const meaning = `Node URLs of ${coin}, comma-separated, with user:password or ?cookiefile=<path>; absent: not used.`
  return ruled(list(nodesNameOf(coin), meaning), (urls, name) => {
    const problem = urls.map((url) => urlProblem(url, name)).find((one) => one !== undefined)
    return problem ?? urls.map((url) => cookieProblem(url, name)).find((one) => one !== undefined)
  })
})

function cookieProblem(url: string, name: string): string | undefined {
  const path = new URL(url).searchParams.get(cookieParameter)
  if (path === null || isAbsolute(path)) return undefined
  return `${name}: the path after ${cookieParameter}= must be an absolute one`
}
