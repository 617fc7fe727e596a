import { describe, expect, it } from 'vitest'
import { required } from '../core/assert.ts'
import { decimal, rateDecimals, usdDecimals } from '../core/money.ts'
import { mainPaymentMethods } from '../pricing/payment-methods/catalogue.ts'
import { choicesOf, type Measured, roundFee, roundTime, typicalFeeUsd, typicalMs } from './choices.ts'

const usd = (amount: string) => decimal(amount, usdDecimals)
const method = (asset: string) =>
  required(
    mainPaymentMethods().find((one) => one.asset === asset),
    asset,
  )
const gwei = 1_000_000_000n
const measured: Measured = { baseFeeMinor: 2n * gwei, coinPriceUsd: decimal('2500', rateDecimals) }
const nothing = () => undefined

describe('the typical cost of a payment', () => {
  it('is gas times base fee times price where the base fee is most of it', () => {
    expect(typicalFeeUsd(method('ethereum/ETH'), measured)).toBe(usd('0.105'))
    expect(typicalFeeUsd(method('ethereum/USDC'), measured)).toBe(usd('0.325'))
  })

  it.each([undefined, { ...measured, baseFeeMinor: undefined }, { ...measured, coinPriceUsd: undefined }])(
    'is the figure of the network while the fee or the price is unknown: %o',
    (known) => {
      expect(typicalFeeUsd(method('ethereum/USDC'), known)).toBe(usd('0.1'))
      expect(typicalFeeUsd(method('ethereum/ETH'), known)).toBe(usd('0.03230770'))
    },
  )

  it('is the figure of the network where the base fee is a small part, and on UTXO networks', () => {
    expect(typicalFeeUsd(method('base/USDC'), { ...measured, baseFeeMinor: 7n })).toBe(usd('0.002'))
    expect(typicalFeeUsd(method('bitcoin/BTC'), measured)).toBe(usd('0.3'))
  })

  it('is unknown on a network without a row', () => {
    expect(typicalFeeUsd({ ...method('base/USDC'), network: 'other' }, measured)).toBeUndefined()
  })

  it.each([
    ['0', undefined],
    ['0.00999999', undefined],
    ['0.01', '0.01'],
    ['0.0149', '0.01'],
    ['0.325', '0.3'],
    ['0.96', '1'],
    ['12.5', '10'],
  ])('of %s dollars is shown as about %s', (fee, shown) => {
    expect(roundFee(usd(fee))).toBe(shown && usd(shown))
  })
})

describe('the typical time until a payment is credited', () => {
  it('is that of the confirmations that its value needs', () => {
    expect(typicalMs(method('ethereum/USDC'), usd('10'))).toBe(72_000)
    expect(typicalMs(method('ethereum/USDC'), usd('5000'))).toBe(144_000)
    expect(typicalMs(method('base/USDC'), usd('10'))).toBe(20_000)
  })

  it.each([
    [400, 5, 'second'],
    [20_000, 20, 'second'],
    [57_400, 55, 'second'],
    [57_500, 1, 'minute'],
    [72_000, 1, 'minute'],
    [450_000, 8, 'minute'],
    [3_540_000, 59, 'minute'],
    [3_600_000, 1, 'hour'],
  ])('of %d ms is shown as about %d %s', (ms, count, unit) => {
    expect(roundTime(ms)).toEqual({ count, unit })
  })
})

describe('the choices of a payer', () => {
  const assets = ['ethereum/USDT', 'ethereum/USDC', 'bitcoin/BTC', 'linea/USDC', 'base/USDC']

  it('are grouped by coin in the order of the invoice, and the cheapest network is first', () => {
    const choices = choicesOf(assets.map(method), usd('10'), nothing)
    expect(
      choices.map(({ symbol, options }) => [symbol, options.map((option) => option.method.network)]),
    ).toEqual([
      ['USDT', ['ethereum']],
      ['USDC', ['base', 'linea', 'ethereum']],
      ['BTC', ['bitcoin']],
    ])
  })

  it('put a network of unknown cost last, and the faster of two equally cheap networks first', () => {
    const other = { ...method('base/USDC'), network: 'other' }
    const [coin] = choicesOf(
      [other, ...['polygon', 'ethereum', 'arbitrum', 'bsc'].map((network) => method(`${network}/USDC`))],
      usd('10'),
      nothing,
    )
    expect(coin?.options.map((option) => option.method.network)).toEqual([
      'bsc',
      'arbitrum',
      'polygon',
      'ethereum',
      'other',
    ])
  })
})
