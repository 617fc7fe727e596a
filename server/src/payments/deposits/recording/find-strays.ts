import type { AddressCodec, Transfer } from '../../../chains/port.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { type DerivedAddress, readDerived } from './watched-store.ts'

/** What was paid to a key of ours at another kind of address than the one that was shown: seen by nobody, and not lost. */
export interface Stray {
  readonly transfer: Transfer
  /** Whose key it was paid to. */
  readonly meant: DerivedAddress
}

const addressesAtOnce = 5_000

/** Looks through all addresses that were ever derived, the newest first, until all transfers are found: for a person who waits. */
export async function findStrays(
  on: Queryable,
  codec: Pick<AddressCodec, 'family' | 'ofSameKey'>,
  transfers: readonly Transfer[],
): Promise<readonly Stray[]> {
  const strays: Stray[] = []
  let below: number | undefined
  while (strays.length < transfers.length) {
    const page = await readDerived(on, codec.family, below, addressesAtOnce)
    const kin = new Map(page.flatMap((meant) => codec.ofSameKey(meant.address).map((one) => [one, meant])))
    for (const transfer of transfers) {
      const meant = kin.get(transfer.recipient)
      if (meant !== undefined) strays.push({ transfer, meant })
    }
    below = page.at(-1)?.id
    if (page.length < addressesAtOnce) break
  }
  return strays
}
