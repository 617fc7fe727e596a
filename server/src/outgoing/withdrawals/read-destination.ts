import type { AddressCodec } from '../../chains/port.ts'
import { fail, type Problem } from '../../core/errors.ts'
import type { PaymentMethod, PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'

/**
 * Returns the canonical form of an address to which money of this payment method can be sent.
 * @throws Problem invalid-address, if the address cannot be read or is the contract of a listed token
 */
export function readDestination(
  methods: PaymentMethods,
  codec: AddressCodec,
  { network }: PaymentMethod,
  text: string,
): string {
  const read = codec.readDestination(text)
  if ('error' in read) throw badAddress(read.error)
  if (methods.all.some((method) => method.network === network && method.contract === read.address)) {
    throw badAddress('is the contract of a token: money sent to it would be lost')
  }
  return read.address
}

/**
 * Returns the invalid-address problem.
 * @param error completes the sentence "The address ..."
 */
export function badAddress(error: string): Problem {
  const errors = [{ pointer: '/address', detail: error }]
  return fail('invalid-address', `The address ${error}.`, { errors })
}
