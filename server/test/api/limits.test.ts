import { expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { divide, rateDecimals, usdDecimals } from '../../src/core/money.ts'
import { methodMinimumUsd } from '../../src/pricing/limits/limit.ts'
import { mainPaymentMethods } from '../../src/pricing/payment-methods/catalogue.ts'
import { fixedReadings } from '../../src/pricing/rates/fixed-prices.ts'
import { useDatabase } from '../support/database.ts'
import { limitRecords } from '../support/payments/records.ts'
import { useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database, { isFollowed: false })

it('GET limits shows the limits in USD and in each method', async () => {
  const { merchantId, token } = await api.openSeller()
  const answer = await api.call('GET', `/merchants/${merchantId}/limits`, { token })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    minCollect: '1',
    minWithdraw: '1',
    currency: 'USD',
    methods: [
      { paymentMethodID: 1, symbol: 'USDT', minCollect: '1', minWithdraw: '1' },
      { paymentMethodID: 2, symbol: 'USDC', minCollect: '1', minWithdraw: '1' },
      { paymentMethodID: 3, symbol: 'ETH', minCollect: '0.0004', minWithdraw: '0.0004' },
    ],
  })
})

it('GET limits refuses API keys, other accounts and anonymous callers, and takes no parameter', async () => {
  const { merchantId, token, key } = await api.openSeller()
  const stranger = await api.register()
  const path = `/merchants/${merchantId}/limits`
  expect((await api.call('GET', path)).status).toBe(401)
  expect((await api.call('GET', path, { key })).status).toBe(403)
  expect((await api.call('GET', path, { token: stranger.token })).status).toBe(403)
  expect((await api.call('GET', `/merchants/${newId()}/limits`, { token })).status).toBe(404)
  expect((await api.call('GET', `${path}?type=collect`, { token })).status).toBe(400)
})

it('GET limits shows each merchant its own limits', async () => {
  const special = await api.openSeller()
  const plain = await api.openSeller()
  await limitRecords.add(
    database.db,
    {
      id: newId(),
      merchantId: special.merchantId,
      paymentMethodId: null,
      type: 'withdraw',
      minimumUsd: 250_000_000n,
      minimumMinor: null,
    },
    {
      id: newId(),
      merchantId: special.merchantId,
      paymentMethodId: 3,
      type: 'withdraw',
      minimumUsd: null,
      minimumMinor: 12_345_678_900_000_000n,
    },
  )
  const limitsOf = async ({ merchantId, token }: { merchantId: string; token: string }) =>
    (await api.call('GET', `/merchants/${merchantId}/limits`, { token })).body
  expect(await limitsOf(special)).toMatchObject({
    minCollect: '1',
    minWithdraw: '2.5',
    methods: [
      { minWithdraw: '2.5' },
      { minWithdraw: '2.5' },
      { minCollect: '0.0004', minWithdraw: '0.0123456789' },
    ],
  })
  expect(await limitsOf(plain)).toMatchObject({ minWithdraw: '1' })
})

it('every default minimum of a method is worth about half a dollar', () => {
  const prices = fixedReadings(mainPaymentMethods().map(({ symbol }) => symbol))
  for (const { symbol, minimumMinor, decimals } of mainPaymentMethods()) {
    const priceUsd = prices.get(symbol)?.[0]?.priceUsd ?? 0n
    const worth = divide(
      minimumMinor * priceUsd,
      10n ** BigInt(decimals + rateDecimals - usdDecimals),
      'down',
    )
    // The minimums of cheap coins are round figures, so they are compared within a factor of two.
    expect([symbol, worth >= methodMinimumUsd / 2n && worth <= methodMinimumUsd * 2n]).toEqual([symbol, true])
  }
})
