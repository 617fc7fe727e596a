/** A listed token that tells of transfers that never were: what it credits is spent by nobody. */
import sql from 'sql-template-tag'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { resumeAsset } from '../../src/outgoing/engine/controls/asset-halts.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { standingIn } from '../support/books.ts'
import { useWithdrawalFlow } from '../support/withdrawal-flow.ts'
import { type HostileToken, makeHostile } from './hostile-token.ts'

const flow = useWithdrawalFlow()
const asset = 'ethereum/USDT'
let token: HostileToken

beforeAll(async () => {
  token = await makeHostile(flow)
})

afterEach(async () => {
  await flow.shop.db.query(sql`delete from deposit_doubt`)
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
  return flow.shop.db.query<{ cause: string }>(sql`select cause from asset_halt where asset = ${asset}`)
}

it('a credit that moved no balance covers nothing, and halts its asset', async () => {
  const honest = await flow.openFunded(100_000_000n)
  const { merchantId } = await openPretended(100_000_000n)
  expect(await standingIn(flow.shop, merchantId)).toMatchObject({ available: 98_900_000n })
  const theft = await flow.order(merchantId, { amount: '90' })
  const machine = await flow.payer()
  await flow.playOut(machine)
  expect(await flow.row(theft.id)).toMatchObject({ state: 'pending', stage: 'queued', tx_hash: null })
  expect(await haltOf()).toEqual([{ cause: 'false-deposit' }])
  // Whatever an operator lifts, the money is not there.
  await resume()
  const paid = await flow.order(honest, { amount: '90' })
  await flow.playOut(machine)
  expect(await flow.row(paid.id)).toMatchObject({ state: 'completed' })
  expect(await flow.row(theft.id)).toMatchObject({ state: 'pending', stage: 'queued' })
  expect(await flow.held(theft.address, flow.usdt)).toBe(0n)
})

it('a credit covers once the money is there after all', async () => {
  const { merchantId, address } = await openPretended(50_000_000n)
  const { id } = await flow.order(merchantId)
  const machine = await flow.payer()
  await flow.playOut(machine)
  expect(await flow.row(id)).toMatchObject({ stage: 'queued' })
  await flow.anvil.rpc('anvil_dealERC20', [address, flow.usdt, '0x2faf080'])
  await flow.mine(3)
  await flow.shop.db.query(sql`update deposit_doubt set retry_at = now()`)
  await resume()
  await flow.playOut(machine)
  expect(await flow.row(id)).toMatchObject({ state: 'completed' })
})

it('a deposit that somebody wrote into the database covers nothing', async () => {
  const merchantId = await flow.openFunded(100_000_000n)
  // As a thief would who may write rows: ten times as much, in the deposit and in the books.
  const { owner } = flow.database
  await owner.query(sql`
    update transaction set amount_minor = amount_minor * 10, amount = amount * 10, net_minor = net_minor * 10
    where merchant_id = ${merchantId}`)
  await owner.query(sql`
    update ledger_account set credits = credits * 10 where owner_id = ${merchantId} and name = 'available'`)
  const { id } = await flow.order(merchantId, { amount: '900' })
  const machine = await flow.payer()
  await flow.playOut(machine)
  expect(await flow.row(id)).toMatchObject({ state: 'pending', stage: 'queued', tx_hash: null })
  expect(await haltOf()).toEqual([{ cause: 'false-deposit' }])
})

it('a deposit that is taken back and mined again is proven anew', async () => {
  const merchantId = await flow.openFunded(100_000_000n)
  const machine = await flow.payer()
  await machine.settle()
  const proven = () =>
    flow.shop.row<{ is_proven: boolean }>(sql`
      select proven_inclusion is not distinct from inclusion as is_proven from transaction where merchant_id = ${merchantId}`)
  expect(await proven()).toEqual({ is_proven: true })
  await flow.shop.db.query(
    sql`update transaction set inclusion = inclusion + 1 where merchant_id = ${merchantId}`,
  )
  expect(await proven()).toEqual({ is_proven: false })
  await flow.mine()
  await machine.settle()
  expect(await proven()).toEqual({ is_proven: true })
})
