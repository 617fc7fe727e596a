import sql from 'sql-template-tag'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { NotWantedError, type PayoutMove, type Proposal } from '../../src/outgoing/engine/purpose.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { expectSoundBooks, standingIn } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { useShop } from '../support/shop.ts'
import {
  type Approvals,
  inclusionOf,
  openApprovals,
  paymentOf,
  payoutOf,
  sealAll,
  settleBooks,
} from './approvals.ts'
import { openTill, type Till } from './till.ts'

const shop = useShop(useDatabase())
let blocks: Blocks
let till: Till
let approvals: Approvals

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
})

beforeEach(async () => {
  till = await openTill(shop, blocks)
  await till.deposit(100_000_000n)
  await settleBooks(shop)
  approvals = await openApprovals(shop)
})

/** A withdrawal of 10 USDT that is proposed to payouts. */
async function proposed(): Promise<Proposal> {
  const id = await till.withdraw('10')
  await sealAll(shop)
  await approvals.approve()
  return required(
    (await approvals.propose()).find((one) => one.id === id),
    'the proposal',
  )
}

async function rowOf(id: string) {
  return shop.row<{ state: string; stage: string | null; hash: string | null; explanation: string | null }>(
    sql`select state, stage, tx_hash as hash, end_explanation as explanation from withdrawal where id = ${id}`,
  )
}

const typesOf = async () => (await till.events()).map(({ type }) => type)

describe('a withdrawal follows its payout', () => {
  it('through every stage to its end, and tells of it once under the hash that is in a block', async () => {
    const proposal = await proposed()
    const payout = payoutOf(proposal)
    const steps: readonly (readonly [PayoutMove, string | null, string | null])[] = [
      [{ payout, to: 'planned' }, 'planned', null],
      [{ payout, to: 'signed' }, 'signed', null],
      [{ payout, to: 'broadcast', txHash: '0x1' }, 'broadcast', '0x1'],
      [{ payout, to: 'in_doubt' }, 'in_doubt', '0x1'],
      [{ payout, to: 'broadcast', txHash: '0x1' }, 'broadcast', '0x1'],
      [{ payout, to: 'broadcast', txHash: '0x2' }, 'broadcast', '0x2'],
      [{ payout, to: 'included', inclusion: inclusionOf('0x1') }, 'broadcast', '0x1'],
      [{ payout, to: 'broadcast', txHash: '0x2' }, 'broadcast', '0x2'],
      [{ payout, to: 'included', inclusion: inclusionOf('0x1') }, 'broadcast', '0x1'],
      [{ payout, to: 'final', inclusion: inclusionOf('0x1') }, null, '0x1'],
      [{ payout, to: 'broadcast', txHash: '0x1' }, null, '0x1'],
      [{ payout, to: 'final', inclusion: inclusionOf('0x1') }, null, '0x1'],
    ]
    for (const [move, stage, hash] of steps) {
      await approvals.tell(move)
      expect(await rowOf(proposal.id), move.to).toMatchObject({ stage, hash })
    }
    expect(await rowOf(proposal.id)).toMatchObject({ state: 'completed', explanation: null })
    const told = await till.events()
    expect(told).toMatchObject([
      { type: 'withdrawal.broadcast', data: { withdrawalID: proposal.id, txHash: '0x1', net: '9.8' } },
      {
        type: 'withdrawal.completed',
        data: {
          withdrawalID: proposal.id,
          txHash: '0x1',
          state: 'completed',
          reason: null,
          explanation: null,
        },
      },
    ])
    expect(await till.standing()).toEqual({ available: 88_900_000n, held: 0n, suspense: 0n })
    await expectSoundBooks(shop)
  })

  it('through many moves of many payouts told at once', async () => {
    const proposals = [await proposed(), await proposed(), await proposed()]
    const moves = proposals.flatMap((proposal): PayoutMove[] => {
      const payout = payoutOf(proposal)
      return [
        { payout, to: 'planned' },
        { payout, to: 'signed' },
        { payout, to: 'broadcast', txHash: `0x${proposal.id}` },
      ]
    })
    await approvals.tell(...moves)
    const [first, second, third] = proposals.map((proposal) => payoutOf(proposal))
    await approvals.tell(
      { payout: required(first, 'one'), to: 'final', inclusion: inclusionOf('0xa') },
      { payout: required(second, 'one'), to: 'final', inclusion: inclusionOf('0xb', false) },
      { payout: required(third, 'one'), to: 'displaced' },
    )
    const rows = await Promise.all(proposals.map(({ id }) => rowOf(id)))
    expect(rows).toMatchObject([
      { state: 'completed', hash: '0xa', explanation: null },
      { state: 'failed', hash: '0xb', explanation: expect.stringContaining('without success') },
      { state: 'failed', explanation: expect.stringContaining('took the place') },
    ])
    expect(await till.standing()).toEqual({ available: 88_900_000n, held: 0n, suspense: 0n })
    await expectSoundBooks(shop)
  })

  it('E19 E20 fails with its money back where the chain would refuse it, and says what the chain says', async () => {
    const proposal = await proposed()
    await approvals.tell({ proposal, to: 'refused', reason: 'the recipient is on a block list' })
    expect(await rowOf(proposal.id)).toMatchObject({
      state: 'failed',
      hash: null,
      explanation: expect.stringContaining('the recipient is on a block list'),
    })
    expect(await typesOf()).toEqual(['withdrawal.failed'])
    expect(await till.standing()).toMatchObject({ available: 98_900_000n, held: 0n })
    await expectSoundBooks(shop)
  })

  it('is not planned any more once it was cancelled, and cannot be cancelled once it is planned', async () => {
    for (let round = 0; round < 8; round++) {
      const proposal = await proposed()
      const [planned, cancelled] = await Promise.allSettled([
        approvals.tell({ payout: payoutOf(proposal), to: 'planned' }),
        till.cancel(proposal.id),
      ])
      expect([planned.status, cancelled.status].sort()).toEqual(['fulfilled', 'rejected'])
      if (planned.status === 'rejected') expect(planned.reason).toBeInstanceOf(NotWantedError)
      if (cancelled.status === 'rejected') {
        expect(cancelled.reason).toMatchObject({ code: 'withdrawal-under-way' })
      }
      expect(await rowOf(proposal.id)).toMatchObject(
        planned.status === 'fulfilled' ? { stage: 'planned' } : { state: 'cancelled' },
      )
    }
    await expectSoundBooks(shop)
  })

  it('is not planned, nor planned anew after a refusal, once its merchant came to owe money', async () => {
    const proposal = await proposed()
    const heldBack = async () => [...((await approvals.purpose.heldBack?.(shop.db, [proposal])) ?? [])]
    expect(await heldBack()).toEqual([])
    await shop.db.query(sql`
      insert into ledger_account (name, owner_id, asset, debits)
      values ('suspense', ${till.merchantId}, 'ethereum/USDC', 1)`)
    const planned = () => approvals.tell({ payout: payoutOf(proposal), to: 'planned' })
    await expect(planned()).rejects.toThrow(NotWantedError)
    expect(await rowOf(proposal.id)).toMatchObject({ stage: 'approved' })
    expect(await heldBack()).toEqual([proposal.id])
    await shop.db.query(sql`delete from ledger_account where name = 'suspense' and debits = 1`)
    await planned()
    expect(await rowOf(proposal.id)).toMatchObject({ stage: 'planned' })
  })
})

describe('what the signer signed and the database does not know', () => {
  const adopted = (proposal: Proposal): readonly PayoutMove[] => [
    { payout: payoutOf(proposal, 'signed'), to: 'planned' },
    { payout: payoutOf(proposal, 'signed'), to: 'signed' },
  ]

  it('is taken over by the withdrawal it pays, wherever that was', async () => {
    const id = await till.withdraw('10')
    const approved = await proposed()
    const payment = { ...paymentOf(approved), withdrawalId: id }
    const queued: Proposal = { ...approved, id, intent: { kind: 'withdrawal', payments: [payment] } }
    await shop.db.query(sql`update withdrawal set stage = 'queued', approval_mac = null where id = ${id}`)
    await approvals.tell(...adopted(queued))
    expect(await rowOf(id)).toMatchObject({ stage: 'signed' })
    await expectSoundBooks(shop)
  })

  it('is held again where its money was given back meanwhile, and leaves once', async () => {
    const proposal = await proposed()
    await till.cancel(proposal.id)
    await approvals.tell(...adopted(proposal))
    expect(await rowOf(proposal.id)).toMatchObject({ state: 'pending', stage: 'signed' })
    expect(await till.standing()).toEqual({ available: 88_900_000n, held: 10_000_000n, suspense: 0n })
    await expectSoundBooks(shop)
    const payout = payoutOf(proposal)
    await approvals.tell({ payout, to: 'final', inclusion: inclusionOf('0xf') })
    expect(await rowOf(proposal.id)).toMatchObject({ state: 'completed', hash: '0xf' })
    expect(await till.standing()).toEqual({ available: 88_900_000n, held: 0n, suspense: 0n })
    expect(await typesOf()).toEqual(['withdrawal.cancelled', 'withdrawal.broadcast', 'withdrawal.completed'])
    await expectSoundBooks(shop)
  })

  it('is made anew where the withdrawal is lost, and what nothing covers is owed', async () => {
    const proposal = await proposed()
    const netMinor = 200_000_000n
    const id = newId()
    const payment = { ...paymentOf(proposal), withdrawalId: id, netMinor, feeMinor: 0n }
    const lost: Proposal = { ...proposal, id, intent: { kind: 'withdrawal', payments: [payment] } }
    await approvals.tell(...adopted(lost))
    expect(await rowOf(id)).toMatchObject({ state: 'pending', stage: 'signed' })
    expect(await rowOf(proposal.id)).toMatchObject({ state: 'pending', stage: 'approved' })
    expect(await till.standing()).toEqual({
      available: 0n,
      held: netMinor + 10_000_000n,
      suspense: netMinor + 10_000_000n - 98_900_000n,
    })
    await expectSoundBooks(shop)
  })

  it('cancels no order for money that came after the backup, and is repaid once its block is read', async () => {
    const queued = await till.withdraw('80')
    const later = await proposed()
    const lostId = newId()
    const payment = { ...paymentOf(later), withdrawalId: lostId, netMinor: 59_000_000n, feeMinor: 1_000_000n }
    await approvals.tell(
      ...adopted({ ...later, id: lostId, intent: { kind: 'withdrawal', payments: [payment] } }),
    )
    await approvals.tell(...adopted(later))
    expect(await till.standing()).toEqual({ available: 0n, held: 150_000_000n, suspense: 51_100_000n })
    expect((await approvals.propose()).filter(({ id }) => id === queued)).toEqual([])
    await till.deposit(60_000_000n)
    expect(await till.standing()).toMatchObject({ held: 150_000_000n, suspense: 0n })
    expect([await rowOf(queued), await rowOf(later.id)]).toMatchObject([
      { state: 'pending' },
      { stage: 'signed' },
    ])
    expect(await typesOf()).toEqual([])
    await expectSoundBooks(shop)
  })

  it('is made anew even for a merchant who is lost', async () => {
    const proposal = await proposed()
    const id = newId()
    const merchantId = newId()
    const payment = { ...paymentOf(proposal), withdrawalId: id, merchantId }
    const lost: Proposal = { ...proposal, id, intent: { kind: 'withdrawal', payments: [payment] } }
    await approvals.tell(...adopted(lost))
    const payout = payoutOf(lost)
    await approvals.tell({ payout, to: 'final', inclusion: inclusionOf('0xe') })
    expect(await rowOf(id)).toMatchObject({ state: 'completed' })
    expect(await standingIn(shop, merchantId)).toEqual({ available: 0n, held: 0n, suspense: 10_000_000n })
    await expectSoundBooks(shop)
  })
})
