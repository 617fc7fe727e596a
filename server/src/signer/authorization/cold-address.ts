import { Refusal } from './refusal.ts'

/**
 * Returns the cold address of a network. Treasury withdrawals of the operator's own money go to this address.
 * @throws Refusal if the signer was started without a cold address for the network.
 */
export function coldAddressOf(coldAddresses: ReadonlyMap<string, string>, network: string): string {
  const address = coldAddresses.get(network)
  if (address === undefined) throw new Refusal('not-allowed', `The signer has no cold address for ${network}`)
  return address
}
