import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { schedulesFor } from '../../src/pricing/fees/store.ts'
import { useDatabase } from '../support/database.ts'
import { addMerchant } from '../support/merchant-server.ts'
import { feeScheduleRecords } from '../support/payments/records.ts'

const database = useDatabase()

async function schedule(
  merchantId: string | null,
  methodId: number | null,
  basisPoints: number,
): Promise<void> {
  await feeScheduleRecords.add(database.db, {
    id: randomUUID(),
    merchantId,
    paymentMethodId: methodId,
    type: 'onetime',
    percentBasisPoints: basisPoints,
    flatUsd: 10_000_000n,
  })
}

it('prefers merchant and method, then merchant, then method, then the default', async () => {
  const special = await addMerchant(database.db)
  const plain = await addMerchant(database.db)
  await schedule(special, 1, 1)
  await schedule(special, null, 2)
  await schedule(null, 1, 3)
  await schedule(null, 2, 5)
  const keys = [
    { merchantId: special, paymentMethodId: 1, type: 'onetime' },
    { merchantId: special, paymentMethodId: 2, type: 'onetime' },
    { merchantId: special, type: 'onetime' },
    { merchantId: plain, paymentMethodId: 1, type: 'onetime' },
    { merchantId: plain, paymentMethodId: 3, type: 'onetime' },
    { merchantId: plain, paymentMethodId: 1, type: 'collect' },
  ] as const
  const points = async () => (await schedulesFor(database.db, keys)).map((found) => found?.percentBasisPoints)
  expect(await points()).toEqual([1, 2, 2, 3, undefined, undefined])
  await schedule(null, null, 4)
  expect(await points()).toEqual([1, 2, 2, 3, 4, undefined])
})

it('reads a flat fee in USD or in the asset as it was stored', async () => {
  const merchantId = await addMerchant(database.db)
  await schedule(merchantId, null, 150)
  await feeScheduleRecords.add(database.db, {
    id: randomUUID(),
    merchantId,
    paymentMethodId: 3,
    type: 'withdrawal',
    percentBasisPoints: 0,
    flatMinor: 12_345_678_901_234_567_890n,
  })
  const found = await schedulesFor(database.db, [
    { merchantId, paymentMethodId: 3, type: 'onetime' },
    { merchantId, paymentMethodId: 3, type: 'withdrawal' },
  ])
  expect(found).toEqual([
    { type: 'onetime', percentBasisPoints: 150, flat: { usd: 10_000_000n } },
    { type: 'withdrawal', percentBasisPoints: 0, flat: { minor: 12_345_678_901_234_567_890n } },
  ])
})
