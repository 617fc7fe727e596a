import sql from 'sql-template-tag'
import { beforeAll, expect, it } from 'vitest'
import { addressFamilies } from '../../src/app/screening.ts'
import { newId } from '../../src/core/ids.ts'
import { createWithdrawal } from '../../src/outgoing/withdrawals/create-withdrawal.ts'
import { readDealings } from '../../src/oversight/reports/listed-dealings-store.ts'
import { loadList } from '../../src/payments/screening/load-list.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { useDatabase } from '../support/database.ts'
import { chunks, screeningBy } from '../support/screening.ts'
import { useShop } from '../support/shop.ts'
import { withdrawalPartsOf } from '../support/withdrawal-parts.ts'

const shop = useShop(useDatabase())
const listed = `0x${'1d'.repeat(20)}`
let blocks: Blocks

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
})

it('H04 reports who dealt with an address that is listed later, and pays it no more money', async () => {
  const merchantId = await shop.openMerchant()
  const { address } = await shop.addressFor(await shop.openInvoice(merchantId))
  await blocks.mine([{ ...blocks.pay(address, 50_000_000n), sender: listed, verdict: 'passed' }])
  await blocks.mine()
  const { db } = shop
  const parts = withdrawalPartsOf(shop, { screening: screeningBy() })
  const withdraw = () =>
    createWithdrawal(
      parts,
      { type: 'key', merchantId },
      { id: newId(), merchantId, address: listed, amount: '10', paymentMethodId: 1 },
    )
  const { id } = await withdraw()
  expect(await readDealings(db, 10)).toEqual([])
  // The list that is loaded next must be later than the deposit and the withdrawal above.
  await db.query(sql`select pg_sleep(0.01)`)
  const source = { name: 'a test', freshAt: new Date(), chunks: chunks(listed.toUpperCase()) }
  await loadList({ db, families: addressFamilies }, source)
  await expect(withdraw()).rejects.toMatchObject({ code: 'listed-address' })
  const dealings = await readDealings(db, 10)
  expect(dealings).toMatchObject([
    { merchantId, type: 'withdrawal', id, amountMinor: 10_000_000n, address: listed, state: 'queued' },
    { merchantId, type: 'deposit', amountMinor: 50_000_000n, address: listed, state: 'confirmed' },
  ])
  expect(dealings.every(({ at, listedAt }) => at < listedAt)).toBe(true)
  // A waiting withdrawal is screened again before it is approved.
  expect(await parts.screening.screen(db, 'ethereum', listed)).toBe('listed')
})
