/** Reads addresses of the EVM family, which are the same on all its networks, where no chain is open. */
import { evmAddresses } from './evm/address.ts'
import type { Destination } from './port.ts'

/** Returns the canonical form of an address that somebody typed, or what is wrong with it. */
export function readEvmAddress(text: string): Destination {
  return evmAddresses.readDestination(text)
}
