/** Tests how much money of the books an operator may spend or withdraw, also after reorganisations. */

import { beforeAll, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { operatorMoney } from '../../src/ledger/balance.ts'
import { attributeMoney } from '../../src/outgoing/treasury/attribute-money.ts'
import { readBooks } from '../../src/outgoing/treasury/books-store.ts'
import { type TreasuryWithdrawalSource, withdrawableMinor } from '../../src/outgoing/treasury/own-money.ts'
import { endQuarantine } from '../../src/payments/deposits/quarantine/end-quarantine.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { makeTipFinal } from '../support/chains/make-final.ts'
import { useDatabase } from '../support/database.ts'
import { payHotWallet } from '../support/hot-wallet.ts'
import { useShop } from '../support/shop.ts'
import { settleBooks } from '../withdrawals/approvals.ts'
import { openTill } from '../withdrawals/till.ts'

const shop = useShop(useDatabase())
const asset = 'ethereum/USDT'
let blocks: Blocks

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
})

async function takeable(source: TreasuryWithdrawalSource): Promise<bigint> {
  const method = required(shop.methods.byAsset(asset), asset)
  const [books] = await readBooks(shop.methods, shop.db, [method])
  return withdrawableMinor(required(books, 'its books'), source)
}

/**
 * Returns by how much `work` increases the amount that can be withdrawn from a source. The first number is
 * measured before the last blocks are final, and the second after that.
 */
async function gain(
  source: TreasuryWithdrawalSource,
  work: () => Promise<unknown>,
): Promise<readonly bigint[]> {
  await blocks.mine()
  await makeTipFinal(shop.db)
  const before = await takeable(source)
  await work()
  const unfinal = await takeable(source)
  await settleBooks(shop)
  return [unfinal - before, (await takeable(source)) - before]
}

it('fees of a deposit can be withdrawn once its block is final', async () => {
  const till = await openTill(shop, blocks)
  expect(await gain('fees', () => till.deposit(100_000_000n))).toEqual([0n, 1_100_000n])
})

it('the fee of a deposit that an operator assigned can be withdrawn once its block is final', async () => {
  const merchantId = await shop.openMerchant()
  const work = async () =>
    attributeMoney(shop, undefined, {
      depositId: await payHotWallet(shop, blocks, 100_000_000n),
      merchantId,
    })
  expect(await gain('fees', work)).toEqual([0n, 1_100_000n])
})

it('capital of an operator can be withdrawn once its block is final', async () => {
  const work = async () =>
    attributeMoney(shop, undefined, {
      depositId: await payHotWallet(shop, blocks, 7_000_000n),
      merchantId: undefined,
    })
  expect(await gain('capital', work)).toEqual([0n, 7_000_000n])
})

it('seized money can be withdrawn once its block is final', async () => {
  const { address } = await shop.addressFor(await shop.openInvoice(await shop.openMerchant()))
  const payment = { ...blocks.pay(address, 5_000_000n), verdict: 'listed' as const }
  const work = async () => {
    await blocks.mine([payment])
    await blocks.mine()
    await endQuarantine(shop, { depositId: await blocks.idOf(payment), outcome: 'seized' })
  }
  expect(await gain('forfeited', work)).toEqual([0n, 5_000_000n])
})

it("a merchant’s debt cannot be withdrawn, and does not take the gas of others' payouts", async () => {
  const till = await openTill(shop, blocks)
  await till.deposit(20_000_000n)
  const id = await till.withdraw('10')
  await till.send(id)
  await till.settle(id, 'completed')
  await settleBooks(shop)
  const gasMoney = await operatorMoney(shop.db, asset)
  const fees = await takeable('fees')
  await till.undo(1)
  const { receivable } = await till.balances()
  expect(receivable).toBe(10_000_000n)
  // The fee of the deposit was reversed with it.
  expect(await operatorMoney(shop.db, asset)).toBe(gasMoney - 300_000n)
  expect(await takeable('fees')).toBeLessThan(fees)
})
