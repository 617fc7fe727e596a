import { newId } from '../../../src/core/ids.ts'
import type { Queryable } from '../../../src/platform/db/pool.ts'
import { depositRecords } from '../payments/records.ts'
import { now, present } from '../records/values.ts'
import { sweepRecords, sweptAddressRecords } from './records.ts'

/** Records one sweep that brought all deposits of a merchant so far, in one asset, to the hot wallets. */
export async function markSwept(
  on: Queryable,
  {
    merchantId,
    network,
    asset,
  }: { readonly merchantId: string; readonly network: string; readonly asset: string },
): Promise<void> {
  const sweepId = newId()
  await sweepRecords.add(on, {
    id: sweepId,
    network,
    kind: 'sweep',
    assets: [asset],
    state: 'done',
    endedAt: now,
  })
  const deposits = await depositRecords.all(on, { merchantId, addressId: present }, 'addressId')
  const addressIds = [...new Set(deposits.map(({ addressId }) => Number(addressId)))]
  await sweptAddressRecords.add(on, ...addressIds.map((addressId) => ({ sweepId, addressId })))
  await depositRecords.change(on, { merchantId }, { sweepId })
}
