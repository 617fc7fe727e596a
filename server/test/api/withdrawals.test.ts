import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import { newId } from '../../src/core/ids.ts'
import { setSchedule } from '../../src/pricing/fees/set-schedule.ts'
import { makeMember } from '../support/appoint.ts'
import { balancesIn, expectSoundBooks } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { eventsTo } from '../support/emitted-events.ts'
import { hotWalletRecords, withdrawalRecords } from '../support/outgoing/records.ts'
import { addressRecords } from '../support/payments/records.ts'
import { auditRecords } from '../support/people/records.ts'
import { containing } from '../support/records/values.ts'
import { type Seller, type ShopApi, startShopApi, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
const outside = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const order = (over = {}) => ({ json: { address: outside, amount: '10', paymentMethodID: 1, ...over } })

const usdtOf = async (seller: Seller) => (await seller.call('GET', '/funds')).body[0].balance

async function made(seller: Seller, over = {}) {
  const answer = await seller.call('POST', '/withdrawals', order(over))
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

describe('POST withdrawals', () => {
  it('holds the amount and answers the record, to key and token alike', async () => {
    const seller = await api.openFunded()
    const { status, body } = await seller.call(
      'POST',
      '/withdrawals',
      order({ address: outside.toLowerCase() }),
    )
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        address: outside,
        amount: '10',
        paymentMethodID: 1,
        state: 'pending',
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        txHash: null,
        stage: 'queued',
        waitsFor: null,
        reason: null,
        explanation: null,
        fee: '0.2',
        net: '9.8',
        networkCost: null,
        invoiceID: null,
      },
    })
    expect(await usdtOf(seller)).toBe('88.9')
    const path = `/merchants/${seller.merchantId}/withdrawals`
    expect((await api.call('POST', path, { token: seller.token, ...order({ amount: '88.9' }) })).status).toBe(
      201,
    )
    expect(await usdtOf(seller)).toBe('0')
    await expectSoundBooks(api.shop)
  })

  it('audits who asked for what', async () => {
    const seller = await api.openFunded()
    const { id } = await made(seller)
    const entry = await auditRecords.one(api.shop.db, { subject: id }, 'action', 'accountId', 'details')
    expect(entry).toEqual({
      action: 'withdrawal.requested',
      accountId: null,
      details: {
        amount: '10',
        fee: '0.2',
        currency: 'USDT',
        address: outside.toLowerCase(),
        invoiceID: null,
      },
    })
  })

  it.each([
    ['nothing', {}, ['/address', '/amount', '/paymentMethodID']],
    ['an unknown field', { ...order().json, txHash: '0x' }, ['/txHash']],
    ['a number as amount', { ...order().json, amount: 10 }, ['/amount']],
    ['an amount of 0', { ...order().json, amount: '0.00' }, ['/amount']],
    ['a negative amount', { ...order().json, amount: '-1' }, ['/amount']],
    ['more places than the asset has', { ...order().json, amount: '1.0000001' }, ['/amount']],
    [
      'more places than are shown',
      { ...order().json, amount: '1.000000001', paymentMethodID: 3 },
      ['/amount'],
    ],
    ['an unknown method', { ...order().json, paymentMethodID: 99 }, ['/paymentMethodID']],
    ['an empty address', { ...order().json, address: '' }, ['/address']],
    ['an endless address', { ...order().json, address: 'x'.repeat(201) }, ['/address']],
  ])('refuses %s with 400 naming the field', async (_, json, pointers) => {
    const seller = await api.openSeller()
    const { status, body } = await seller.call('POST', '/withdrawals', { json })
    expect(status).toBe(400)
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers)
  })

  describe('E14 refuses as a destination, with the reason,', () => {
    const contract = `0x${'11'.repeat(20)}`
    it.each([
      ['an address of another network', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'not a valid Ethereum'],
      ['a wrong checksum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed', 'checksum'],
      ['the zero address', `0x${'0'.repeat(40)}`, 'zero address'],
      ['the contract of a token', contract, 'contract of a token'],
    ])('%s', async (_, address, why) => {
      const seller = await api.openFunded()
      const { status, body } = await seller.call('POST', '/withdrawals', order({ address }))
      expect([status, body.code]).toEqual([422, 'invalid-address'])
      expect(body.detail).toContain(why)
      expect(await balancesIn(api.shop, seller.merchantId)).toMatchObject({ held: 0n })
    })

    it('an address of our own, assigned or free, or of a hot wallet, in any form', async () => {
      const seller = await api.openFunded()
      const hot = `0x${'ab'.repeat(20)}`
      await hotWalletRecords.add(database.db, { network: 'ethereum', index: 0, address: hot })
      const others = await api.openSeller()
      const { address: assigned } = await api.shop.addressFor(await others.createInvoice())
      const { address: free } = await addressRecords.one(api.shop.db, { assignedAt: null }, 'address')
      const encodings = [assigned, free, hot].flatMap((address) => {
        const canonical = address.toLowerCase()
        return [canonical, evmAddresses.display(canonical), `0x${canonical.slice(2).toUpperCase()}`]
      })
      for (const address of encodings) {
        const { status, body } = await seller.call('POST', '/withdrawals', order({ address }))
        expect([status, body.code]).toEqual([422, 'invalid-address'])
        expect(body.detail).toContain('belongs to this server')
      }
    })
  })

  describe('E26 an address that begins and ends like one that was paid before', () => {
    const lookalike = `${outside.slice(0, 6)}${'0'.repeat(32)}${outside.slice(-4)}`.toLowerCase()
    const audited = (id: string) =>
      auditRecords.all(database.db, { subject: id, action: containing('lookalike') }, 'action', 'details')

    it('is refused until the merchant confirms it, and both are audited', async () => {
      const seller = await api.openFunded()
      await made(seller)
      const { status, body } = await seller.call('POST', '/withdrawals', order({ address: lookalike }))
      expect([status, body.code]).toEqual([422, 'lookalike-address'])
      expect(body.detail).toContain(outside)
      expect(body.detail).toContain('"confirmLookalike": true')
      expect(await usdtOf(seller)).toBe('88.9')
      const entry = await auditRecords.one(
        api.shop.db,
        { merchantId: seller.merchantId, action: 'withdrawal.lookalike_refused' },
        'action',
        'details',
      )
      expect(entry).toEqual({
        action: 'withdrawal.lookalike_refused',
        details: { address: lookalike, looksLike: outside.toLowerCase() },
      })
      const { id } = await made(seller, { address: lookalike, confirmLookalike: true })
      expect(await audited(id)).toEqual([
        {
          action: 'withdrawal.lookalike_confirmed',
          details: { address: lookalike, looksLike: outside.toLowerCase() },
        },
      ])
    })

    it('is confirmed once: an earlier destination is known, and one of a cancelled withdrawal is not', async () => {
      const seller = await api.openFunded()
      await made(seller)
      const { id } = await made(seller, { address: lookalike, confirmLookalike: true })
      await made(seller, { address: lookalike })
      await made(seller)
      const other = await api.openFunded()
      await made(other, { address: lookalike })
      const third = await api.openFunded()
      const first = await made(third)
      await third.call('DELETE', `/withdrawals/${first.id}`)
      await made(third, { address: lookalike })
      expect(await audited(id)).toHaveLength(1)
    })
  })

  it('E28 orders one withdrawal if a request is repeated under the same key after a lost answer', async () => {
    const seller = await api.openFunded()
    const headers = { 'idempotency-key': newId() }
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => seller.call('POST', '/withdrawals', { ...order(), headers })),
    )
    answers.push(await seller.call('POST', '/withdrawals', { ...order(), headers }))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect((await seller.call('GET', '/withdrawals')).body.total).toBe(1)
    expect(await usdtOf(seller)).toBe('88.9')
  })

  it('E13 refuses an amount below the minimum, below the fee or above the balance, and holds nothing', async () => {
    const seller = await api.openFunded()
    const problemOf = async (over: object) => {
      const { status, body } = await seller.call('POST', '/withdrawals', order(over))
      return [status, body.code, body.detail]
    }
    expect(await problemOf({ amount: '0.999999' })).toEqual([
      422,
      'below-minimum',
      expect.stringContaining('1 USDT'),
    ])
    expect(await problemOf({ amount: '98.900001' })).toEqual([
      422,
      'insufficient-balance',
      'Insufficient balance: 98.9 USDT available, 98.900001 USDT required.',
    ])
    expect(await problemOf({ amount: '1', paymentMethodID: 2 })).toEqual([
      422,
      'insufficient-balance',
      'Insufficient balance: 0 USDC available, 1 USDC required.',
    ])
    const flat = { percent: '0', flat: '5', currency: undefined }
    const target = { type: 'withdrawal', merchantId: seller.merchantId, paymentMethodId: 1 } as const
    await setSchedule(api.shop, undefined, { ...target, ...flat })
    expect(await problemOf({ amount: '5' })).toEqual([422, 'fee-exceeds-amount', expect.any(String)])
    expect((await made(seller, { amount: '5.000001' })).net).toBe('0.000001')
    expect(await balancesIn(api.shop, seller.merchantId)).toMatchObject({ held: 5_000_001n })
    expect((await seller.call('GET', '/withdrawals')).body.total).toBe(1)
    await expectSoundBooks(api.shop)
  })

  it('refuses a viewer, and a key of another merchant', async () => {
    const seller = await api.openFunded()
    const viewer = await api.register()
    await makeMember(database.db, { email: viewer.email, merchantId: seller.merchantId, role: 'viewer' })
    const path = `/merchants/${seller.merchantId}/withdrawals`
    const other = await api.openSeller()
    for (const credential of [{ token: viewer.token }, { key: other.key }]) {
      expect((await api.call('POST', path, { ...credential, ...order() })).status).toBe(403)
    }
    expect((await api.call('GET', path, { token: viewer.token })).status).toBe(200)
    expect(await usdtOf(seller)).toBe('98.9')
  })
})

describe('with two servers on one database', () => {
  let second: ShopApi
  beforeAll(async () => {
    second = await startShopApi(database, { isFollowed: false })
  })
  afterAll(() => second.close())

  it('D01 accepts exactly one of 100 parallel withdrawals of the full balance', async () => {
    const seller = await api.openFunded()
    const path = `/merchants/${seller.merchantId}/withdrawals`
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (index % 2 === 0 ? api : second).call('POST', path, {
          key: seller.key,
          ...order({ amount: '98.9' }),
        }),
      ),
    )
    const codes = answers.map(({ status, body }) => (status === 201 ? 201 : body.code)).sort()
    expect(codes).toEqual([201, ...Array(99).fill('insufficient-balance')])
    expect(await usdtOf(seller)).toBe('0')
    expect(await balancesIn(api.shop, seller.merchantId)).toMatchObject({ held: 98_900_000n })
    await expectSoundBooks(api.shop)
  })

  it('returns the money once if a withdrawal is cancelled on both at once', async () => {
    const seller = await api.openFunded()
    const { id } = await made(seller)
    const path = `/merchants/${seller.merchantId}/withdrawals/${id}`
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? api : second).call('DELETE', path, { key: seller.key }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(204))
    expect(await usdtOf(seller)).toBe('98.9')
    await expectSoundBooks(api.shop)
  })
})

describe('GET withdrawals', () => {
  it('lists only pending withdrawals under /pending, newest first, and all withdrawals by pages', async () => {
    const seller = await api.openFunded()
    expect(await seller.call('GET', '/withdrawals/pending')).toMatchObject({ status: 200, body: [] })
    const first = await made(seller, { amount: '2' })
    const second = await made(seller, { amount: '3' })
    const third = await made(seller, { amount: '1' })
    await seller.call('DELETE', `/withdrawals/${second.id}`)
    expect((await seller.call('GET', '/withdrawals/pending')).body).toEqual([third, first])
    const idsBy = async (query: string) => {
      const { data, total } = (await seller.call('GET', `/withdrawals?${query}`)).body
      return [total, ...data.map(({ id }: { id: string }) => id)]
    }
    expect(await idsBy('')).toEqual([3, third.id, second.id, first.id])
    expect(await idsBy('orderBy=amount&order=asc')).toEqual([3, third.id, first.id, second.id])
    expect(await idsBy('limit=1&page=2')).toEqual([3, second.id])
    expect(await idsBy('states[]=cancelled')).toEqual([1, second.id])
    expect(await idsBy('states[]=pending&states[]=cancelled')).toEqual([3, third.id, second.id, first.id])
    expect(await idsBy('states[]=completed')).toEqual([0])
    expect((await seller.call('GET', '/withdrawals?states[]=sent')).status).toBe(400)
  })

  it('shows one withdrawal, and answers 404 for another merchant’s', async () => {
    const seller = await api.openFunded()
    const other = await api.openSeller()
    const record = await made(seller)
    expect((await seller.call('GET', `/withdrawals/${record.id}`)).body).toEqual(record)
    for (const id of [record.id, newId(), 'nonsense']) {
      expect((await other.call('GET', `/withdrawals/${id}`)).status).toBe(404)
      expect((await other.call('DELETE', `/withdrawals/${id}`)).status).toBe(404)
    }
  })
})

describe('DELETE withdrawals', () => {
  it('returns the money, reports it once, and answers the same to a repeat', async () => {
    const seller = await api.openFunded()
    const { id } = await made(seller)
    for (let times = 0; times < 2; times++) {
      expect(await seller.call('DELETE', `/withdrawals/${id}`)).toMatchObject({ status: 204, text: '' })
    }
    expect(await usdtOf(seller)).toBe('98.9')
    expect((await seller.call('GET', `/withdrawals/${id}`)).body).toMatchObject({
      state: 'cancelled',
      stage: null,
      txHash: null,
    })
    expect(await eventsTo(database.db, seller.merchantId, 'withdrawal.')).toMatchObject([
      {
        type: 'withdrawal.cancelled',
        data: {
          withdrawalID: id,
          amount: '10',
          fee: '0.2',
          net: '9.8',
          currency: 'USDT',
          reason: 'merchant',
        },
      },
    ])
    await expectSoundBooks(api.shop)
  })

  it.each(['planned', 'signed', 'broadcast', 'needs_recheck'])(
    'answers 409 for one that is %s',
    async (stage) => {
      const seller = await api.openFunded()
      const { id } = await made(seller)
      await withdrawalRecords.change(database.db, { id }, { stage })
      const { status, body } = await seller.call('DELETE', `/withdrawals/${id}`)
      expect([status, body.code]).toEqual([409, 'withdrawal-under-way'])
      expect(await usdtOf(seller)).toBe('88.9')
    },
  )
})
