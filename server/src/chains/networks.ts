/** Families are code, networks are rows. */
import { type UtxoChain, utxoChains } from './utxo/utxo-chains.ts'

interface Row {
  readonly title: string
  readonly coin: { readonly symbol: string; readonly decimals: number }
  readonly blockTimeMs: number
}

export interface EvmNetwork extends Row {
  readonly name: 'ethereum'
  readonly family: 'evm'
  /** EIP-155 id; the dev chain's in the sandbox. */
  readonly chainId: number
  /** Whether its transactions can delegate addresses to a contract (EIP-7702), so that many are swept by one. */
  readonly canDelegate: boolean
}

/** Bitcoin Core and its kin. */
export interface UtxoNetwork extends Row {
  readonly name: keyof typeof utxoChains
  readonly family: 'utxo'
  /** The main chain; the regtest one in the sandbox. */
  readonly chain: UtxoChain
}

export type Network = EvmNetwork | UtxoNetwork
export type NetworkName = Network['name']
export type ChainFamily = Network['family']

/** Networks on which one key has one address: those of EVM are one, each of the UTXO family is its own. */
export type AddressFamily = 'evm' | UtxoNetwork['name']

const utxo = { family: 'utxo' } as const

export const networks = {
  ethereum: {
    name: 'ethereum',
    title: 'Ethereum',
    family: 'evm',
    chainId: 1,
    coin: { symbol: 'ETH', decimals: 18 },
    blockTimeMs: 12_000,
    canDelegate: true,
  },
  bitcoin: {
    ...utxo,
    name: 'bitcoin',
    title: 'Bitcoin',
    chain: utxoChains.bitcoin.main,
    coin: { symbol: 'BTC', decimals: 8 },
    blockTimeMs: 600_000,
  },
  litecoin: {
    ...utxo,
    name: 'litecoin',
    title: 'Litecoin',
    chain: utxoChains.litecoin.main,
    coin: { symbol: 'LTC', decimals: 8 },
    blockTimeMs: 150_000,
  },
  dogecoin: {
    ...utxo,
    name: 'dogecoin',
    title: 'Dogecoin',
    chain: utxoChains.dogecoin.main,
    coin: { symbol: 'DOGE', decimals: 8 },
    blockTimeMs: 60_000,
  },
} as const satisfies { readonly [Name in NetworkName]: Network & { readonly name: Name } }

/** Chain ids that only development chains use (anvil and Hardhat, Ganache). Sandbox mode accepts no other. */
export const devChainIds: readonly number[] = [31337, 1337]

export function isNetworkName(text: string): text is NetworkName {
  return Object.hasOwn(networks, text)
}

/** The UTXO networks, by name, in the order of their table. */
export const utxoNetworkNames = Object.keys(utxoChains) as readonly UtxoNetwork['name'][]

/** A row of the UTXO family on its main chain or on another; undefined for a name that is none of theirs. */
export function utxoNetworkOf(name: string, kind: UtxoChain['kind']): UtxoNetwork | undefined {
  const row = isNetworkName(name) ? networks[name] : undefined
  return row?.family === 'utxo' ? { ...row, chain: utxoChains[row.name][kind] } : undefined
}

export function addressFamilyOf(name: NetworkName): AddressFamily {
  return name === 'ethereum' ? 'evm' : name
}
