/** What transactions are made with where senders count them: EVM. */
import type { EvmNetwork } from '../../chains/networks.ts'
import type { AccountSender, AddressCodec, SpendCodec } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import type { WalletPlace } from '../../signing/intent.ts'
import type { MachineParts } from '../engine/machine.ts'
import type { MachineMemory } from '../engine/machine-memory.ts'
import type { CountedAsset } from '../engine/signer-client/attested-limits.ts'
import type { PricePolicy } from './price-gas.ts'
import { addressAt, type OwnPlaces } from './spend-of.ts'

export interface AccountParts extends MachineParts {
  readonly network: EvmNetwork
  readonly sender: AccountSender
  readonly codec: SpendCodec
  readonly addresses: AddressCodec
  /** The account of the deposit addresses, as it is configured; the signer must attest the same. */
  readonly xpub: string
  /** Where the operator takes money to; the signer has it from its own settings. */
  readonly coldAddress?: string | undefined
  readonly policy?: PricePolicy
  /** The most gas that a withdrawal of the coin may take. */
  readonly nativeGasMax?: bigint
  /** What the service takes a contract of this network for, null being the coin; the signer's policy must say the same. */
  readonly countedAs?: (contract: string | null) => CountedAsset | undefined
  /** How many transactions a lane may have in no block yet. */
  readonly inFlightMax?: number
}

export function ownPlaces(
  { addresses, codec, xpub, coldAddress }: AccountParts,
  { lanes }: Pick<MachineMemory, 'lanes'>,
): OwnPlaces {
  return {
    lanes,
    delegate: codec.delegateOf(lanes),
    cold: coldAddress,
    deposit: ({ branch, index }) => required(addresses.derive(xpub, branch, index, 1)[0], 'an address'),
  }
}

/** The address of a wallet of ours. */
export function walletOf(parts: AccountParts, memory: MachineMemory, place: WalletPlace): string {
  return addressAt(ownPlaces(parts, memory), place)
}
