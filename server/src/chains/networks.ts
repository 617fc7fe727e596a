/** The supported networks, each a row of a table. The networks of a family (EVM, UTXO) share their code. */
import { type EvmNetwork, type EvmNetworkName, evmNetworkNames, evmNetworks } from './evm/evm-networks.ts'
import { type UtxoChain, utxoChains } from './utxo/utxo-chains.ts'

/** A network of Bitcoin Core or one of its forks. */
export interface UtxoNetwork {
  readonly name: keyof typeof utxoChains
  readonly title: string
  readonly family: 'utxo'
  readonly coin: { readonly symbol: string; readonly decimals: number }
  readonly blockTimeMs: number
  /** What a payer usually pays for one transfer, in US dollars; see `EvmNetwork`. */
  readonly typicalFeeUsd: string
  /** The parameters of the main chain; in the sandbox, those of the regtest chain. */
  readonly chain: UtxoChain
}

export type Network = EvmNetwork | UtxoNetwork
export type NetworkName = Network['name']
export type ChainFamily = Network['family']

/**
 * A group of networks on which one key has one address. All EVM networks are one family; each UTXO network is
 * a family of its own.
 */
export type AddressFamily = 'evm' | UtxoNetwork['name']

const utxo = { family: 'utxo' } as const

export const networks = {
  ...evmNetworks,
  bitcoin: {
    ...utxo,
    name: 'bitcoin',
    title: 'Bitcoin',
    chain: utxoChains.bitcoin.main,
    coin: { symbol: 'BTC', decimals: 8 },
    blockTimeMs: 600_000,
    typicalFeeUsd: '0.3',
  },
  litecoin: {
    ...utxo,
    name: 'litecoin',
    title: 'Litecoin',
    chain: utxoChains.litecoin.main,
    coin: { symbol: 'LTC', decimals: 8 },
    blockTimeMs: 150_000,
    typicalFeeUsd: '0.001',
  },
  dogecoin: {
    ...utxo,
    name: 'dogecoin',
    title: 'Dogecoin',
    chain: utxoChains.dogecoin.main,
    coin: { symbol: 'DOGE', decimals: 8 },
    blockTimeMs: 60_000,
    typicalFeeUsd: '0.005',
  },
} as const satisfies { readonly [Name in NetworkName]: Network & { readonly name: Name } }

/** Chain ids of development chains by default: 31337 of anvil and Hardhat, 1337 of Ganache. */
const usualDevChainIds: readonly number[] = [31337, 1337]

/**
 * Returns the chain id of the sandbox's own development chain of an EVM network. Chain ids are unique, because
 * a signed transaction is valid on every chain with its chain id.
 */
export function devChainIdOf(name: EvmNetworkName): number {
  return name === 'ethereum' ? 31337 : Number(`${evmNetworks[name].chainId}31337`)
}

/** The chain ids that the sandbox allows. */
export const devChainIds: readonly number[] = [
  ...new Set([...usualDevChainIds, ...evmNetworkNames.map(devChainIdOf)]),
]

export function isNetworkName(text: string): text is NetworkName {
  return Object.hasOwn(networks, text)
}

/** Returns the title of a network; the name itself if no network has this name. */
export function networkTitle(name: string): string {
  return isNetworkName(name) ? networks[name].title : name
}

/** The names of the UTXO networks, in the order of `utxoChains`. */
export const utxoNetworkNames = Object.keys(utxoChains) as readonly UtxoNetwork['name'][]

/**
 * Returns the UTXO network of this name, with the parameters of its main, test or regtest chain; undefined if
 * no UTXO network has this name.
 */
export function utxoNetworkOf(name: string, kind: UtxoChain['kind']): UtxoNetwork | undefined {
  const row = isNetworkName(name) ? networks[name] : undefined
  return row?.family === 'utxo' ? { ...row, chain: utxoChains[row.name][kind] } : undefined
}

export function addressFamilyOf(name: NetworkName): AddressFamily {
  const row = networks[name]
  return row.family === 'evm' ? 'evm' : row.name
}
