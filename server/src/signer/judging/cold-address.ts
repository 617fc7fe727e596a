import { Refusal } from './refusal.ts'

/** Where the operator's own money may go. @throws Refusal where the signer was given no such address */
export function coldAddressOf(coldAddresses: ReadonlyMap<string, string>, network: string): string {
  const address = coldAddresses.get(network)
  if (address === undefined) throw new Refusal('not-allowed', `The signer has no cold address of ${network}`)
  return address
}
