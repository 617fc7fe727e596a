import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { decimal, formatDecimal } from '../../src/core/money.ts'
import { useDatabase } from '../support/database.ts'
import { feeScheduleRecords, rateRecords } from '../support/payments/records.ts'
import { takePrices } from '../support/shop.ts'
import { depositsOf } from '../support/shop-readers.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)

interface Schedule {
  readonly type?: string
  readonly methodId?: number
  readonly basisPoints: number
  readonly flatUsd?: string
  readonly flatMinor?: string
}

/** Adds a fee schedule for one merchant, as an operator does. */
async function agree({ merchantId }: Seller, over: Schedule): Promise<void> {
  const { type = 'onetime', methodId = null, basisPoints, flatUsd = null, flatMinor = null } = over
  await feeScheduleRecords.add(database.db, {
    id: newId(),
    merchantId,
    paymentMethodId: methodId,
    type,
    percentBasisPoints: basisPoints,
    flatUsd,
    flatMinor,
  })
}

describe('GET fees', () => {
  it('shows the default fees in USD, and the fees of a method in its asset', async () => {
    const seller = await api.openSeller()
    const rateOf = async (query: string) => (await seller.call('GET', `/fees?${query}`)).body
    expect(await rateOf('type=onetime')).toEqual({
      type: 'onetime',
      paymentMethodID: null,
      percent: '1',
      flat: '0',
      currency: 'USD',
    })
    expect(await rateOf('type=reusable&paymentMethodID=1')).toEqual({
      type: 'reusable',
      paymentMethodID: 1,
      percent: '1',
      flat: '0.1',
      currency: 'USDT',
    })
    expect(await rateOf('type=withdrawal&paymentMethodID=3')).toMatchObject({ flat: '0', currency: 'ETH' })
  })

  it.each([
    'transactionType=reusable&paymentMethodId=2',
    'type=reusable&methodID=2',
    'transactionType=reusable&paymentMethodID=2',
  ])('Q9 accepts each name that the specification has for its parameters: %s', async (query) => {
    const { call } = await api.openSeller()
    for (const path of ['/fees?', '/fees/amount?amount=25&']) {
      const expected = (await call('GET', `${path}type=reusable&paymentMethodID=2`)).body
      expect((await call('GET', `${path}${query}`)).body).toEqual(expected)
      expect(expected).toMatchObject({ type: 'reusable', currency: 'USDC' })
    }
  })

  it('Q9 refuses one parameter under two names, and names the parameter', async () => {
    const { call } = await api.openSeller()
    const { status, body } = await call('GET', '/fees?type=onetime&transactionType=collect')
    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: [{ pointer: 'query/type', detail: 'is given more than once' }],
    })
  })

  it('answers a Bearer token the same as the key', async () => {
    const { merchantId, token, call } = await api.openSeller()
    const path = '/fees?type=collect&paymentMethodID=2'
    const answer = await api.call('GET', `/merchants/${merchantId}${path}`, { token })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual((await call('GET', path)).body)
  })

  it.each([
    ['', 'query/type'],
    ['type=', 'query/type'],
    ['type=withdraw', 'query/type'],
    ['type=onetime&paymentMethodID=9', 'query/paymentMethodID'],
    ['type=onetime&paymentMethodID=0', 'query/paymentMethodID'],
    ['type=onetime&paymentMethodID=1.0', 'query/paymentMethodID'],
    ['type=onetime&method=1', 'query/method'],
  ])('refuses %j and names the field', async (query, pointer) => {
    const { call } = await api.openSeller()
    const answer = await call('GET', `/fees?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].pointer).toBe(pointer)
  })

  it('converts a flat fee in USD at the fresh price of the method, rounded up', async () => {
    const seller = await api.openSeller()
    await agree(seller, { basisPoints: 150, flatUsd: '50000000' })
    const rateOf = async (query: string) => (await seller.call('GET', `/fees?type=onetime${query}`)).body
    expect(await rateOf('')).toMatchObject({ percent: '1.5', flat: '0.5', currency: 'USD' })
    expect(await rateOf('&paymentMethodID=3')).toMatchObject({
      percent: '1.5',
      flat: '0.0002',
      currency: 'ETH',
    })
  })

  it('answers 503 only if a flat fee in USD has no fresh price', async () => {
    const seller = await api.openSeller()
    await agree(seller, { basisPoints: 150, flatUsd: '50000000' })
    await agree(seller, { type: 'collect', basisPoints: 150, flatUsd: '0' })
    await rateRecords.remove(database.owner, { symbol: 'ETH' })
    try {
      const refused = await seller.call('GET', '/fees?type=onetime&paymentMethodID=3')
      expect([refused.status, refused.body.code]).toEqual([503, 'rate-unavailable'])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      for (const query of [
        'type=onetime',
        'type=collect&paymentMethodID=3',
        'type=reusable&paymentMethodID=3',
      ]) {
        expect((await seller.call('GET', `/fees?${query}`)).status).toBe(200)
      }
    } finally {
      await takePrices(api.shop)
    }
  })
})

describe('GET fees/amount', () => {
  it.each([
    ['type=onetime&amount=100', '100', '1', '99', 'USD'],
    ['type=onetime&amount=100.50&paymentMethodID=1', '100.50', '1.105', '99.395', 'USDT'],
    ['type=collect&amount=0.05&paymentMethodID=1', '0.05', '0.05', '0', 'USDT'],
    ['type=collect&amount=0&paymentMethodID=1', '0', '0', '0', 'USDT'],
    ['type=reusable&amount=1.000000009000000001&paymentMethodID=3', ...ethCase()],
    ['type=withdrawal&amount=0.00000001', '0.00000001', '0.00000001', '0', 'USD'],
    [
      'type=withdrawal&amount=999999999999.99999999',
      '999999999999.99999999',
      '10000000000',
      '989999999999.99999999',
      'USD',
    ],
  ])('answers %s exactly', async (query, amount, fee, net, currency) => {
    const { call } = await api.openSeller()
    const answer = await call('GET', `/fees/amount?${query}`)
    expect(answer.status).toBe(200)
    const type = new URLSearchParams(query).get('type')
    expect(answer.body).toEqual({ type, amount, fee, net, currency })
  })

  it.each([
    ['type=onetime', 'query/amount'],
    ['amount=1', 'query/type'],
    ['type=onetime&amount=1e3', 'query/amount'],
    ['type=onetime&amount=-1', 'query/amount'],
    ['type=onetime&amount=01', 'query/amount'],
    ['type=onetime&amount=1000000000000', 'query/amount'],
    ['type=onetime&amount=0.123456789', 'query/amount'],
    ['type=onetime&amount=0.1234567&paymentMethodID=1', 'query/amount'],
    ['type=onetime&amount=0.1234567890123456789&paymentMethodID=3', 'query/amount'],
    ['type=onetime&amount=1&paymentMethodID=77', 'query/paymentMethodID'],
  ])('refuses %s and names the field', async (query, pointer) => {
    const { call } = await api.openSeller()
    const answer = await call('GET', `/fees/amount?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].pointer).toBe(pointer)
  })

  it('splits any amount into a fee and a net amount that add up to it, neither below zero', async () => {
    const { call } = await api.openSeller()
    const methods = [
      { query: '', decimals: 8 },
      ...api.shop.methods.enabled.map(({ id, decimals }) => ({ query: `&paymentMethodID=${id}`, decimals })),
    ]
    const drawn = fc.tuple(fc.constantFrom(...methods), fc.bigInt({ min: 0n, max: 10n ** 30n - 1n }))
    await fc.assert(
      fc.asyncProperty(drawn, async ([{ query, decimals }, digits]) => {
        const grossMinor = digits % 10n ** BigInt(12 + decimals)
        const amount = formatDecimal(grossMinor, decimals)
        const { status, body } = await call('GET', `/fees/amount?type=onetime&amount=${amount}${query}`)
        expect([status, body.amount]).toEqual([200, amount])
        const feeMinor = decimal(body.fee, decimals)
        const netMinor = decimal(body.net, decimals)
        expect(feeMinor + netMinor).toBe(grossMinor)
      }),
      { numRuns: 200 },
    )
  })
})

describe('the fee that is charged', () => {
  it.each(['onetime', 'reusable', 'collect'])(
    'on a deposit to a %s invoice is what fees/amount returns',
    async (type) => {
      const seller = await api.openSeller()
      await agree(seller, { type, methodId: 1, basisPoints: 123, flatMinor: '77777' })
      const paid = await pay(seller, type, 1, 12_345_678n)
      const query = `type=${type}&paymentMethodID=1&amount=12.345678`
      const { body } = await seller.call('GET', `/fees/amount?${query}`)
      expect(body).toMatchObject({ fee: '0.229629', net: '12.116049' })
      expect([paid.feeMinor, paid.netMinor]).toEqual([decimal(body.fee, 6), decimal(body.net, 6)])
    },
  )

  it('in USD is converted at the price of the payment’s quote', async () => {
    const seller = await api.openSeller()
    await agree(seller, { basisPoints: 100, flatUsd: '25000000' })
    const paid = await pay(seller, 'onetime', 3, 4_000_000_000_000_000n)
    const { body } = await seller.call('GET', '/fees/amount?type=onetime&paymentMethodID=3&amount=0.004')
    expect(body).toMatchObject({ fee: '0.00014', net: '0.00386' })
    expect([paid.feeMinor, paid.netMinor]).toEqual([decimal(body.fee, 18), decimal(body.net, 18)])
  })
})

/** A balance shows 8 decimal places of an ether. The remainder in the ninth place is added to the fee. */
function ethCase(): [string, string, string, string] {
  return ['1.000000009000000001', '0.010000009000000001', '0.99', 'ETH']
}

/** Creates an invoice of a type and pays it in full with one deposit that is confirmed. */
async function pay(seller: Seller, type: string, methodId: number, amountMinor: bigint) {
  const invoiceId = await seller.createInvoice({ type, paymentMethodID: methodId })
  const { address } = await api.shop.addressFor(invoiceId, methodId)
  await api.blocks.mine([api.blocks.pay(address.toLowerCase(), amountMinor, methodId)])
  await api.blocks.mine()
  const [paid] = await depositsOf(api.shop, { merchantId: seller.merchantId, invoiceId })
  if (paid?.state !== 'confirmed') throw new Error(`the payment is ${paid?.state}`)
  return paid
}
