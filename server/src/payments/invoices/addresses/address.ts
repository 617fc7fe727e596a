import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../../../core/derive-key.ts'
import { AlertError } from '../../../core/errors.ts'

/** A derived address and its derivation path: m/44'/60'/0'/<branch>/<index> on EVM. */
export interface DerivedAddress {
  readonly family: string
  /** The address in canonical form. */
  readonly address: string
  readonly branch: number
  readonly index: number
}

/** An address that is permanently assigned to one invoice and one payment method. */
export interface InvoiceAddress extends DerivedAddress {
  readonly invoiceId: string
  readonly paymentMethodId: number
  readonly network: string
  readonly mac: Buffer
  /** The MAC over the owner (`assignment-mac.ts`); null if none of our processes assigned the address. */
  readonly assignmentMac: string | null
}

/**
 * The start of branch numbers, in seconds. A branch number is the number of seconds since then, and fits a
 * non-hardened BIP 32 index until 2088.
 */
const branchEpochS = Date.UTC(2020, 0, 1) / 1000

export function branchAt(now: Date): number {
  return Math.floor(now.getTime() / 1000) - branchEpochS
}

export function addressMacKey(encryptionKey: Buffer): KeyObject {
  return deriveKey(encryptionKey, 'coffer address mac')
}

/**
 * Returns the MAC that proves that we derived the address at this path. An address that somebody else wrote
 * to the database has no valid MAC.
 */
export function addressMac(key: KeyObject, { family, address, branch, index }: DerivedAddress): Buffer {
  return createHmac('sha256', key).update(`${family}/${branch}/${index}/${address}`).digest()
}

/**
 * The keys of the MACs of addresses: the current key, and the key from a former ENCRYPTION_KEY. MACs under
 * the former key are still accepted.
 */
export interface AddressMacKeys {
  readonly macKey: KeyObject
  readonly formerMacKey?: KeyObject | undefined
}

export function isGenuine(key: KeyObject, address: DerivedAddress & { readonly mac: Buffer }): boolean {
  const expected = addressMac(key, address)
  return address.mac.length === expected.length && timingSafeEqual(address.mac, expected)
}

/**
 * Checks that we derived an address. Money that is sent to any other address is lost.
 * @throws AlertError if the MAC of the address matches neither key
 */
export function assertGenuine(
  { macKey, formerMacKey }: AddressMacKeys,
  address: DerivedAddress & { readonly mac: Buffer },
): void {
  const isVouchedFor =
    isGenuine(macKey, address) || (formerMacKey !== undefined && isGenuine(formerMacKey, address))
  if (isVouchedFor) return
  throw new AlertError('address-tampered', `address ${address.address} has no valid MAC of ours`)
}
