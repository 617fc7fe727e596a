import type { AddressCodec } from '../../chains/port.ts'
import { fail } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { PaymentMethod, PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { badAddress, readDestination } from './read-destination.ts'
import { readObstacles } from './store.ts'

export interface DestinationParts {
  readonly methods: PaymentMethods
  codecOf(network: string): AddressCodec
}

/** The destination of a withdrawal that somebody requests. */
export interface WantedDestination {
  /** The id that the withdrawal will have. */
  readonly id: string
  readonly merchantId: string
  /** The address as the user typed it. */
  readonly address: string
}

/**
 * Checks that money may be sent to the address now, and returns its canonical form. If a withdrawal with this
 * id exists already, `isMade` is true, and the remaining checks are skipped.
 * @throws Problem invalid-address, too-many-withdrawals
 */
export async function admitDestination(
  { methods, codecOf }: DestinationParts,
  on: Queryable,
  { id, merchantId, address: text }: WantedDestination,
  method: PaymentMethod,
): Promise<{ readonly address: string; readonly isMade: boolean }> {
  const codec = codecOf(method.network)
  const address = readDestination(methods, codec, method, text)
  const pendingMax = limits.pendingWithdrawalsPerMerchant
  const { family } = codec
  const obstacles = await readObstacles(on, { id, merchantId, family, address, pendingMax })
  const { isMade, isOwnAddress, pending } = obstacles
  if (isMade) return { address, isMade }
  if (isOwnAddress) throw badAddress('belongs to this server; use an external address')
  if (pending >= pendingMax) {
    throw fail(
      'too-many-withdrawals',
      `${pendingMax} withdrawals are pending, which is the maximum; wait until some have ended.`,
    )
  }
  return { address, isMade }
}
