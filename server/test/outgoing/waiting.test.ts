import { describe, expect, it } from 'vitest'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { newId } from '../../src/core/ids.ts'
import { lockOwnMoney } from '../../src/ledger/lock-own-money.ts'
import { saveBooksCheck } from '../../src/outgoing/engine/controls/books-check-store.ts'
import { readOutgoingFigures } from '../../src/outgoing/engine/controls/figures.ts'
import { dropRefused } from '../../src/outgoing/engine/controls/halts.ts'
import type { OutgoingSource } from '../../src/outgoing/engine/outgoing-source.ts'
import { ownAddressBook } from '../../src/outgoing/evm/account-parts.ts'
import { addressAt } from '../../src/outgoing/evm/spend-of.ts'
import { readComing } from '../../src/outgoing/evm/wallet-store.ts'
import { insertTreasuryWithdrawal } from '../../src/outgoing/treasury/treasury-withdrawal-store.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { quantity } from '../support/anvil.ts'
import { booksCheckRecords, ledgerAccountRecords } from '../support/books/records.ts'
import { cursorRecords } from '../support/chains/records.ts'
import { resumeHalts } from '../support/lifts.ts'
import {
  attemptRecords,
  outgoingRecords,
  refusalRecords,
  treasuryWithdrawalRecords,
  waitRecords,
} from '../support/outgoing/records.ts'
import { transferRequestRecords } from '../support/outgoing/transfer-request-records.ts'
import { useOutgoingFlow } from '../support/outgoing-flow.ts'
import { addressRecords } from '../support/payments/records.ts'
import { fromNow, now, plus } from '../support/records/values.ts'
import { openTestSigner } from '../support/signer.ts'
import { addTransferRequest, transferRequests } from '../support/transfer-requests.ts'

const flow = useOutgoingFlow({ hotWallets: 2 })
const { database, anvil } = flow

/** Makes every wait an hour old. */
async function waitedLong(): Promise<void> {
  await waitRecords.change(database.owner, {}, { since: fromNow('-1 hour') })
}

const usdt = (netMinor: bigint) => ({ asset: 'ethereum/USDT', contract: flow.usdt, netMinor })

it('E22 A4 orders without enough money in the hot wallets wait and alert; covered ones overtake them, and other assets continue', async () => {
  await flow.setTokens(10n, 0n)
  const engine = await flow.engine()
  const large = await flow.pay(usdt(50n))
  const small = await flow.pay(usdt(1n))
  const coin = await flow.pay({ netMinor: 3n })
  await engine.finish()
  expect((await flow.transferRequest(large.id)).moves).toEqual([])
  for (const { id } of [small, coin]) expect((await flow.transferRequest(id)).isSuccess).toBe(true)
  expect(flow.alerts).toEqual([])
  await waitedLong()
  await engine.settle()
  expect(flow.alerts).toEqual(['outgoing-waits'])
  expect((await readOutgoingFigures(database.db)).waits).toMatchObject([{ cause: 'funds:ethereum/USDT' }])
  await flow.setTokens(60n, 0n)
  await engine.finish()
  expect((await flow.transferRequest(large.id)).isSuccess).toBe(true)
  expect((await readOutgoingFigures(database.db)).waits).toEqual([])
})

it('moves a token between hot wallets if none alone holds the amount to pay', async () => {
  await flow.setTokens(60n, 50n)
  const engine = await flow.engine()
  const payment = await flow.pay(usdt(100n))
  await engine.settle()
  const coming = async () => await readComing(database.db, 'ethereum', Number.MAX_SAFE_INTEGER)
  expect(await coming()).toEqual(new Map([['0 ethereum/USDT', 40n]]))
  await engine.finish()
  await engine.finish()
  expect(await coming()).toEqual(new Map())
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
  expect(await flow.held(payment.address, flow.usdt)).toBe(100n)
  const moved = await outgoingRecords.all(database.db, { kind: 'rebalance' }, 'spentMinor')
  expect(moved).toEqual([{ spentMinor: '40' }])
})

it('E24 pays once if several processes propose the same payment', async () => {
  const again = { ...transferRequests, kinds: [] }
  const engine = await flow.engine({ outgoingSources: [transferRequests, again] })
  const payment = await flow.pay({ netMinor: 11n })
  await addTransferRequest(database.db, {
    id: '00000000-0000-7000-8000-000000000001',
    intent: { kind: 'deploy' },
    spends: undefined,
  })
  await engine.finish()
  expect(await flow.held(payment.address)).toBe(11n)
  const attempts = await attemptRecords.all(database.db, { outgoingTransactionId: payment.id }, 'txHash')
  expect(attempts).toHaveLength(1)
})

it("never pays gas from merchants' money: without the operator's own it waits and alerts", async () => {
  const move = async (minor: bigint) => {
    await ledgerAccountRecords.change(
      database.owner,
      { name: 'capital', asset: 'ethereum/ETH' },
      { credits: plus(minor) },
    )
  }
  const all = 200n * 10n ** 18n
  await move(-all)
  const engine = await flow.engine()
  const payment = await flow.pay()
  await engine.settle()
  expect((await flow.transferRequest(payment.id)).moves).toEqual([])
  expect((await readOutgoingFigures(database.db)).waits).toMatchObject([{ cause: 'capital' }])
  await move(all)
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
})

describe('E17 an order that was never approved', () => {
  it('is refused by the signer, halts everything, and uses no nonce; an operator decides', async () => {
    const engine = await flow.engine()
    const before = await flow.pay()
    const tampered = await flow.pay()
    const { intent } = await transferRequestRecords.one(database.db, { id: tampered.id }, 'intent')
    const other = intent.replace(tampered.address, anvil.accounts[5] ?? '')
    await transferRequestRecords.change(database.owner, { id: tampered.id }, { intent: other })
    const behind = [await flow.pay(), await flow.pay(), await flow.pay()]
    await engine.finish()
    for (const { id } of [before, ...behind]) expect((await flow.transferRequest(id)).isSuccess).toBe(true)
    expect((await flow.transferRequest(tampered.id)).moves).toEqual(['planned'])
    expect(flow.alerts).toEqual(['signer-refused', 'outgoing-halted'])
    const figures = await readOutgoingFigures(database.db)
    expect(figures.halts).toMatchObject([{ cause: 'tampering' }])
    expect(figures.refused).toMatchObject([{ outgoingTransactionId: tampered.id, code: 'not-approved' }])
    const later = await flow.pay()
    await engine.settle()
    expect((await flow.transferRequest(later.id)).moves).toEqual([])
    await inTransaction(database.db, async (tx) => {
      expect(await dropRefused(tx, [transferRequests], tampered.id, { reason: 'it was tampered with' })).toBe(
        true,
      )
    })
    expect(await resumeHalts(database.db, flow.signer.keys, 'tampering')).toBe(true)
    await engine.finish()
    expect((await flow.transferRequest(tampered.id)).moves).toEqual(['planned', 'refused'])
    expect((await flow.transferRequest(later.id)).isSuccess).toBe(true)
    expect((await readOutgoingFigures(database.db)).halts).toEqual([])
  })
})

it('halts if a hot wallet sent a transaction that neither the database nor the log contains', async () => {
  const [, hotWallet = ''] = flow.signer.keys.hotWallets
  const nonce = Number(await anvil.rpc('eth_getTransactionCount', [hotWallet, 'latest']))
  await anvil.rpc('anvil_setNonce', [hotWallet, quantity(nonce + 1)])
  await flow.mine()
  const engine = await flow.engine({ inFlightMax: 2 })
  const payments = [await flow.pay(), await flow.pay()]
  await engine.settle()
  for (const { id } of payments) expect((await flow.transferRequest(id)).moves).toEqual([])
  expect((await readOutgoingFigures(database.db)).halts).toMatchObject([{ cause: 'chain-ahead' }])
  await anvil.rpc('anvil_setNonce', [hotWallet, quantity(nonce)])
  await flow.mine()
  await resumeHalts(database.db, flow.signer.keys, 'chain-ahead')
  await engine.finish(16)
  for (const { id } of payments) expect((await flow.transferRequest(id)).isSuccess).toBe(true)
})

it('halts if the signer that answers has other keys, and signs nothing', async () => {
  const other = await openTestSigner({ hotWallets: 2 })
  try {
    const engine = await flow.engine({ signer: other.signer })
    const payment = await flow.pay()
    await engine.settle()
    expect((await flow.transferRequest(payment.id)).moves).toEqual([])
    expect((await readOutgoingFigures(database.db)).halts).toMatchObject([{ cause: 'xpub-foreign' }])
    expect((await other.signer.attest()).logEntries).toBe(0)
  } finally {
    await other.close()
    await resumeHalts(database.db, flow.signer.keys, 'xpub-foreign')
  }
})

it('plans nothing while our blocks are behind the chain', async () => {
  const engine = await flow.engine()
  await cursorRecords.change(database.owner, {}, { seenAt: fromNow('-1 hour') })
  const payment = await flow.pay()
  await engine.settle()
  expect((await flow.transferRequest(payment.id)).moves).toEqual([])
  expect((await readOutgoingFigures(database.db)).waits).toMatchObject([{ cause: 'chain-stale' }])
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
})

it('plans nothing while nobody checks the books, and reports for how long', async () => {
  const engine = await flow.engine()
  await booksCheckRecords.change(
    database.owner,
    {},
    { checkedAt: fromNow('-1 hour'), dueAt: fromNow('-1 minute') },
  )
  const payment = await flow.pay()
  await engine.settle()
  expect((await flow.transferRequest(payment.id)).moves).toEqual([])
  const { waits } = await readOutgoingFigures(database.db)
  expect(waits).toMatchObject([{ cause: 'books-unchecked', detail: expect.stringContaining(' 3600 s ago') }])
  await waitedLong()
  await engine.settle()
  expect(flow.alerts).toEqual(['outgoing-waits'])
  await saveBooksCheck(database.db, 60_000)
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
})

it('spends no coin on gas that a treasury withdrawal reserves during planning', async () => {
  const capital = { name: 'capital', asset: 'ethereum/ETH' }
  const { credits, debits } = await ledgerAccountRecords.one(flow.shop.db, capital, 'credits', 'debits')
  const free = `${BigInt(credits) - BigInt(debits)}`
  let ordered = false
  const outgoingSource: OutgoingSource = {
    ...transferRequests,
    moved: async (tx, moves) => {
      await transferRequests.moved(tx, moves)
      if (ordered) return
      ordered = true
      await inTransaction(database.db, async (other) => {
        await lockOwnMoney(other, 'ethereum/ETH')
        const order = { id: newId(), network: 'ethereum', asset: 'ethereum/ETH', paymentMethodId: 3 }
        await insertTreasuryWithdrawal(other, { ...order, source: 'capital', amountMinor: BigInt(free) })
      })
    },
  }
  const engine = await flow.engine({ outgoingSources: [outgoingSource] })
  const payment = await flow.pay()
  // In the first round, the treasury withdrawal reserves the coins after planning has begun, so the plan is
  // dropped. The next round sees the reservation before it plans.
  expect(await engine.round()).toBe(0)
  expect(ordered).toBe(true)
  await engine.settle()
  expect((await flow.transferRequest(payment.id)).moves).toEqual([])
  expect((await readOutgoingFigures(database.db)).waits).toMatchObject([{ cause: 'capital' }])
  await treasuryWithdrawalRecords.remove(database.owner)
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
})

it.each([
  ['a lane', () => flow.signer.keys.hotWallets[1] ?? ''],
  ['the contract that sweeps', () => spendCodecs.evm.delegateOf(flow.signer.keys.hotWallets)],
  [
    'an address that customers pay on',
    async () => {
      await flow.shop.poolOf('ethereum').refill()
      return (await addressRecords.one(flow.shop.db, {}, 'address')).address
    },
  ],
])('halts if a treasury withdrawal goes to %s of our own', async (_, own) => {
  const coldAddress = (await own()).toLowerCase()
  const engine = await flow.engine({ coldAddress })
  const payment = await flow.pay()
  await engine.settle()
  expect((await flow.transferRequest(payment.id)).moves).toEqual([])
  const { halts } = await readOutgoingFigures(database.db)
  expect(halts).toMatchObject([{ cause: 'cold-address', detail: expect.stringContaining(coldAddress) }])
  await flow.endLeases()
  await resumeHalts(database.db, flow.signer.keys, 'cold-address')
  await (await flow.engine({ coldAddress: `0x${'c0'.repeat(20)}` })).finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
})

it('derives its hot wallets as the signer does', async () => {
  const engine = await flow.engine()
  await engine.settle()
  const own = ownAddressBook(engine.parts, engine.memory)
  expect([0, 1].map((hotWallet) => addressAt(own, { type: 'hotWallet', hotWallet }))).toEqual(
    flow.signer.keys.hotWallets,
  )
  const keyPath = { type: 'deposit', branch: 3, index: 4 } as const
  expect(addressAt(own, keyPath)).toBe(flow.signer.keys.walletAt(keyPath)?.address)
})

it('does not plan a refused payment again while its source holds it back', async () => {
  let held = true
  const outgoingSource = {
    ...transferRequests,
    heldBack: async (_: unknown, refused: readonly { id: string }[]) =>
      new Set(held ? refused.map(({ id }) => id) : []),
  }
  const engine = await flow.engine({ outgoingSources: [outgoingSource] })
  const payment = await flow.pay()
  await transferRequestRecords.change(database.owner, { id: payment.id }, { moves: ['planned'] })
  const { intent } = await transferRequestRecords.one(database.owner, { id: payment.id }, 'intent')
  await refusalRecords.add(database.owner, {
    outgoingTransactionId: payment.id,
    network: 'ethereum',
    kind: 'withdrawal',
    intent,
    spentAsset: payment.asset,
    spentMinor: payment.netMinor,
    code: 'over-limit',
    detail: 'a test',
    retryAt: now,
  })
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).moves).toEqual(['planned'])
  held = false
  await engine.finish()
  expect((await flow.transferRequest(payment.id)).isSuccess).toBe(true)
})
