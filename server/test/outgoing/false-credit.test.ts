/** A listed token emits events of transfers that never happened. Nobody can spend such a credit. */
import { afterEach, beforeAll, expect, it } from 'vitest'
import { resumeAsset } from '../../src/outgoing/engine/controls/asset-halts.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { ledgerAccountRecords } from '../support/books/records.ts'
import { balancesIn } from '../support/books.ts'
import { assetHaltRecords, depositProofFailureRecords } from '../support/outgoing/records.ts'
import { depositRecords } from '../support/payments/records.ts'
import { now, plus, times } from '../support/records/values.ts'
import { useWithdrawalFlow } from '../support/withdrawal-flow.ts'
import { type HostileToken, makeHostile } from './hostile-token.ts'

const flow = useWithdrawalFlow()
const asset = 'ethereum/USDT'
let token: HostileToken

beforeAll(async () => {
  token = await makeHostile(flow)
})

afterEach(async () => {
  await depositProofFailureRecords.remove(flow.shop.db)
  await resume()
})

function resume(): Promise<boolean> {
  return inTransaction(flow.shop.db, (tx) => resumeAsset(tx, asset, { reason: 'a test' }))
}

async function openPretended(amountMinor: bigint): Promise<{ merchantId: string; address: string }> {
  const merchantId = await flow.shop.openMerchant()
  const { address } = await flow.shop.addressFor(await flow.shop.openInvoice(merchantId, { amount: '10' }))
  await token.pretend(address, amountMinor)
  await flow.mine(5)
  return { merchantId, address }
}

async function haltOf(): Promise<readonly { cause: string }[]> {
  return assetHaltRecords.all(flow.shop.db, { asset }, 'cause')
}

it('a credit that changed no balance covers no order, and halts its asset', async () => {
  const honest = await flow.openFunded(100_000_000n)
  const { merchantId } = await openPretended(100_000_000n)
  expect(await balancesIn(flow.shop, merchantId)).toMatchObject({ available: 98_900_000n })
  const theft = await flow.order(merchantId, { amount: '90' })
  const engine = await flow.payer()
  await flow.playOut(engine)
  expect(await flow.row(theft.id)).toMatchObject({ state: 'pending', stage: 'queued', tx_hash: null })
  expect(await haltOf()).toEqual([{ cause: 'false-deposit' }])
  // The operator lifts the halt, but the money is still missing.
  await resume()
  const paid = await flow.order(honest, { amount: '90' })
  await flow.playOut(engine)
  expect(await flow.row(paid.id)).toMatchObject({ state: 'completed' })
  expect(await flow.row(theft.id)).toMatchObject({ state: 'pending', stage: 'queued' })
  expect(await flow.held(theft.address, flow.usdt)).toBe(0n)
})

it('a credit covers orders once the money has really arrived', async () => {
  const { merchantId, address } = await openPretended(50_000_000n)
  const { id } = await flow.order(merchantId)
  const engine = await flow.payer()
  await flow.playOut(engine)
  expect(await flow.row(id)).toMatchObject({ stage: 'queued' })
  await flow.anvil.rpc('anvil_dealERC20', [address, flow.usdt, '0x2faf080'])
  await flow.mine(3)
  await depositProofFailureRecords.change(flow.shop.db, {}, { retryAt: now })
  await resume()
  await flow.playOut(engine)
  expect(await flow.row(id)).toMatchObject({ state: 'completed' })
})

it('a deposit that somebody wrote into the database covers no order', async () => {
  const merchantId = await flow.openFunded(100_000_000n)
  // Acts like a thief with write access to rows: raises the deposit and the books tenfold.
  const { owner } = flow.database
  await depositRecords.change(
    owner,
    { merchantId },
    { amountMinor: times(10), amount: times(10), netMinor: times(10) },
  )
  await ledgerAccountRecords.change(owner, { ownerId: merchantId, name: 'available' }, { credits: times(10) })
  const { id } = await flow.order(merchantId, { amount: '900' })
  const engine = await flow.payer()
  await flow.playOut(engine)
  expect(await flow.row(id)).toMatchObject({ state: 'pending', stage: 'queued', tx_hash: null })
  expect(await haltOf()).toEqual([{ cause: 'false-deposit' }])
})

it('a deposit that is reversed and mined again is proven again', async () => {
  const merchantId = await flow.openFunded(100_000_000n)
  const engine = await flow.payer()
  await engine.settle()
  const proven = async () => {
    const deposit = await depositRecords.one(flow.shop.db, { merchantId })
    return deposit.provenInclusion === deposit.inclusion
  }
  expect(await proven()).toBe(true)
  await depositRecords.change(flow.shop.db, { merchantId }, { inclusion: plus(1) })
  expect(await proven()).toBe(false)
  await flow.mine()
  await engine.settle()
  expect(await proven()).toBe(true)
})
