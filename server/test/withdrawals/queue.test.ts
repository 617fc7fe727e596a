import { expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { startBlocks } from '../support/blocks.ts'
import { useDatabase } from '../support/database.ts'
import { withdrawalRecords } from '../support/outgoing/records.ts'
import { useShop } from '../support/shop.ts'
import { openApprovals, settleBooks } from './approvals.ts'
import { openTill } from './till.ts'

const shop = useShop(useDatabase())

it('waiting orders of many merchants do not stop others from being considered', async () => {
  const till = await openTill(shop, await startBlocks(shop, true))
  await till.deposit(100_000_000n)
  const { approve } = await openApprovals(shop)
  for (
    let merchants = 0;
    merchants * limits.withdrawalsWeighedPerMerchant < limits.withdrawalsWeighed;
    merchants += 1
  ) {
    const merchantId = await shop.openMerchant()
    const orders = Array.from({ length: limits.withdrawalsWeighedPerMerchant }, () => ({
      id: newId(),
      merchantId,
      paymentMethodId: 1,
      asset: 'ethereum/USDT',
      address: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
      amountMinor: 1_000_000n,
      amount: 1n,
      feeMinor: 0n,
    }))
    await withdrawalRecords.add(shop.db, ...orders)
  }
  const id = await till.withdraw('10')
  await settleBooks(shop)
  await approve()
  const { stage } = await withdrawalRecords.one(shop.db, { id }, 'stage')
  expect(stage).toBe('approved')
})
