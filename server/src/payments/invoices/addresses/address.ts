import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../../../core/derive-key.ts'
import { AlertError } from '../../../core/errors.ts'

/** A derived address and where it was derived: m/44'/60'/0'/<branch>/<index> on EVM. */
export interface DerivedAddress {
  readonly family: string
  /** In canonical spelling. */
  readonly address: string
  readonly branch: number
  readonly index: number
}

/** An address given to one invoice and method, for ever. */
export interface InvoiceAddress extends DerivedAddress {
  readonly invoiceId: string
  readonly paymentMethodId: number
  readonly network: string
  readonly mac: Buffer
  /** Over whose it is (`assignment-mac.ts`); null where nobody of ours gave it away. */
  readonly assignmentMac: string | null
}

/** Seconds since 2020-01-01: fits a non-hardened BIP 32 index until 2088. */
const branchEpochS = Date.UTC(2020, 0, 1) / 1000

export function branchAt(now: Date): number {
  return Math.floor(now.getTime() / 1000) - branchEpochS
}

/** The key that vouches for stored addresses. */
export function addressMacKey(encryptionKey: Buffer): KeyObject {
  return deriveKey(encryptionKey, 'coffer address mac')
}

/** Vouches that we derived the address at that place: one put into the database by anyone else has no such MAC. */
export function addressMac(key: KeyObject, { family, address, branch, index }: DerivedAddress): Buffer {
  return createHmac('sha256', key).update(`${family}/${branch}/${index}/${address}`).digest()
}

/** The key that vouches now, and the one of a former ENCRYPTION_KEY, whose word is still taken. */
export interface AddressMacKeys {
  readonly macKey: KeyObject
  readonly formerMacKey?: KeyObject | undefined
}

export function isGenuine(key: KeyObject, address: DerivedAddress & { readonly mac: Buffer }): boolean {
  const expected = addressMac(key, address)
  return address.mac.length === expected.length && timingSafeEqual(address.mac, expected)
}

/** Fails closed: money sent to an address that is not ours is gone. */
export function assertGenuine(
  { macKey, formerMacKey }: AddressMacKeys,
  address: DerivedAddress & { readonly mac: Buffer },
): void {
  const isVouchedFor =
    isGenuine(macKey, address) || (formerMacKey !== undefined && isGenuine(formerMacKey, address))
  if (isVouchedFor) return
  throw new AlertError('address-tampered', `address ${address.address} does not carry our MAC`)
}
