/**
 * The supported networks, each a row of a table. The networks of a family (EVM, UTXO) share their code. The rows
 * in `networks` come with Coffer. An operator's own networks are known once `addOwnNetwork` has been called.
 */
import { assert, required } from '../core/assert.ts'
import { type EvmNetwork, evmNetworkNames, evmNetworks, type ShippedEvmName } from './evm/evm-networks.ts'
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
/** The name of a network that comes with Coffer. */
export type ShippedNetworkName = ShippedEvmName | UtxoNetwork['name']
/** The name of a network, shipped or an operator's own. `networkOf` returns its row. */
export type NetworkName = string
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
} as const satisfies { readonly [Name in ShippedNetworkName]: Network & { readonly name: Name } }

/** Chain ids of development chains by default: 31337 of anvil and Hardhat, 1337 of Ganache. */
const usualDevChainIds: readonly number[] = [31337, 1337]

/**
 * Returns the chain id of the sandbox's own development chain of an EVM network. Chain ids are unique, because
 * a signed transaction is valid on every chain with its chain id.
 */
export function devChainIdOf(name: ShippedEvmName): number {
  return name === 'ethereum' ? 31337 : Number(`${evmNetworks[name].chainId}31337`)
}

/** Tells whether an id is that of a development chain. Each network has its own, and its id ends with 31337. */
export function isDevChainId(chainId: number): boolean {
  return usualDevChainIds.includes(chainId) || String(chainId).endsWith('31337')
}

/** The chain ids of development chains that the networks of Coffer use. */
export const devChainIds: readonly number[] = [
  ...new Set([...usualDevChainIds, ...evmNetworkNames.map(devChainIdOf)]),
]

/**
 * The operator's own networks. It is a value of the module and not passed on, because some forty modules look up
 * a network by its name. That is safe, because a row is added only after its signature was verified, and never
 * changes or goes afterwards. Whether a network is enabled is not part of it. The signer adds no rows.
 */
const ownNetworks = new Map<string, EvmNetwork>()

/** Makes an operator's own network known. A network that is already known must be the same. */
export function addOwnNetwork(network: EvmNetwork): void {
  assert(shippedNetworkOf(network.name) === undefined, `${network.name} is the name of a shipped network`)
  const twin = allNetworks().find((row) => row.family === 'evm' && row.chainId === network.chainId)
  assert(twin === undefined || twin.name === network.name, `chain ${network.chainId} is ${twin?.name}`)
  ownNetworks.set(network.name, network)
}

/**
 * The operator's own networks that repeat something of a shipped one. They are found by their names, so that
 * stored records can be read, and are in no list, because nothing may be sent or credited on them.
 */
const unusableNetworks = new Map<string, EvmNetwork>()

export function addUnusableNetwork(network: EvmNetwork): void {
  unusableNetworks.set(network.name, network)
}

/** Returns the row of a network that comes with Coffer; undefined if none has this name. */
export function shippedNetworkOf(name: string): Network | undefined {
  return isShippedName(name) ? networks[name] : undefined
}

/** Returns the row of a network, shipped or an operator's own; undefined if none has this name. */
export function networkOf(name: string): Network | undefined {
  return shippedNetworkOf(name) ?? ownNetworks.get(name) ?? unusableNetworks.get(name)
}

/** Returns all networks: those that come with Coffer, then the operator's own. */
export function allNetworks(): readonly Network[] {
  return [...Object.values(networks), ...ownNetworks.values()]
}

/** Returns the EVM networks: those that come with Coffer, then the operator's own. */
export function allEvmNetworks(): readonly EvmNetwork[] {
  return [...Object.values(evmNetworks), ...ownNetworks.values()]
}

function isShippedName(text: string): text is ShippedNetworkName {
  return Object.hasOwn(networks, text)
}

/** Returns the title of a network; the name itself if no network has this name. */
export function networkTitle(name: string): string {
  return networkOf(name)?.title ?? name
}

/** The names of the UTXO networks, in the order of `utxoChains`. */
export const utxoNetworkNames = Object.keys(utxoChains) as readonly UtxoNetwork['name'][]

/**
 * Returns the UTXO network of this name, with the parameters of its main, test or regtest chain; undefined if
 * no UTXO network has this name.
 */
export function utxoNetworkOf(name: string, kind: UtxoChain['kind']): UtxoNetwork | undefined {
  const row = shippedNetworkOf(name)
  return row?.family === 'utxo' ? { ...row, chain: utxoChains[row.name][kind] } : undefined
}

export function addressFamilyOf(name: NetworkName): AddressFamily {
  const row = required(networkOf(name), `the network ${name}`)
  return row.family === 'evm' ? 'evm' : row.name
}
