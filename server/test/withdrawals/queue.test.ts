import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import { limits } from '../../src/core/limits.ts'
import { startBlocks } from '../support/blocks.ts'
import { useDatabase } from '../support/database.ts'
import { useShop } from '../support/shop.ts'
import { openApprovals, settleBooks } from './approvals.ts'
import { openTill } from './till.ts'

const shop = useShop(useDatabase())

it('orders of many merchants that wait keep nobody else from being weighed', async () => {
  const till = await openTill(shop, await startBlocks(shop, true))
  await till.deposit(100_000_000n)
  const { approve } = await openApprovals(shop)
  for (
    let merchants = 0;
    merchants * limits.withdrawalsWeighedPerMerchant < limits.withdrawalsWeighed;
    merchants += 1
  ) {
    await shop.db.query(sql`
      insert into withdrawal (id, merchant_id, payment_method_id, asset, address, amount_minor, amount, fee_minor)
      select gen_random_uuid(), ${await shop.openMerchant()}, 1, 'ethereum/USDT',
        '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', 1000000, 1, 0
      from generate_series(1, ${limits.withdrawalsWeighedPerMerchant})`)
  }
  const id = await till.withdraw('10')
  await settleBooks(shop)
  await approve()
  const { stage } = await shop.row<{ stage: string }>(sql`select stage from withdrawal where id = ${id}`)
  expect(stage).toBe('approved')
})
