/** Tests what operators can do with unattributed deposits, and with the operator's own money. */
import { decodeJwt } from 'jose'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { makeOperator } from '../support/appoint.ts'
import { balancesIn, expectSoundBooks, owe } from '../support/books.ts'
import { cursorRecords } from '../support/chains/records.ts'
import { useDatabase } from '../support/database.ts'
import { hotWallet, openHotWallet, payHotWallet } from '../support/hot-wallet.ts'
import { countLockWaiters } from '../support/lock-waiters.ts'
import { treasuryWithdrawalRecords } from '../support/outgoing/records.ts'
import { auditRecords } from '../support/people/records.ts'
import { useShopApi } from './shop-api.ts'

const database = useDatabase()
const cold = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const api = useShopApi(database, { environment: { COLD_ADDRESS_ETHEREUM: cold } })

let operator = { token: '', accountId: '' }
beforeAll(async () => {
  const { token, email } = await api.register()
  const accountId = String(decodeJwt(token).sub)
  await makeOperator(database.db, email)
  await openHotWallet(api.shop)
  operator = { token, accountId }
})
afterEach(() => expectSoundBooks(api.shop))

const call = (method: string, path: string, json?: unknown) =>
  api.call(method, `/operator/${path}`, { token: operator.token, ...(json !== undefined && { json }) })

const fundHotWallet = (amountMinor: bigint, methodId?: number) =>
  payHotWallet(api.shop, api.blocks, amountMinor, methodId)

async function figuresOf(symbol: string) {
  const { body } = await call('GET', 'treasury')
  return body.assets.find((one: { symbol: string }) => one.symbol === symbol)
}

async function auditOf(action: string, subject: string): Promise<readonly object[]> {
  return auditRecords.all(database.owner, { action, subject }, 'accountId', 'merchantId', 'details')
}

describe('the operator’s treasury', () => {
  it.each([
    ['GET', 'treasury'],
    ['GET', 'unattributed'],
    ['POST', `unattributed/${newId()}/assign`],
    ['POST', 'treasury-withdrawals'],
    ['GET', 'treasury-withdrawals'],
    ['POST', 'write-offs'],
    ['GET', 'debts'],
    ['GET', 'nodes'],
  ])('is closed to everybody but operators: %s %s', async (method, path) => {
    const { token, key } = await api.openSeller()
    const statusFor = async (options: object) => (await api.call(method, `/operator/${path}`, options)).status
    expect([await statusFor({}), await statusFor({ key }), await statusFor({ token })]).toEqual([
      401, 403, 403,
    ])
  })

  it('shows the addresses of treasury withdrawals', async () => {
    expect(await figuresOf('USDT')).toMatchObject({ network: 'ethereum', coldAddress: cold })
  })

  it('shows how far each chain is followed', async () => {
    const { status, body } = await call('GET', 'nodes')
    expect(status).toBe(200)
    expect(body.nodes).toMatchObject([{ network: 'ethereum', ready: true, lagBlocks: 0, failure: null }])
  })
})

describe('unattributed money', () => {
  it('is listed until it is attributed, and is credited once to a merchant, less its fee', async () => {
    const seller = await api.openSeller()
    const id = await fundHotWallet(10_000_000n)
    const listed = (await call('GET', 'unattributed')).body
    expect(listed.data[0]).toMatchObject({
      id,
      amount: '10',
      symbol: 'USDT',
      state: 'confirmed',
      merchantID: null,
      merchantName: null,
    })
    const input = { owner: 'merchant', merchantID: seller.merchantId }
    const said = await call('POST', `unattributed/${id}/assign`, input)
    expect(said.status).toBe(200)
    expect((await call('POST', `unattributed/${id}/assign`, input)).status).toBe(200)
    expect(await balancesIn(api.shop, seller.merchantId)).toMatchObject({ available: 9_800_000n })
    expect((await call('GET', 'unattributed')).body.total).toBe(listed.total - 1)
    const refused = await call('POST', `unattributed/${id}/assign`, { owner: 'capital' })
    expect([refused.status, refused.body.code]).toEqual([409, 'already-attributed'])
    expect(await auditOf('treasury.attributed', id)).toEqual([
      { accountId: operator.accountId, merchantId: seller.merchantId, details: { to: 'merchant' } },
    ])
  })

  it('attributed to a merchant is reversed with its block, and credited again with the transaction', async () => {
    const seller = await api.openSeller()
    const transfer = api.blocks.pay(hotWallet, 10_000_000n)
    await api.blocks.mine([transfer])
    await api.blocks.mine()
    const id = await api.blocks.idOf(transfer)
    await call('POST', `unattributed/${id}/assign`, { owner: 'merchant', merchantID: seller.merchantId })
    await seller.call('POST', '/withdrawals', { json: { address: cold, amount: '5', paymentMethodID: 1 } })
    await api.blocks.undo(2)
    expect(await balancesIn(api.shop, seller.merchantId)).toEqual({ available: 0n, held: 0n, receivable: 0n })
    await expectSoundBooks(api.shop)
    await api.blocks.mine([transfer])
    await api.blocks.mine()
    expect(await balancesIn(api.shop, seller.merchantId)).toMatchObject({ available: 9_800_000n })
  })

  it('whose sender failed screening is attributed only with a reason, which is recorded', async () => {
    const seller = await api.openSeller()
    const transfer = api.blocks.pay(hotWallet, 10_000_000n)
    await api.blocks.mine([{ ...transfer, verdict: 'listed' }])
    await api.blocks.mine()
    const id = await api.blocks.idOf(transfer)
    expect((await call('GET', 'unattributed')).body.data[0]).toMatchObject({ id, amlOk: false })
    const input = { owner: 'merchant', merchantID: seller.merchantId }
    for (const refusedInput of [input, { owner: 'capital' }]) {
      const { status, body } = await call('POST', `unattributed/${id}/assign`, refusedInput)
      expect([status, body.errors?.[0]?.pointer]).toEqual([400, '/reason'])
    }
    expect(await balancesIn(api.shop, seller.merchantId)).toMatchObject({ available: 0n })
    const said = await call('POST', `unattributed/${id}/assign`, { ...input, reason: 'a namesake' })
    expect(said.status).toBe(200)
    expect(await balancesIn(api.shop, seller.merchantId)).toMatchObject({ available: 9_800_000n })
    expect(await auditOf('treasury.attributed', id)).toMatchObject([
      { details: { to: 'merchant', verdict: 'listed', reason: 'a namesake' } },
    ])
  })

  it('attributed to a merchant that is deleted before the confirmation belongs to it once it is restored', async () => {
    const seller = await api.openSeller()
    const transfer = api.blocks.pay(hotWallet, 10_000_000n)
    await api.blocks.mine([transfer])
    const id = await api.blocks.idOf(transfer)
    const input = { owner: 'merchant', merchantID: seller.merchantId }
    expect((await call('POST', `unattributed/${id}/assign`, input)).status).toBe(200)
    await api.call('DELETE', `/merchants/${seller.merchantId}`, { token: seller.token })
    await api.blocks.mine()
    expect(await balancesIn(api.shop, seller.merchantId)).toMatchObject({ available: 0n })
    expect((await call('POST', `merchants/${seller.merchantId}/restore`)).status).toBe(200)
    expect(await balancesIn(api.shop, seller.merchantId)).toMatchObject({ available: 9_800_000n })
    await call('POST', `unattributed/${id}/assign`, input)
    expect(await balancesIn(api.shop, seller.merchantId)).toMatchObject({ available: 9_800_000n })
  })

  it('declared as capital before it is confirmed becomes capital at the confirmation', async () => {
    const transfer = api.blocks.pay(hotWallet, 3_000_000n)
    await api.blocks.mine([transfer])
    const id = await api.blocks.idOf(transfer)
    const before = (await figuresOf('USDT')).own.capital
    const said = await call('POST', `unattributed/${id}/assign`, { owner: 'capital' })
    expect(said.body).toMatchObject({ state: 'pending' })
    expect((await figuresOf('USDT')).own.capital).toBe(before)
    await api.blocks.mine()
    expect(Number((await figuresOf('USDT')).own.capital)).toBe(Number(before) + 3)
  })

  it.each([
    [{ owner: 'merchant' }, '/merchantID'],
    [{ owner: 'capital', merchantID: newId() }, '/merchantID'],
    [{ owner: 'merchant', merchantID: newId() }, '/merchantID'],
    [{ owner: 'me' }, '/owner'],
  ])('refuses %j', async (json, pointer) => {
    const id = await fundHotWallet(1_000_000n)
    const { status, body } = await call('POST', `unattributed/${id}/assign`, json)
    expect([status, body.errors?.[0]?.pointer]).toEqual([400, pointer])
  })

  it('does not include a merchant’s own payment', async () => {
    const seller = await api.openSeller()
    const { body } = await api.addressOf(await seller.createInvoice())
    const transfer = api.blocks.pay(body.address.toLowerCase(), 10_000_000n)
    await api.blocks.mine([transfer])
    await api.blocks.mine()
    const id = await api.blocks.idOf(transfer)
    expect((await call('POST', `unattributed/${id}/assign`, { owner: 'capital' })).status).toBe(404)
    expect((await call('POST', `unattributed/${newId()}/assign`, { owner: 'capital' })).status).toBe(404)
  })

  it('that arrived while its merchant was deleted belongs to the merchant once it is restored', async () => {
    const seller = await api.openSeller()
    const { body } = await api.addressOf(await seller.createInvoice())
    await api.call('DELETE', `/merchants/${seller.merchantId}`, { token: seller.token })
    await api.blocks.mine([api.blocks.pay(body.address.toLowerCase(), 10_000_000n)])
    await api.blocks.mine()
    const listed = (await call('GET', 'unattributed')).body
    expect(listed.data[0]).toMatchObject({ merchantID: seller.merchantId, amount: '10' })
    expect((await call('POST', `merchants/${seller.merchantId}/restore`)).status).toBe(200)
    expect(await balancesIn(api.shop, seller.merchantId)).toMatchObject({ available: 9_800_000n })
    expect((await call('GET', 'unattributed')).body.total).toBe(listed.total - 1)
    await api.blocks.undo(2)
    expect(await balancesIn(api.shop, seller.merchantId)).toMatchObject({ available: 0n })
  })
})

describe('the operator’s own money', () => {
  // Deposits in blocks that are not final cannot be spent.
  beforeAll(() => cursorRecords.change(database.owner, {}, { finalHeight: 1_000_000 }))

  it('is withdrawn only as far as it is free, and an ordered amount is reserved', async () => {
    const id = await fundHotWallet(100_000_000n, 2)
    await call('POST', `unattributed/${id}/assign`, { owner: 'capital' })
    const order = (amount: string) =>
      call('POST', 'treasury-withdrawals', { paymentMethodID: 2, source: 'capital', amount })
    const first = await order('60')
    expect(first.status).toBe(201)
    expect(first.body).toMatchObject({ symbol: 'USDC', source: 'capital', amount: '60', state: 'pending' })
    const second = await order('40.000001')
    expect([second.status, second.body.code]).toEqual([422, 'insufficient-balance'])
    expect(second.body.detail).toContain('at most 40 USDC')
    expect((await figuresOf('USDC')).own.takeable.capital).toBe('40')
    expect((await call('GET', 'treasury-withdrawals')).body).toMatchObject({
      total: 1,
      data: [{ id: first.body.id }],
    })
    expect(await auditOf('treasury.withdrawal_ordered', first.body.id)).toMatchObject([
      { accountId: operator.accountId, details: { source: 'capital', amountMinor: '60000000' } },
    ])
  })

  it('is not withdrawn twice by orders at once', async () => {
    const id = await fundHotWallet(10n ** 18n, 3)
    await call('POST', `unattributed/${id}/assign`, { owner: 'capital' })
    // While this lock is held, an order can read the available amount but cannot be stored. If orders did not
    // take turns, all four would therefore read the same amount. Orders that take turns wait before they
    // read.
    const ordered = await inTransaction(database.owner, async (tx) => {
      await treasuryWithdrawalRecords.lockAll(tx, 'share')
      const orders = Array.from({ length: 4 }, () =>
        call('POST', 'treasury-withdrawals', { paymentMethodID: 3, source: 'capital', amount: '0.6' }),
      )
      await expect.poll(() => countLockWaiters(database.db), { timeout: 20_000 }).toBe(orders.length)
      return { answers: Promise.all(orders) }
    })
    expect((await ordered.answers).map(({ status }) => status).sort()).toEqual([201, 422, 422, 422])
  })

  it.each([
    [{ paymentMethodID: 99, source: 'fees', amount: '1' }, '/paymentMethodID'],
    [{ paymentMethodID: 1, source: 'fees', amount: '0' }, '/amount'],
    [{ paymentMethodID: 1, source: 'fees', amount: '0.0000001' }, '/amount'],
    [{ paymentMethodID: 1, source: 'held', amount: '1' }, '/source'],
  ])('refuses to withdraw by %j', async (json, pointer) => {
    const { status, body } = await call('POST', 'treasury-withdrawals', json)
    expect([status, body.errors?.[0]?.pointer]).toEqual([400, pointer])
  })

  it('covers what a merchant owes, as far as it suffices', async () => {
    const seller = await api.openSeller()
    await owe(api.shop, seller.merchantId, 'ethereum/USDC', 5_000_000n)
    const input = { merchantID: seller.merchantId, paymentMethodID: 2, amount: '5' }
    const before = await figuresOf('USDC')
    const done = await call('POST', 'write-offs', input)
    expect(done.body).toMatchObject({ amount: '5', symbol: 'USDC' })
    expect(await balancesIn(api.shop, seller.merchantId, 'ethereum/USDC')).toMatchObject({ receivable: 0n })
    const after = await figuresOf('USDC')
    expect(Number(after.own.capital)).toBe(Number(before.own.capital) - 5)
    expect(after.own.free).toBe(before.own.free)
    const again = await call('POST', 'write-offs', input)
    expect([again.status, again.body.code]).toEqual([409, 'nothing-owed'])
    await owe(api.shop, seller.merchantId, 'ethereum/USDC', 500_000_000n)
    const tooMuch = await call('POST', 'write-offs', { ...input, amount: '500' })
    expect([tooMuch.status, tooMuch.body.code]).toEqual([422, 'insufficient-balance'])
  })

  it('covers a listed debt, and nothing if the debt has grown since', async () => {
    const seller = await api.openSeller()
    await owe(api.shop, seller.merchantId, 'ethereum/USDC', 2_500_000n)
    const { status, body } = await call('GET', 'debts')
    expect(status).toBe(200)
    const listed = body.data.find(
      ({ merchantID }: { merchantID: string }) => merchantID === seller.merchantId,
    )
    expect(listed).toEqual({
      merchantID: seller.merchantId,
      merchantName: 'Shop',
      since: expect.stringMatching(/Z$/),
      paymentMethodID: 2,
      symbol: 'USDC',
      network: 'ethereum',
      amount: '2.5',
    })
    await owe(api.shop, seller.merchantId, 'ethereum/USDC', 1n)
    const { merchantID, paymentMethodID, amount } = listed
    const shown = { merchantID, paymentMethodID, amount }
    const grown = await call('POST', 'write-offs', shown)
    expect([grown.status, grown.body.code]).toEqual([409, 'owes-more'])
    expect(grown.body.detail).toContain('2.500001 USDC')
    expect(await balancesIn(api.shop, seller.merchantId, 'ethereum/USDC')).toMatchObject({
      receivable: 2_500_001n,
    })
    const done = await call('POST', 'write-offs', { ...shown, amount: '3' })
    expect([done.status, done.body.amount]).toEqual([201, '2.500001'])
    const { total } = (await call('GET', 'debts')).body
    expect(total).toBe(body.total - 1)
  })

  it.each([
    [{ paymentMethodID: 2, amount: '1' }, '/merchantID'],
    [{ merchantID: newId(), paymentMethodID: 2 }, '/amount'],
    [{ merchantID: newId(), paymentMethodID: 2, amount: '0.0000001' }, '/amount'],
    [{ merchantID: newId(), paymentMethodID: 99, amount: '1' }, '/paymentMethodID'],
  ])('refuses to cover by %j', async (json, pointer) => {
    const { status, body } = await call('POST', 'write-offs', json)
    expect([status, body.errors?.[0]?.pointer]).toEqual([400, pointer])
  })
})
