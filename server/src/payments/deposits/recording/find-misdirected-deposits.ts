import type { AddressCodec, Transfer } from '../../../chains/port.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { type DerivedAddress, readDerived } from './watched-store.ts'

/**
 * A payment to an address of one of our keys, but of another type than the address that the payer was shown.
 * No process watches this other address. The money can be recovered with the seed.
 */
export interface MisdirectedDeposit {
  readonly transfer: Transfer
  /** The address that we derived from the same key and watch. */
  readonly meant: DerivedAddress
}

const addressesAtOnce = 5_000

/**
 * Returns the transfers that are misdirected deposits. Searches all derived addresses, the newest first,
 * until every transfer is found.
 */
export async function findMisdirectedDeposits(
  on: Queryable,
  codec: Pick<AddressCodec, 'family' | 'ofSameKey'>,
  transfers: readonly Transfer[],
): Promise<readonly MisdirectedDeposit[]> {
  const misdirected: MisdirectedDeposit[] = []
  let below: number | undefined
  while (misdirected.length < transfers.length) {
    const page = await readDerived(on, codec.family, below, addressesAtOnce)
    const kin = new Map(page.flatMap((meant) => codec.ofSameKey(meant.address).map((one) => [one, meant])))
    for (const transfer of transfers) {
      const meant = kin.get(transfer.recipient)
      if (meant !== undefined) misdirected.push({ transfer, meant })
    }
    below = page.at(-1)?.id
    if (page.length < addressesAtOnce) break
  }
  return misdirected
}
