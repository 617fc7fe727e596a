import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { newId } from '../../src/core/ids.ts'
import { lockOwnMoney } from '../../src/ledger/lock-own-money.ts'
import { saveBooksCheck } from '../../src/outgoing/engine/controls/books-check-store.ts'
import { readPayoutFigures } from '../../src/outgoing/engine/controls/figures.ts'
import { dropRefused } from '../../src/outgoing/engine/controls/halts.ts'
import type { PayoutPurpose } from '../../src/outgoing/engine/purpose.ts'
import { readComing } from '../../src/outgoing/engine/wallet-store.ts'
import { ownPlaces } from '../../src/outgoing/evm/account-parts.ts'
import { addressAt } from '../../src/outgoing/evm/spend-of.ts'
import { insertTakeOut } from '../../src/outgoing/treasury/take-out-store.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { quantity } from '../support/anvil.ts'
import { resumeHalts } from '../support/lifts.ts'
import { usePayoutFlow } from '../support/payout-flow.ts'
import { openTestSigner } from '../support/signer.ts'
import { addWish, wishes } from '../support/wishes.ts'

const flow = usePayoutFlow({ lanes: 2 })
const { database, anvil } = flow

/** As if what waits had done so for an hour. */
async function waitedLong(): Promise<void> {
  await database.owner.query(sql`update payout_wait set since = now() - interval '1 hour'`)
}

const usdt = (netMinor: bigint) => ({ asset: 'ethereum/USDT', contract: flow.usdt, netMinor })

it('E22 A4 what the lanes lack waits and alerts; what they hold enough for passes it, and other assets go on', async () => {
  await flow.setTokens(10n, 0n)
  const machine = await flow.machine()
  const large = await flow.pay(usdt(50n))
  const small = await flow.pay(usdt(1n))
  const coin = await flow.pay({ netMinor: 3n })
  await machine.finish()
  expect((await flow.wish(large.id)).moves).toEqual([])
  for (const { id } of [small, coin]) expect((await flow.wish(id)).isSuccess).toBe(true)
  expect(flow.alerts).toEqual([])
  await waitedLong()
  await machine.settle()
  expect(flow.alerts).toEqual(['payouts-wait'])
  expect((await readPayoutFigures(database.db)).waits).toMatchObject([{ cause: 'funds:ethereum/USDT' }])
  await flow.setTokens(60n, 0n)
  await machine.finish()
  expect((await flow.wish(large.id)).isSuccess).toBe(true)
  expect((await readPayoutFigures(database.db)).waits).toEqual([])
})

it('moves a token between lanes where no lane alone holds what is to be paid', async () => {
  await flow.setTokens(60n, 50n)
  const machine = await flow.machine()
  const payment = await flow.pay(usdt(100n))
  await machine.settle()
  const coming = async () => await readComing(database.db, 'ethereum', Number.MAX_SAFE_INTEGER)
  expect(await coming()).toEqual(new Map([['0 ethereum/USDT', 40n]]))
  await machine.finish()
  await machine.finish()
  expect(await coming()).toEqual(new Map())
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
  expect(await flow.held(payment.address, flow.usdt)).toBe(100n)
  const moved = await database.db.query(sql`select spent_minor from payout where kind = 'rebalance'`)
  expect(moved).toEqual([{ spent_minor: '40' }])
})

it('E24 is paid once however many propose it', async () => {
  const again = { ...wishes, kinds: [] }
  const machine = await flow.machine({ purposes: [wishes, again] })
  const payment = await flow.pay({ netMinor: 11n })
  await addWish(database.db, {
    id: '00000000-0000-7000-8000-000000000001',
    intent: { kind: 'deploy' },
    spends: undefined,
  })
  await machine.finish()
  expect(await flow.held(payment.address)).toBe(11n)
  const attempts = await database.db.query(
    sql`select tx_hash from payout_attempt where payout_id = ${payment.id}`,
  )
  expect(attempts).toHaveLength(1)
})

it("never pays gas from merchants' money: without the operator's own it waits and alerts", async () => {
  const move = async (minor: bigint) => {
    await database.owner.query(sql`
      update ledger_account set credits = credits + ${minor.toString()}
      where name = 'capital' and asset = 'ethereum/ETH'`)
  }
  const all = 200n * 10n ** 18n
  await move(-all)
  const machine = await flow.machine()
  const payment = await flow.pay()
  await machine.settle()
  expect((await flow.wish(payment.id)).moves).toEqual([])
  expect((await readPayoutFigures(database.db)).waits).toMatchObject([{ cause: 'capital' }])
  await move(all)
  await machine.finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
})

describe('E17 what was never approved', () => {
  it('is refused by the signer, halts everything, and keeps no nonce; an operator decides', async () => {
    const machine = await flow.machine()
    const before = await flow.pay()
    const tampered = await flow.pay()
    const intent = (await database.db.query<{ intent: string }>(
      sql`select intent from wish where id = ${tampered.id}`,
    )) as [{ intent: string }]
    const other = intent[0].intent.replace(tampered.address, anvil.accounts[5] ?? '')
    await database.owner.query(sql`update wish set intent = ${other} where id = ${tampered.id}`)
    const behind = [await flow.pay(), await flow.pay(), await flow.pay()]
    await machine.finish()
    for (const { id } of [before, ...behind]) expect((await flow.wish(id)).isSuccess).toBe(true)
    expect((await flow.wish(tampered.id)).moves).toEqual(['planned'])
    expect(flow.alerts).toEqual(['signer-refused', 'payouts-halted'])
    const figures = await readPayoutFigures(database.db)
    expect(figures.halts).toMatchObject([{ cause: 'tampering' }])
    expect(figures.refused).toMatchObject([{ payoutId: tampered.id, code: 'not-approved' }])
    const later = await flow.pay()
    await machine.settle()
    expect((await flow.wish(later.id)).moves).toEqual([])
    await inTransaction(database.db, async (tx) => {
      expect(await dropRefused(tx, [wishes], tampered.id, { reason: 'it was tampered with' })).toBe(true)
    })
    expect(await resumeHalts(database.db, flow.signer.keys, 'tampering')).toBe(true)
    await machine.finish()
    expect((await flow.wish(tampered.id)).moves).toEqual(['planned', 'refused'])
    expect((await flow.wish(later.id)).isSuccess).toBe(true)
    expect((await readPayoutFigures(database.db)).halts).toEqual([])
  })
})

it('halts where a lane sent what neither the database nor the log knows', async () => {
  const [, lane = ''] = flow.signer.keys.lanes
  const nonce = Number(await anvil.rpc('eth_getTransactionCount', [lane, 'latest']))
  await anvil.rpc('anvil_setNonce', [lane, quantity(nonce + 1)])
  await flow.mine()
  const machine = await flow.machine({ inFlightMax: 2 })
  const payments = [await flow.pay(), await flow.pay()]
  await machine.settle()
  for (const { id } of payments) expect((await flow.wish(id)).moves).toEqual([])
  expect((await readPayoutFigures(database.db)).halts).toMatchObject([{ cause: 'chain-ahead' }])
  await anvil.rpc('anvil_setNonce', [lane, quantity(nonce)])
  await flow.mine()
  await resumeHalts(database.db, flow.signer.keys, 'chain-ahead')
  await machine.finish(16)
  for (const { id } of payments) expect((await flow.wish(id)).isSuccess).toBe(true)
})

it('halts where the signer that answers has other keys, and signs nothing', async () => {
  const other = await openTestSigner({ lanes: 2 })
  try {
    const machine = await flow.machine({ signer: other.signer })
    const payment = await flow.pay()
    await machine.settle()
    expect((await flow.wish(payment.id)).moves).toEqual([])
    expect((await readPayoutFigures(database.db)).halts).toMatchObject([{ cause: 'xpub-foreign' }])
    expect((await other.signer.attest()).logEntries).toBe(0)
  } finally {
    await other.close()
    await resumeHalts(database.db, flow.signer.keys, 'xpub-foreign')
  }
})

it('plans nothing while our blocks are behind the chain', async () => {
  const machine = await flow.machine()
  await database.owner.query(sql`update chain_cursor set seen_at = now() - interval '1 hour'`)
  const payment = await flow.pay()
  await machine.settle()
  expect((await flow.wish(payment.id)).moves).toEqual([])
  expect((await readPayoutFigures(database.db)).waits).toMatchObject([{ cause: 'chain-stale' }])
  await machine.finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
})

it('plans nothing while nobody checks the books, and says for how long', async () => {
  const machine = await flow.machine()
  await database.owner.query(
    sql`update books_check set checked_at = now() - interval '1 hour', due_at = now() - interval '1 minute'`,
  )
  const payment = await flow.pay()
  await machine.settle()
  expect((await flow.wish(payment.id)).moves).toEqual([])
  const { waits } = await readPayoutFigures(database.db)
  expect(waits).toMatchObject([{ cause: 'books-unchecked', detail: expect.stringContaining(' 3600 s ago') }])
  await waitedLong()
  await machine.settle()
  expect(flow.alerts).toEqual(['payouts-wait'])
  await saveBooksCheck(database.db, 60_000)
  await machine.finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
})

it('gives no coin to gas that is ordered to be taken out while it plans', async () => {
  const { free } = await flow.shop.row<{ free: string }>(
    sql`select credits - debits as free from ledger_account where name = 'capital' and asset = 'ethereum/ETH'`,
  )
  let ordered = false
  const purpose: PayoutPurpose = {
    ...wishes,
    moved: async (tx, moves) => {
      await wishes.moved(tx, moves)
      if (ordered) return
      ordered = true
      await inTransaction(database.db, async (other) => {
        await lockOwnMoney(other, 'ethereum/ETH')
        const order = { id: newId(), network: 'ethereum', asset: 'ethereum/ETH', paymentMethodId: 3 }
        await insertTakeOut(other, { ...order, source: 'capital', amountMinor: BigInt(free) })
      })
    },
  }
  const machine = await flow.machine({ purposes: [purpose] })
  const payment = await flow.pay()
  // The first round finds the coin gone and takes its plan back; the next one sees it beforehand.
  expect(await machine.round()).toBe(0)
  expect(ordered).toBe(true)
  await machine.settle()
  expect((await flow.wish(payment.id)).moves).toEqual([])
  expect((await readPayoutFigures(database.db)).waits).toMatchObject([{ cause: 'capital' }])
  await database.owner.query(sql`delete from take_out`)
  await machine.finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
})

it.each([
  ['a lane', () => flow.signer.keys.lanes[1] ?? ''],
  ['the contract that sweeps', () => spendCodecs.evm.delegateOf(flow.signer.keys.lanes)],
  [
    'an address that customers pay on',
    async () => {
      await flow.shop.poolOf('ethereum').refill()
      return (await flow.shop.row<{ address: string }>(sql`select address from address limit 1`)).address
    },
  ],
])('halts where money would be taken out to %s of our own', async (_, own) => {
  const coldAddress = (await own()).toLowerCase()
  const machine = await flow.machine({ coldAddress })
  const payment = await flow.pay()
  await machine.settle()
  expect((await flow.wish(payment.id)).moves).toEqual([])
  const { halts } = await readPayoutFigures(database.db)
  expect(halts).toMatchObject([{ cause: 'cold-address', detail: expect.stringContaining(coldAddress) }])
  await flow.endLeases()
  await resumeHalts(database.db, flow.signer.keys, 'cold-address')
  await (await flow.machine({ coldAddress: `0x${'c0'.repeat(20)}` })).finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
})

it('has its lanes where the signer derives them', async () => {
  const machine = await flow.machine()
  await machine.settle()
  const own = ownPlaces(machine.parts, machine.memory)
  expect([0, 1].map((lane) => addressAt(own, { type: 'lane', lane }))).toEqual(flow.signer.keys.lanes)
  const place = { type: 'deposit', branch: 3, index: 4 } as const
  expect(addressAt(own, place)).toBe(flow.signer.keys.walletAt(place)?.address)
})

it('plans what was refused not anew while its purpose holds it back', async () => {
  let held = true
  const purpose = {
    ...wishes,
    heldBack: async (_: unknown, refused: readonly { id: string }[]) =>
      new Set(held ? refused.map(({ id }) => id) : []),
  }
  const machine = await flow.machine({ purposes: [purpose] })
  const payment = await flow.pay()
  await database.owner.query(sql`update wish set moves = '{planned}' where id = ${payment.id}`)
  await database.owner.query(sql`
    insert into payout_refusal (payout_id, network, kind, intent, spent_asset, spent_minor, code, detail, retry_at)
    select id, 'ethereum', 'withdrawal', intent, ${payment.asset}, ${`${payment.netMinor}`}, 'over-limit', 'a test', now()
    from wish where id = ${payment.id}`)
  await machine.finish()
  expect((await flow.wish(payment.id)).moves).toEqual(['planned'])
  held = false
  await machine.finish()
  expect((await flow.wish(payment.id)).isSuccess).toBe(true)
})
