/** Treasury withdrawals on a real chain with the real signer. */
import { beforeAll, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { credit, debit, journal } from '../../src/ledger/journal.ts'
import { post } from '../../src/ledger/post.ts'
import { dropRefused } from '../../src/outgoing/engine/controls/halts.ts'
import { readFreeCapital } from '../../src/outgoing/engine/controls/read-capital.ts'
import { readBooks } from '../../src/outgoing/treasury/books-store.ts'
import { orderTreasuryWithdrawal } from '../../src/outgoing/treasury/order-treasury-withdrawal.ts'
import { withdrawableMinor } from '../../src/outgoing/treasury/own-money.ts'
import { treasuryOutgoingSource } from '../../src/outgoing/treasury/treasury-outgoing-source.ts'
import { findTreasuryWithdrawal } from '../../src/outgoing/treasury/treasury-withdrawal-store.ts'
import { findViolations } from '../../src/oversight/verify/continuous-check.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import {
  attemptRecords,
  outgoingRecords,
  refusalRecords,
  signerLogRecords,
  treasuryWithdrawalRecords,
} from '../support/outgoing/records.ts'
import { refusalsNow } from '../support/outgoing/refusals.ts'
import { useOutgoingFlow } from '../support/outgoing-flow.ts'
import { type OverLimit, overLimit } from '../support/over-limit.ts'
import { now } from '../support/records/values.ts'
import { devMethods } from '../support/shop.ts'

const flow = useOutgoingFlow()
const cold = `0x${'c0'.repeat(20)}`
let usdc = ''
const methods = () => devMethods({ usdt: flow.usdt, usdc })

beforeAll(async () => {
  usdc = (await flow.anvil.deployTokens()).USDC
  flow.signer = await flow.signer.reopen({ coldAddress: cold })
  // The tokens that the hot wallets were given count as earned fees.
  const asset = 'ethereum/USDT'
  const lines = [
    debit({ name: 'custody', asset }, 2n * 10n ** 12n),
    credit({ name: 'fees', asset }, 2n * 10n ** 12n),
  ]
  await inTransaction(flow.database.db, (tx) =>
    post(tx, [journal({ kind: 'test', subject: 'test:fees', lines })]),
  )
})

const engine = () => flow.engine({ outgoingSources: [treasuryOutgoingSource(methods())], coldAddress: cold })

async function order(paymentMethodId: number, source: 'capital' | 'fees', amount: string): Promise<string> {
  const parts = {
    db: flow.database.db,
    methods: methods(),
    coldAddresses: new Map([['ethereum', 'a cold address']]),
  }
  return (await orderTreasuryWithdrawal(parts, undefined, { id: newId(), paymentMethodId, source, amount }))
    .id
}

async function booksOf(methodId: number) {
  const method = methods().byId(methodId)
  const [books] = method === undefined ? [] : await readBooks(methods(), flow.database.db, [method])
  if (books === undefined) throw new Error('no such method')
  return books
}

async function expectSolvent(): Promise<void> {
  const { entries } = await verify({ db: flow.database.db, methods: methods(), chains: [flow] })
  const wrong = entries.filter(({ ok, skipped }) => !ok || skipped !== undefined)
  expect(wrong).toEqual([])
  expect(entries.find(({ id }) => id === 'M8')?.remarks).toEqual([])
}

it('a treasury withdrawal leaves to the cold address and is booked exactly once, when it is final', async () => {
  const running = await engine()
  // The first round asks the signer for the addresses of the hot wallets.
  await running.settle()
  await flow.follow()
  await expectSolvent()
  const coin = await order(3, 'capital', '1.5')
  const token = await order(1, 'fees', '250')
  const before = { coin: await booksOf(3), token: await booksOf(1) }
  await running.settle()
  expect(await findTreasuryWithdrawal(flow.database.db, coin)).toMatchObject({
    state: 'pending',
    txHash: expect.stringMatching(/^0x/),
  })
  await flow.mine()
  await running.settle()
  await expectSolvent()
  await flow.mine(3)
  await running.settle()
  for (const id of [coin, token]) {
    expect(await findTreasuryWithdrawal(flow.database.db, id)).toMatchObject({ state: 'completed' })
  }
  expect(await flow.held(cold)).toBe(15n * 10n ** 17n)
  expect(await flow.held(cold, flow.usdt)).toBe(250_000_000n)
  const after = { coin: await booksOf(3), token: await booksOf(1) }
  expect(after.coin.capitalMinor).toBe(before.coin.capitalMinor - 15n * 10n ** 17n)
  expect(after.token.feesMinor).toBe(before.token.feesMinor - 250_000_000n)
  expect(after.coin.withdrawingMinor.capital).toBe(0n)
  await expectSolvent()
})

it('a treasury withdrawal reserves its amount before it leaves, so that no gas is paid from it', async () => {
  const parts = flow.parts({ outgoingSources: [] })
  const before = await readFreeCapital(parts)
  const id = await order(3, 'capital', '2')
  expect(await readFreeCapital(parts)).toBe(before - 2n * 10n ** 18n)
  await treasuryWithdrawalRecords.change(flow.database.owner, { id }, { state: 'failed', endedAt: now })
  expect(await readFreeCapital(parts)).toBe(before)
})

it('a treasury withdrawal that the chain would reject fails before anything is signed, and may be ordered again', async () => {
  const before = await booksOf(3)
  const id = await order(3, 'capital', '1')
  // The code accepts no payment: PUSH0 PUSH0 REVERT.
  await flow.anvil.rpc('anvil_setCode', [cold, '0x5f5ffd'])
  const running = await engine()
  await running.settle()
  await flow.anvil.rpc('anvil_setCode', [cold, '0x'])
  expect(await findTreasuryWithdrawal(flow.database.db, id)).toMatchObject({
    state: 'failed',
    txHash: undefined,
  })
  const after = await booksOf(3)
  expect(withdrawableMinor(after, 'capital')).toBe(withdrawableMinor(before, 'capital'))
  await flow.follow()
  await expectSolvent()
})

it('a treasury withdrawal whose order a restored database lost is restored from the signer’s log', async () => {
  const id = await order(3, 'capital', '0.5')
  const running = await engine()
  await running.round()
  await running.round()
  await treasuryWithdrawalRecords.remove(flow.database.owner, { id })
  await attemptRecords.remove(flow.database.owner, { outgoingTransactionId: id })
  await outgoingRecords.remove(flow.database.owner, { id })
  await signerLogRecords.change(flow.database.owner, {}, { lastSequence: 0 })
  await flow.endLeases()
  const later = await engine()
  await later.settle()
  await flow.mine(4)
  await later.settle()
  expect(await findTreasuryWithdrawal(flow.database.db, id)).toMatchObject({
    state: 'completed',
    source: 'capital',
  })
  expect(await flow.held(cold)).toBe(2n * 10n ** 18n)
  await expectSolvent()
})

const refusals = async () =>
  (await refusalsNow(flow.database.db)).map(({ id, rests }) => ({ id, isResting: rests }))

/** Returns an engine whose signer refuses treasury withdrawals while `isOver` says so. */
async function limited(isOver: () => boolean, between?: () => Promise<void>) {
  const signer: OverLimit = overLimit(flow.signer.signer, isOver)
  const outgoingSource = treasuryOutgoingSource(methods())
  const propose: typeof outgoingSource.propose = async (...asked) => {
    const proposals = await outgoingSource.propose(...asked)
    await between?.()
    return proposals
  }
  const running = await flow.engine({
    signer,
    outgoingSources: [{ ...outgoingSource, propose }],
    coldAddress: cold,
  })
  return { running, asked: signer.asked }
}

const isDropped = (id: string) =>
  inTransaction(flow.database.db, (tx) =>
    dropRefused(tx, [treasuryOutgoingSource(methods())], id, { reason: 'not now' }),
  )

it('a treasury withdrawal that is given up while a round plans it again is neither planned nor sent', async () => {
  const id = await order(3, 'capital', '0.25')
  let isOver = true
  let giveUp = false
  const { running, asked } = await limited(
    () => isOver,
    async () => {
      if (giveUp) expect(await isDropped(id)).toBe(true)
      giveUp = false
    },
  )
  await running.round()
  expect(await refusals()).toMatchObject([{ id }])
  const before = await booksOf(3)
  isOver = false
  await refusalRecords.change(flow.database.owner, {}, { retryAt: now })
  giveUp = true
  await running.settle()
  await flow.mine(4)
  await running.settle()
  expect(giveUp).toBe(false)
  expect(asked).toHaveLength(1)
  expect(await findTreasuryWithdrawal(flow.database.db, id)).toMatchObject({
    state: 'failed',
    txHash: undefined,
  })
  expect((await booksOf(3)).custodyMinor).toBe(before.custodyMinor)
  await expectSolvent()
})

it('a treasury withdrawal that the signer refuses is not requested again before its time, and is sent then', async () => {
  const id = await order(3, 'capital', '0.0625')
  let isOver = true
  const { running, asked } = await limited(() => isOver)
  await running.settle()
  await running.settle()
  expect(asked).toHaveLength(1)
  expect(await refusals()).toEqual([{ id, isResting: true }])
  isOver = false
  await refusalRecords.change(flow.database.owner, {}, { retryAt: now })
  await running.settle()
  await flow.mine(4)
  await running.settle()
  expect(asked).toHaveLength(2)
  expect(await findTreasuryWithdrawal(flow.database.db, id)).toMatchObject({ state: 'completed' })
  await expectSolvent()
})

it('a treasury withdrawal that was signed and is given up in a restored database is open again, and booked', async () => {
  const id = await order(3, 'capital', '0.125')
  const running = await engine()
  await running.round()
  await attemptRecords.remove(flow.database.owner, { outgoingTransactionId: id })
  await outgoingRecords.remove(flow.database.owner, { id })
  await treasuryWithdrawalRecords.change(
    flow.database.owner,
    { id },
    { state: 'failed', endedAt: now, txHash: null },
  )
  await signerLogRecords.change(flow.database.owner, {}, { lastSequence: 0 })
  await flow.endLeases()
  const later = await engine()
  await later.settle()
  expect(await findTreasuryWithdrawal(flow.database.db, id)).toMatchObject({
    state: 'pending',
    endedAt: undefined,
  })
  await flow.mine(4)
  await later.settle()
  expect(await findTreasuryWithdrawal(flow.database.db, id)).toMatchObject({ state: 'completed' })
  await expectSolvent()
})

it('a treasury withdrawal that left without being booked halts all payouts', async () => {
  const { db, owner } = flow.database
  const parts = { db, methods: methods() }
  expect(await findViolations(parts)).toEqual([])
  const row = await treasuryWithdrawalRecords.one(flow.shop.db, { state: 'completed' }, 'id')
  await treasuryWithdrawalRecords.change(owner, { id: row.id }, { state: 'failed' })
  expect(await findViolations(parts)).toMatchObject([
    expect.stringContaining(`M10-treasury-withdrawals: treasury withdrawal ${row.id}`),
  ])
  await treasuryWithdrawalRecords.change(owner, { id: row.id }, { state: 'completed' })
})
