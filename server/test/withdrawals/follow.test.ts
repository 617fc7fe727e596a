import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import {
  NotWantedError,
  type OutgoingMove,
  type Proposal,
} from '../../src/outgoing/engine/outgoing-source.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { ledgerAccountRecords } from '../support/books/records.ts'
import { balancesIn, expectSoundBooks } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { withdrawalRecords } from '../support/outgoing/records.ts'
import { useShop } from '../support/shop.ts'
import {
  type Approvals,
  inclusionOf,
  openApprovals,
  outgoingTransactionOf,
  paymentOf,
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

/** Returns a withdrawal of 10 USDT that is proposed to payouts. */
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
  const {
    state,
    stage,
    txHash: hash,
    endExplanation: explanation,
  } = await withdrawalRecords.one(shop.db, { id })
  return { state, stage, hash, explanation }
}

const typesOf = async () => (await till.events()).map(({ type }) => type)

describe('a withdrawal follows its outgoing transaction', () => {
  it('through every stage to its end, and is reported once under the hash that is in a block', async () => {
    const proposal = await proposed()
    const outgoingTransaction = outgoingTransactionOf(proposal)
    const steps: readonly (readonly [OutgoingMove, string | null, string | null])[] = [
      [{ outgoingTransaction, to: 'planned' }, 'planned', null],
      [{ outgoingTransaction, to: 'signed' }, 'signed', null],
      [{ outgoingTransaction, to: 'broadcast', txHash: '0x1' }, 'broadcast', '0x1'],
      [{ outgoingTransaction, to: 'needs_recheck' }, 'needs_recheck', '0x1'],
      [{ outgoingTransaction, to: 'broadcast', txHash: '0x1' }, 'broadcast', '0x1'],
      [{ outgoingTransaction, to: 'broadcast', txHash: '0x2' }, 'broadcast', '0x2'],
      [{ outgoingTransaction, to: 'included', inclusion: inclusionOf('0x1') }, 'broadcast', '0x1'],
      [{ outgoingTransaction, to: 'broadcast', txHash: '0x2' }, 'broadcast', '0x2'],
      [{ outgoingTransaction, to: 'included', inclusion: inclusionOf('0x1') }, 'broadcast', '0x1'],
      [{ outgoingTransaction, to: 'final', inclusion: inclusionOf('0x1') }, null, '0x1'],
      [{ outgoingTransaction, to: 'broadcast', txHash: '0x1' }, null, '0x1'],
      [{ outgoingTransaction, to: 'final', inclusion: inclusionOf('0x1') }, null, '0x1'],
    ]
    for (const [move, stage, hash] of steps) {
      await approvals.notify(move)
      expect(await rowOf(proposal.id), move.to).toMatchObject({ stage, hash })
    }
    expect(await rowOf(proposal.id)).toMatchObject({ state: 'completed', explanation: null })
    const emitted = await till.events()
    expect(emitted).toMatchObject([
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
    expect(await till.balances()).toEqual({ available: 88_900_000n, held: 0n, receivable: 0n })
    await expectSoundBooks(shop)
  })

  it('through many state changes of many transactions notified at once', async () => {
    const proposals = [await proposed(), await proposed(), await proposed()]
    const moves = proposals.flatMap((proposal): OutgoingMove[] => {
      const outgoingTransaction = outgoingTransactionOf(proposal)
      return [
        { outgoingTransaction, to: 'planned' },
        { outgoingTransaction, to: 'signed' },
        { outgoingTransaction, to: 'broadcast', txHash: `0x${proposal.id}` },
      ]
    })
    await approvals.notify(...moves)
    const [first, second, third] = proposals.map((proposal) => outgoingTransactionOf(proposal))
    await approvals.notify(
      { outgoingTransaction: required(first, 'one'), to: 'final', inclusion: inclusionOf('0xa') },
      { outgoingTransaction: required(second, 'one'), to: 'final', inclusion: inclusionOf('0xb', false) },
      { outgoingTransaction: required(third, 'one'), to: 'conflicted' },
    )
    const rows = await Promise.all(proposals.map(({ id }) => rowOf(id)))
    expect(rows).toMatchObject([
      { state: 'completed', hash: '0xa', explanation: null },
      { state: 'failed', hash: '0xb', explanation: expect.stringContaining('failed on the chain') },
      { state: 'failed', explanation: expect.stringContaining('replaced the payment') },
    ])
    expect(await till.balances()).toEqual({ available: 88_900_000n, held: 0n, receivable: 0n })
    await expectSoundBooks(shop)
  })

  it("E19 E20 fails with its money returned if the chain would reject it, and states the chain's reason", async () => {
    const proposal = await proposed()
    await approvals.notify({ proposal, to: 'refused', reason: 'the recipient is on a block list' })
    expect(await rowOf(proposal.id)).toMatchObject({
      state: 'failed',
      hash: null,
      explanation: expect.stringContaining('the recipient is on a block list'),
    })
    expect(await typesOf()).toEqual(['withdrawal.failed'])
    expect(await till.balances()).toMatchObject({ available: 98_900_000n, held: 0n })
    await expectSoundBooks(shop)
  })

  it('is not planned once it was cancelled, and cannot be cancelled once it is planned', async () => {
    for (let round = 0; round < 8; round++) {
      const proposal = await proposed()
      const [planned, cancelled] = await Promise.allSettled([
        approvals.notify({ outgoingTransaction: outgoingTransactionOf(proposal), to: 'planned' }),
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

  it('is not planned, nor planned again after a refusal, once its merchant owes money', async () => {
    const proposal = await proposed()
    const heldBack = async () => [...((await approvals.outgoingSource.heldBack?.(shop.db, [proposal])) ?? [])]
    expect(await heldBack()).toEqual([])
    await ledgerAccountRecords.add(shop.db, {
      name: 'receivable',
      ownerId: till.merchantId,
      asset: 'ethereum/USDC',
      debits: 1n,
    })
    const planned = () =>
      approvals.notify({ outgoingTransaction: outgoingTransactionOf(proposal), to: 'planned' })
    await expect(planned()).rejects.toThrow(NotWantedError)
    expect(await rowOf(proposal.id)).toMatchObject({ stage: 'approved' })
    expect(await heldBack()).toEqual([proposal.id])
    await ledgerAccountRecords.remove(shop.db, { name: 'receivable', debits: 1n })
    await planned()
    expect(await rowOf(proposal.id)).toMatchObject({ stage: 'planned' })
  })
})

describe('a signed transaction that the database does not know', () => {
  const adopted = (proposal: Proposal): readonly OutgoingMove[] => [
    { outgoingTransaction: outgoingTransactionOf(proposal, 'signed'), to: 'planned' },
    { outgoingTransaction: outgoingTransactionOf(proposal, 'signed'), to: 'signed' },
  ]

  it('is adopted by the withdrawal that it pays, in any stage', async () => {
    const id = await till.withdraw('10')
    const approved = await proposed()
    const payment = { ...paymentOf(approved), withdrawalId: id }
    const queued: Proposal = { ...approved, id, intent: { kind: 'withdrawal', payments: [payment] } }
    await withdrawalRecords.change(shop.db, { id }, { stage: 'queued', approvalMac: null })
    await approvals.notify(...adopted(queued))
    expect(await rowOf(id)).toMatchObject({ stage: 'signed' })
    await expectSoundBooks(shop)
  })

  it('is held again if its money was returned meanwhile, and leaves once', async () => {
    const proposal = await proposed()
    await till.cancel(proposal.id)
    await approvals.notify(...adopted(proposal))
    expect(await rowOf(proposal.id)).toMatchObject({ state: 'pending', stage: 'signed' })
    expect(await till.balances()).toEqual({ available: 88_900_000n, held: 10_000_000n, receivable: 0n })
    await expectSoundBooks(shop)
    const outgoingTransaction = outgoingTransactionOf(proposal)
    await approvals.notify({ outgoingTransaction, to: 'final', inclusion: inclusionOf('0xf') })
    expect(await rowOf(proposal.id)).toMatchObject({ state: 'completed', hash: '0xf' })
    expect(await till.balances()).toEqual({ available: 88_900_000n, held: 0n, receivable: 0n })
    expect(await typesOf()).toEqual(['withdrawal.cancelled', 'withdrawal.broadcast', 'withdrawal.completed'])
    await expectSoundBooks(shop)
  })

  it('restores a lost withdrawal, and an uncovered amount becomes a receivable', async () => {
    const proposal = await proposed()
    const netMinor = 200_000_000n
    const id = newId()
    const payment = { ...paymentOf(proposal), withdrawalId: id, netMinor, feeMinor: 0n }
    const lost: Proposal = { ...proposal, id, intent: { kind: 'withdrawal', payments: [payment] } }
    await approvals.notify(...adopted(lost))
    expect(await rowOf(id)).toMatchObject({ state: 'pending', stage: 'signed' })
    expect(await rowOf(proposal.id)).toMatchObject({ state: 'pending', stage: 'approved' })
    expect(await till.balances()).toEqual({
      available: 0n,
      held: netMinor + 10_000_000n,
      receivable: netMinor + 10_000_000n - 98_900_000n,
    })
    await expectSoundBooks(shop)
  })

  it('cancels no order for money that came after the backup, and is repaid once its block is read', async () => {
    const queued = await till.withdraw('80')
    const later = await proposed()
    const lostId = newId()
    const payment = { ...paymentOf(later), withdrawalId: lostId, netMinor: 59_000_000n, feeMinor: 1_000_000n }
    await approvals.notify(
      ...adopted({ ...later, id: lostId, intent: { kind: 'withdrawal', payments: [payment] } }),
    )
    await approvals.notify(...adopted(later))
    expect(await till.balances()).toEqual({ available: 0n, held: 150_000_000n, receivable: 51_100_000n })
    expect((await approvals.propose()).filter(({ id }) => id === queued)).toEqual([])
    await till.deposit(60_000_000n)
    expect(await till.balances()).toMatchObject({ held: 150_000_000n, receivable: 0n })
    expect([await rowOf(queued), await rowOf(later.id)]).toMatchObject([
      { state: 'pending' },
      { stage: 'signed' },
    ])
    expect(await typesOf()).toEqual([])
    await expectSoundBooks(shop)
  })

  it('restores the withdrawal even of a lost merchant', async () => {
    const proposal = await proposed()
    const id = newId()
    const merchantId = newId()
    const payment = { ...paymentOf(proposal), withdrawalId: id, merchantId }
    const lost: Proposal = { ...proposal, id, intent: { kind: 'withdrawal', payments: [payment] } }
    await approvals.notify(...adopted(lost))
    const outgoingTransaction = outgoingTransactionOf(lost)
    await approvals.notify({ outgoingTransaction, to: 'final', inclusion: inclusionOf('0xe') })
    expect(await rowOf(id)).toMatchObject({ state: 'completed' })
    expect(await balancesIn(shop, merchantId)).toEqual({ available: 0n, held: 0n, receivable: 10_000_000n })
    await expectSoundBooks(shop)
  })
})
