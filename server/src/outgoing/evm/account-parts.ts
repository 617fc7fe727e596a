/** The dependencies of the code that plans and checks outgoing transactions on EVM chains. */
import type { EvmNetwork, PriceBounds } from '../../chains/evm/evm-networks.ts'
import type { AccountSender, AddressCodec, SpendCodec } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import type { EvmKeyPath } from '../../signing/intent.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import type { StrategyParts } from '../engine/engine-parts.ts'
import type { CountedAsset } from '../engine/signer-client/attested-limits.ts'
import type { GasRules } from './price-gas.ts'
import { type AddressBook, addressAt } from './spend-of.ts'

export interface AccountParts extends StrategyParts {
  readonly network: EvmNetwork
  readonly sender: AccountSender
  readonly codec: SpendCodec
  readonly addresses: AddressCodec
  /** The configured xpub of the deposit addresses. The signer must attest the same xpub. */
  readonly xpub: string
  /**
   * The operator's cold address. The signer does not use this value, but reads the cold address from its own
   * settings.
   */
  readonly coldAddress?: string | undefined
  /** Replaces the bounds in the network's row. */
  readonly policy?: PriceBounds
  /** The maximum gas for a withdrawal of the network's coin. */
  readonly nativeGasMax?: bigint
  /**
   * Returns our name and decimals of a token contract, or of the network's coin if `contract` is null. The
   * signer's policy must have the same name and decimals.
   */
  readonly countedAs?: (contract: string | null) => CountedAsset | undefined
  /** The maximum number of transactions of one hot wallet that are not yet in a block. */
  readonly inFlightMax?: number
}

export function priceBoundsOf({ policy, network }: AccountParts): PriceBounds {
  return policy ?? network.priceBounds
}

export function gasRulesOf({ nativeGasMax, network }: AccountParts): GasRules {
  return { nativeGasMax, feeModel: network.feeModel }
}

export function ownAddressBook(
  { addresses, codec, xpub, coldAddress }: AccountParts,
  { hotWallets }: Pick<EngineMemory, 'hotWallets'>,
): AddressBook {
  return {
    hotWallets,
    delegate: codec.delegateOf(hotWallets),
    cold: coldAddress,
    deposit: ({ branch, index }) => required(addresses.derive(xpub, branch, index, 1)[0], 'an address'),
  }
}

/** Returns the address of a key path, which is a hot wallet or a deposit address. */
export function walletOf(parts: AccountParts, memory: EngineMemory, keyPath: EvmKeyPath): string {
  return addressAt(ownAddressBook(parts, memory), keyPath)
}
