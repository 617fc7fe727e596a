/**
 * Tests token transactions that succeed. Success alone does not prove a transfer, so only the transfer itself
 * completes a withdrawal.
 */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { resumeAsset } from '../../src/outgoing/engine/controls/asset-halts.ts'
import { readOutgoingFigures } from '../../src/outgoing/engine/controls/figures.ts'
import { readWaits } from '../../src/outgoing/engine/controls/wait-store.ts'
import { askRecovery } from '../../src/outgoing/engine/recovery/ask-recovery.ts'
import { settleUnmoved } from '../../src/outgoing/engine/unmoved/settle-unmoved.ts'
import { listUndecided } from '../../src/outgoing/engine/unmoved/unmoved-store.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { overReader } from '../support/blind-reader.ts'
import { balancesIn } from '../support/books.ts'
import { resumeHalts } from '../support/lifts.ts'
import { withoutTransferRecords } from '../support/outgoing/records.ts'
import { now } from '../support/records/values.ts'
import { useWithdrawalFlow } from '../support/withdrawal-flow.ts'
import { type HostileToken, makeHostile } from './hostile-token.ts'

const flow = useWithdrawalFlow()
const reason = 'a test'
let token: HostileToken

beforeAll(async () => {
  token = await makeHostile(flow)
})

afterEach(async () => {
  await token.setMode(0)
  await flow.mine()
  await inTransaction(flow.shop.db, (tx) => resumeAsset(tx, 'ethereum/USDT', { reason }))
})

async function paidWith(mode: number) {
  const merchantId = await flow.openFunded(100_000_000n)
  await token.setMode(mode)
  await flow.mine()
  const { id, address } = await flow.order(merchantId)
  const engine = await flow.payer()
  await flow.playOut(engine)
  return { merchantId, id, address, engine }
}

async function settle(id: string, outcome: 'paid' | 'unpaid'): Promise<boolean> {
  return inTransaction(flow.shop.db, (tx) => settleUnmoved(tx, id, { outcome, reason }))
}

describe('a withdrawal whose token', () => {
  it.each([
    { manner: 'answers false', mode: 1, received: 0n },
    { manner: 'tells of no transfer', mode: 2, received: 0n },
    { manner: 'delivers less', mode: 3, received: 8_820_000n },
  ])('$manner is not completed and keeps its hold until an operator decides', async ({ mode, received }) => {
    const { merchantId, id, address, engine } = await paidWith(mode)
    expect(await flow.held(address, flow.usdt)).toBe(received)
    expect(await flow.row(id)).toMatchObject({ state: 'pending', stage: 'broadcast' })
    expect(await balancesIn(flow.shop, merchantId)).toMatchObject({
      available: 88_900_000n,
      held: 10_000_000n,
    })
    expect((await flow.events(merchantId)).map(({ type }) => type)).toEqual(['withdrawal.broadcast'])
    expect(flow.alerts).toEqual(expect.arrayContaining(['asset-halted', 'missing-transfer']))
    expect(await settle(id, 'unpaid')).toBe(true)
    expect(await settle(id, 'paid')).toBe(false)
    await flow.mine()
    await engine.settle()
    expect(await flow.row(id)).toMatchObject({ state: 'failed' })
    expect(await balancesIn(flow.shop, merchantId)).toMatchObject({ available: 98_900_000n, held: 0n })
  })

  it('moved nothing is completed once an operator confirms that it is paid', async () => {
    const { merchantId, id, engine } = await paidWith(1)
    expect(await settle(id, 'paid')).toBe(true)
    await flow.mine()
    await engine.settle()
    expect(await flow.row(id)).toMatchObject({ state: 'completed' })
    expect(await balancesIn(flow.shop, merchantId)).toMatchObject({ available: 88_900_000n, held: 0n })
  })

  it('moved nothing keeps its hold if somebody with write access to the database marks it as unpaid, which halts payouts', async () => {
    const { merchantId, id, engine } = await paidWith(1)
    await withoutTransferRecords.change(
      flow.shop.db,
      { outgoingTransactionId: id },
      { outcome: 'unpaid', reason, decidedAt: now },
    )
    await flow.mine()
    await engine.settle()
    // A round records the tampering that it finds, and the next round halts payouts because of it.
    await engine.round()
    expect(await flow.row(id)).toMatchObject({ state: 'pending', stage: 'broadcast' })
    expect(await balancesIn(flow.shop, merchantId)).toMatchObject({ held: 10_000_000n })
    expect(flow.alerts).toContain('tampering')
    expect(
      (await listUndecided(flow.shop.db)).map(({ outgoingTransactionId }) => outgoingTransactionId),
    ).toContain(id)
    expect(await settle(id, 'unpaid'), 'an operator decides all the same').toBe(true)
    await flow.mine()
    await engine.settle()
    expect(await flow.row(id)).toMatchObject({ state: 'failed' })
    await resumeHalts(flow.shop.db, flow.signer.keys)
  })

  it('moved nothing halts its asset, and no other', async () => {
    await paidWith(1)
    await token.setMode(0)
    await flow.mine()
    const merchantId = await flow.openFunded(100_000_000n)
    const { id } = await flow.order(merchantId)
    const coin = await flow.pay({ asset: 'ethereum/ETH', contract: null, netMinor: 7n })
    await flow.endLeases()
    const engine = await flow.payer()
    await flow.playOut(engine)
    expect(await flow.row(id)).toMatchObject({ state: 'pending', stage: 'queued' })
    await flow.endLeases()
    const other = await flow.engine()
    await flow.playOut(other)
    expect(await flow.held(coin.address)).toBe(7n)
  })
})

it('a recovery reports that it waits for the decision about a transaction that moved nothing, and continues after it', async () => {
  const { id, engine } = await paidWith(1)
  const { db } = flow.shop
  await inTransaction(db, (tx) => askRecovery(tx, { reason }))
  await engine.finish(30)
  const waits = await readWaits(db)
  expect(waits.map(({ cause }) => cause)).toContain('recovery-undecided')
  expect(waits.find(({ cause }) => cause === 'recovery-undecided')?.detail).toMatch(
    new RegExp(`${id}.*coffer payouts settle-paid`),
  )
  for (const { outgoingTransactionId } of await listUndecided(db))
    expect(await settle(outgoingTransactionId, 'unpaid')).toBe(true)
  await engine.finish(5)
  const { waits: left } = await readOutgoingFigures(db)
  expect(left.filter(({ cause }) => cause.startsWith('recovery'))).toEqual([])
})

it('a transaction whose block cannot be read is completed once the block can be read', async () => {
  const merchantId = await flow.openFunded(100_000_000n)
  const { id } = await flow.order(merchantId)
  let isBlind = false
  const { reader } = flow
  const chain = overReader(reader, {
    readBlock: async (height, signal) => (isBlind ? undefined : reader.readBlock(height, signal)),
  })
  const engine = await flow.engine({ outgoingSources: [flow.outgoingSource], chain })
  await engine.settle()
  isBlind = true
  await flow.playOut(engine)
  expect(await flow.row(id)).toMatchObject({ state: 'pending', stage: 'broadcast' })
  isBlind = false
  await engine.settle()
  expect(await flow.row(id)).toMatchObject({ state: 'completed' })
  expect(await withoutTransferRecords.count(flow.shop.db, { outgoingTransactionId: id })).toBe(0)
})
