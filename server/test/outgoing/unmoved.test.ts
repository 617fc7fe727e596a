/** A7: a token's transaction that succeeds says nothing of a transfer; only the transfer itself completes a payout. */
import sql from 'sql-template-tag'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { resumeAsset } from '../../src/outgoing/engine/controls/asset-halts.ts'
import { readPayoutFigures } from '../../src/outgoing/engine/controls/figures.ts'
import { readWaits } from '../../src/outgoing/engine/controls/wait-store.ts'
import { askRecovery } from '../../src/outgoing/engine/recovery/ask-recovery.ts'
import { settleUnmoved } from '../../src/outgoing/engine/unmoved/settle-unmoved.ts'
import { listUndecided } from '../../src/outgoing/engine/unmoved/unmoved-store.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { overReader } from '../support/blind-reader.ts'
import { standingIn } from '../support/books.ts'
import { resumeHalts } from '../support/lifts.ts'
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
  const machine = await flow.payer()
  await flow.playOut(machine)
  return { merchantId, id, address, machine }
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
    const { merchantId, id, address, machine } = await paidWith(mode)
    expect(await flow.held(address, flow.usdt)).toBe(received)
    expect(await flow.row(id)).toMatchObject({ state: 'pending', stage: 'broadcast' })
    expect(await standingIn(flow.shop, merchantId)).toMatchObject({
      available: 88_900_000n,
      held: 10_000_000n,
    })
    expect((await flow.events(merchantId)).map(({ type }) => type)).toEqual(['withdrawal.broadcast'])
    expect(flow.alerts).toEqual(expect.arrayContaining(['asset-halted', 'payout-without-transfer']))
    expect(await settle(id, 'unpaid')).toBe(true)
    expect(await settle(id, 'paid')).toBe(false)
    await flow.mine()
    await machine.settle()
    expect(await flow.row(id)).toMatchObject({ state: 'failed' })
    expect(await standingIn(flow.shop, merchantId)).toMatchObject({ available: 98_900_000n, held: 0n })
  })

  it('moved nothing is completed once an operator says that it is paid', async () => {
    const { merchantId, id, machine } = await paidWith(1)
    expect(await settle(id, 'paid')).toBe(true)
    await flow.mine()
    await machine.settle()
    expect(await flow.row(id)).toMatchObject({ state: 'completed' })
    expect(await standingIn(flow.shop, merchantId)).toMatchObject({ available: 88_900_000n, held: 0n })
  })

  it('moved nothing keeps its hold when a writer of the database says that it is unpaid, which halts payouts', async () => {
    const { merchantId, id, machine } = await paidWith(1)
    await flow.shop.db.query(sql`
      update payout_without_transfer set outcome = 'unpaid', reason = ${reason}, decided_at = now() where payout_id = ${id}`)
    await flow.mine()
    await machine.settle()
    // What one round notes halts payouts in the next.
    await machine.round()
    expect(await flow.row(id)).toMatchObject({ state: 'pending', stage: 'broadcast' })
    expect(await standingIn(flow.shop, merchantId)).toMatchObject({ held: 10_000_000n })
    expect(flow.alerts).toContain('tampering')
    expect((await listUndecided(flow.shop.db)).map(({ payoutId }) => payoutId)).toContain(id)
    expect(await settle(id, 'unpaid'), 'an operator decides all the same').toBe(true)
    await flow.mine()
    await machine.settle()
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
    const machine = await flow.payer()
    await flow.playOut(machine)
    expect(await flow.row(id)).toMatchObject({ state: 'pending', stage: 'queued' })
    await flow.endLeases()
    const other = await flow.machine()
    await flow.playOut(other)
    expect(await flow.held(coin.address)).toBe(7n)
  })
})

it('a recovery says that it waits for an operator to decide of a payout that moved nothing, and goes on once that is done', async () => {
  const { id, machine } = await paidWith(1)
  const { db } = flow.shop
  await inTransaction(db, (tx) => askRecovery(tx, { reason }))
  await machine.finish(30)
  const waits = await readWaits(db)
  expect(waits.map(({ cause }) => cause)).toContain('recovery-undecided')
  expect(waits.find(({ cause }) => cause === 'recovery-undecided')?.detail).toMatch(
    new RegExp(`${id}.*coffer payouts settle-paid`),
  )
  for (const { payoutId } of await listUndecided(db)) expect(await settle(payoutId, 'unpaid')).toBe(true)
  await machine.finish(5)
  const { waits: left } = await readPayoutFigures(db)
  expect(left.filter(({ cause }) => cause.startsWith('recovery'))).toEqual([])
})

it('a payout whose block cannot be read is completed once it can', async () => {
  const merchantId = await flow.openFunded(100_000_000n)
  const { id } = await flow.order(merchantId)
  let isBlind = false
  const { reader } = flow
  const chain = overReader(reader, {
    readBlock: async (height, signal) => (isBlind ? undefined : reader.readBlock(height, signal)),
  })
  const machine = await flow.machine({ purposes: [flow.purpose], chain })
  await machine.settle()
  isBlind = true
  await flow.playOut(machine)
  expect(await flow.row(id)).toMatchObject({ state: 'pending', stage: 'broadcast' })
  isBlind = false
  await machine.settle()
  expect(await flow.row(id)).toMatchObject({ state: 'completed' })
  expect(
    required(
      (
        await flow.shop.db.query<{ count: number }>(
          sql`select count(*) from payout_without_transfer where payout_id = ${id}`,
        )
      )[0],
      'a count',
    ).count,
  ).toBe(0)
})
