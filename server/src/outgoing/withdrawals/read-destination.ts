import type { AddressCodec } from '../../chains/port.ts'
import { fail, type Problem } from '../../core/errors.ts'
import type { PaymentMethod, PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'

/**
 * The canonical spelling of an address to which a method's money can go.
 * @throws Problem invalid-address, saying what is wrong with it
 */
export function readDestination(
  methods: PaymentMethods,
  codec: AddressCodec,
  { network }: PaymentMethod,
  text: string,
): string {
  const read = codec.readDestination(text)
  if ('fault' in read) throw badAddress(read.fault)
  if (methods.all.some((method) => method.network === network && method.contract === read.address)) {
    throw badAddress('is the contract of a token, which keeps for ever what it gets')
  }
  return read.address
}

/** @param fault ends the sentence "The address ..." */
export function badAddress(fault: string): Problem {
  const errors = [{ pointer: '/address', detail: fault }]
  return fail('invalid-address', `The address ${fault}.`, { errors })
}
