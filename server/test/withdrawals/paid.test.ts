import { describe, expect, it } from 'vitest'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { cancelWithdrawal } from '../../src/outgoing/withdrawals/cancel-withdrawal.ts'
import { claimPullPayment } from '../../src/outgoing/withdrawals/claims/claim-pull-payment.ts'
import { findWithdrawal } from '../../src/outgoing/withdrawals/store.ts'
import { withdrawalView } from '../../src/outgoing/withdrawals/view.ts'
import { claimToken } from '../../src/payments/invoices/claims/claim.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { balancesIn, expectSoundBooks } from '../support/books.ts'
import { resumeHalts } from '../support/lifts.ts'
import { refusalRecords, withdrawalRecords } from '../support/outgoing/records.ts'
import { invoiceRecords } from '../support/payments/records.ts'
import { useWithdrawalFlow } from '../support/withdrawal-flow.ts'

const flow = useWithdrawalFlow()
const caller = { type: 'account', accountId: newId(), sessionId: newId(), isOperator: false } as const

it('an ordered withdrawal is approved, sent, and completed once it is final; the recipient gets it less the fee', async () => {
  const merchantId = await flow.openFunded(100_000_000n)
  const { id, address } = await flow.order(merchantId)
  const engine = await flow.payer()
  await engine.settle()
  const sent = await flow.row(id)
  expect(sent).toMatchObject({ state: 'pending', stage: 'broadcast', tx_hash: expect.stringMatching(/^0x/) })
  await flow.playOut(engine)
  expect(await flow.row(id)).toEqual({ ...sent, state: 'completed', stage: null })
  expect(await flow.held(address, flow.usdt)).toBe(9_800_000n)
  expect(await balancesIn(flow.shop, merchantId)).toEqual({
    available: 88_900_000n,
    held: 0n,
    receivable: 0n,
  })
  expect(await flow.events(merchantId)).toMatchObject([
    { type: 'withdrawal.broadcast', data: { withdrawalID: id, txHash: sent.tx_hash } },
    { type: 'withdrawal.completed', data: { withdrawalID: id, txHash: sent.tx_hash, net: '9.8' } },
  ])
  await expectSoundBooks(flow.shop)
})

it('a withdrawal is shown without a hash until it is broadcast, and with the hash from then on', async () => {
  const merchantId = await flow.openFunded(100_000_000n)
  const { id } = await flow.order(merchantId)
  const shown = async () => {
    const withdrawal = required(await findWithdrawal(flow.shop.db, merchantId, id), 'the withdrawal')
    const { state, txHash } = withdrawalView(
      { methods: flow.shop.methods, codecOf: () => evmAddresses },
      withdrawal,
    )
    return { state, txHash }
  }
  expect(await shown()).toEqual({ state: 'pending', txHash: null })
  const engine = await flow.payer()
  await engine.settle()
  const { state, txHash } = await shown()
  expect(state).toBe('pending')
  expect(await flow.reader.readTransaction(String(txHash), new AbortController().signal)).toMatchObject({
    type: expect.stringMatching(/^(pending|mined)$/),
  })
  await flow.playOut(engine)
  expect(await shown()).toEqual({ state: 'completed', txHash })
})

it('E17 an approved withdrawal whose address is changed in the database is not signed, and everything halts', async () => {
  const merchantId = await flow.openFunded(100_000_000n)
  const { id, address } = await flow.order(merchantId)
  const thief = `0x${'7e'.repeat(20)}`
  const engine = await flow.payer()
  await flow.outgoingSource.prepare?.(
    engine.memory.lease,
    'ethereum',
    new AbortController().signal,
    flow.reader,
  )
  expect(await flow.row(id)).toMatchObject({ stage: 'approved' })
  await withdrawalRecords.change(flow.shop.db, { id }, { address: thief })
  await flow.playOut(engine)
  expect(await flow.row(id)).toMatchObject({ state: 'pending', tx_hash: null })
  expect([await flow.held(thief, flow.usdt), await flow.held(address, flow.usdt)]).toEqual([0n, 0n])
  expect(flow.alerts).toContain('outgoing-halted')
  // The refusal contains the altered address, and would be retried once payouts resume.
  await refusalRecords.remove(flow.shop.db, { outgoingTransactionId: id })
  await resumeHalts(flow.shop.db, flow.signer.keys)
  await withdrawalRecords.change(flow.shop.db, { id }, { address })
})

it('a withdrawal that is cancelled during rounds is either cancelled or paid, never both', async () => {
  const merchantId = await flow.openFunded(100_000_000n)
  const engine = await flow.payer()
  for (let round = 0; round < 6; round += 1) {
    const { id, address } = await flow.order(merchantId, { amount: '5' })
    const cancelling = cancelWithdrawal(flow.shop, caller, { merchantId, id }).then(
      () => 'cancelled',
      (error: { code: string }) => error.code,
    )
    const [answer] = await Promise.all([cancelling, engine.settle()])
    await flow.playOut(engine)
    const paid = await flow.held(address, flow.usdt)
    const { state } = await flow.row(id)
    expect([answer, state, paid]).toEqual(
      answer === 'cancelled'
        ? ['cancelled', 'cancelled', 0n]
        : ['withdrawal-under-way', 'completed', 4_850_000n],
    )
  }
  await expectSoundBooks(flow.shop)
})

describe('a pull payment', () => {
  const claimed = async (address: string) => {
    const merchantId = await flow.openFunded(100_000_000n)
    const invoiceId = await flow.shop.openInvoice(merchantId, { type: 'withdraw', amount: '20' })
    const token = claimToken(flow.shop.claimKey, invoiceId)
    const claim = () => claimPullPayment(flow.orders, { id: newId(), invoiceId, token, address })
    const stateOf = async () => (await invoiceRecords.one(flow.shop.db, { id: invoiceId }, 'state')).state
    return { merchantId, invoiceId, claim, stateOf }
  }

  it('is claimed, paid out, and then its invoice is paid', async () => {
    const address = `0x${'c1'.repeat(20)}`
    const { claim, stateOf } = await claimed(address)
    const { id } = await claim()
    await flow.follow()
    const engine = await flow.payer()
    await engine.settle()
    expect(await stateOf()).toBe('pending')
    await flow.playOut(engine)
    expect(await flow.row(id)).toMatchObject({ state: 'completed' })
    expect(await stateOf()).toBe('paid')
    expect(await flow.held(address, flow.usdt)).toBe(20_000_000n)
    await expectSoundBooks(flow.shop)
  })

  it('whose transaction the chain refuses can be claimed again', async () => {
    const { merchantId, claim, stateOf } = await claimed(`0x${'c2'.repeat(20)}`)
    const first = await claim()
    await flow.follow()
    await withdrawalRecords.change(flow.shop.db, { id: first.id }, { stage: 'approved', approvalMac: '00' })
    const [proposal] = await flow.outgoingSource.propose(flow.shop.db, 'ethereum', 100)
    if (proposal === undefined) throw new Error('nothing is proposed')
    const engine = await flow.payer()
    await inTransaction(flow.shop.db, (tx) =>
      flow.outgoingSource.moved(tx, [{ proposal, to: 'refused', reason: 'paused' }]),
    )
    expect(await flow.row(first.id)).toMatchObject({
      state: 'failed',
      end_explanation: expect.stringContaining('paused'),
    })
    const second = await claim()
    expect(second.id).not.toBe(first.id)
    await flow.follow()
    await flow.playOut(engine)
    expect(await stateOf()).toBe('paid')
    expect((await flow.events(merchantId)).map(({ type }) => type)).toEqual([
      'withdrawal.failed',
      'withdrawal.broadcast',
      'withdrawal.completed',
    ])
    await expectSoundBooks(flow.shop)
  })
})
