/**
 * Tests which prices of a payment the model of the simulation accepts, and which amounts it accepts in quotes.
 */
import { describe, expect, it } from 'vitest'
import { Model, type ShownAddress } from '../../simulation/model/model.ts'
import { type CheckedChain, transfersOn } from '../../simulation/model/transfers.ts'
import { findWrongQuotes } from '../../simulation/prices/check-quotes.ts'
import type { AskedQuote, PriceReading } from '../../simulation/prices/price-reading.ts'
import { fullAmountsOf, lowestPriceUsd, quotesOf } from '../../simulation/prices/valuation.ts'
import { FakeChain, type FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import { modelCoin } from './model-coin.ts'

const asset = modelCoin('bitcoin/BTC')

const msOf = (minute: number) => Math.round(minute * 60_000)
const minorOf = (coins: number) => BigInt(Math.round(coins * 1e8))

/** An invoice of 100 USD. Its payer was asked for one coin, at a price of 100 USD, for 20 minutes. */
const shown: ShownAddress = {
  merchantId: 'merchant',
  invoiceId: 'invoice',
  address: 'address',
  methodId: asset.methodId,
  network: asset.network,
  amountUsd: '100',
  amountMinor: minorOf(1),
  expiresMs: msOf(20),
  requestedMs: msOf(0),
  answeredMs: msOf(0.5),
}

/** A price that was read at a minute, and stored some seconds later. */
const price = (usd: number, minute: number, storedMinute = minute + 0.1): PriceReading => ({
  askedMs: msOf(minute),
  storedMs: msOf(storedMinute),
  pricesUsd: new Map([['BTC', BigInt(usd) * 10n ** 12n]]),
})

/** A price that was read by a job that did not end. */
const unended = (usd: number, minute: number): PriceReading => ({
  ...price(usd, minute),
  storedMs: undefined,
})

interface Answer {
  readonly answered?: number
  readonly expires?: number
  readonly coins?: number
  readonly invoiceId?: string
}

/** A request for the address at a minute, which was answered half a minute later. */
const asked = (minute: number, answer: Answer = {}): AskedQuote => {
  const { answered = minute + 0.5, expires = minute + 20, coins = 2, invoiceId = shown.invoiceId } = answer
  const times = { expiresMs: msOf(expires), answeredMs: msOf(answered) }
  return { invoiceId, requestedMs: msOf(minute), answer: { amountMinor: minorOf(coins), ...times } }
}

const unanswered = (minute: number, invoiceId = shown.invoiceId): AskedQuote => ({
  invoiceId,
  requestedMs: msOf(minute),
  answer: undefined,
})

function modelOf(
  readings: readonly PriceReading[],
  quotes: readonly AskedQuote[] = [],
  first = shown,
): Model {
  const model = new Model()
  model.shown.push(first)
  model.readings.push(...readings)
  model.askedQuotes.push(...quotes)
  return model
}

/** Returns the least and the most coins that could pay the invoice between two minutes. */
function coinsAt(model: Model, from: number, to = from): readonly [number, number] {
  const [first = shown] = model.shown
  const time = { fromMs: msOf(from), toMs: msOf(to) }
  const { leastMinor, mostMinor } = fullAmountsOf(model, asset, first, time)
  return [Number(leastMinor) / 1e8, Number(mostMinor) / 1e8]
}

const millisecond = 1 / 60_000

describe('a payment counts at', () => {
  it.each<[string, readonly PriceReading[], number, number]>([
    ['the quote in force, whatever the price is', [price(50, 4)], 5, 1],
    ['the quote until it expires', [price(50, 4)], 20 - millisecond, 1],
    ['the stored price from the moment at which the quote expires', [price(50, 19)], 20, 2],
    ['the stored price of its minute, if the quote has expired', [price(25, 24), price(50, 25.1)], 25.5, 2],
    ['the newest price of the ten minutes before', [price(25, 16), price(50, 20)], 25.5, 2],
    ['a price that is ten minutes old', [price(50, 15)], 25.5, 2],
    ['the last quote, if each price is older', [price(50, 14.8)], 25.5, 1],
    ['the last quote, if each price is newer', [price(50, 26)], 25.5, 1],
  ])('%s', (_case, readings, minute, coins) => {
    expect(coinsAt(modelOf(readings), minute)).toEqual([coins, coins])
  })

  const readings = [price(50, 20.9), price(25, 29), price(20, 44)]
  it.each<[string, AskedQuote, number, number]>([
    ['a second quote in force', asked(21), 30, 2],
    ['the stored price after a second quote', asked(21), 45, 5],
    ['the stored price, if the second quote is of another invoice', asked(21, { invoiceId: 'other' }), 30, 4],
    ['the first quote, if it was shown again', asked(10, { expires: 20 }), 15, 1],
    [
      'the stored price, if an invoice that has ended shows its last quote',
      asked(30, { expires: 20 }),
      30,
      4,
    ],
    ['the quote in force, if a request of another invoice has no answer', unanswered(10, 'other'), 15, 1],
  ])('%s', (_case, quote, minute, coins) => {
    expect(coinsAt(modelOf(readings, [quote]), minute)).toEqual([coins, coins])
  })

  it('the stored price, if a second quote was made later', () => {
    const model = modelOf([price(25, 19), price(50, 22)], [asked(23)])
    expect(coinsAt(model, 21)).toEqual([4, 4])
    expect(coinsAt(model, 24)).toEqual([2, 2])
  })
})

describe('a payment may count at each possible price', () => {
  it.each<[string, readonly PriceReading[], readonly [number, number]]>([
    ['if a price was read later in its minute', [price(50, 20), price(25, 25.8)], [2, 4]],
    ['if the job that read a newer price did not end', [price(50, 20), unended(25, 24)], [2, 4]],
    ['if a newer price was stored in the next minute', [price(50, 20), price(25, 23.9, 24.1)], [2, 4]],
    ['if it is not certain that any price was stored', [unended(50, 24)], [1, 2]],
  ])('%s', (_case, readings, coins) => {
    expect(coinsAt(modelOf(readings), 25.5)).toEqual(coins)
  })

  const readings = [price(50, 10), price(200, 24), price(25, 36)]
  it.each<[string, number, number, readonly [number, number]]>([
    ['if its time is not known', 5, 25, [0.5, 2]],
    ['if its time is not known, but not at a price of later', 5, 23.9, [1, 2]],
    ['if its time is not known, but not at a price that was too old', 21, 25, [0.5, 1]],
  ])('%s', (_case, from, to, coins) => {
    expect(coinsAt(modelOf(readings), from, to)).toEqual(coins)
  })

  it.each<[string, readonly PriceReading[], AskedQuote, number, readonly [number, number]]>([
    ['if a request has no answer', [price(50, 9)], unanswered(10), 12, [1, 2]],
    [
      'also that of the quote that a request without an answer may have made',
      [price(200, 20.9), price(50, 34)],
      unanswered(21),
      35,
      [0.5, 2],
    ],
    [
      'if an answer came after its quote had expired',
      [price(50, 20.9), price(25, 44)],
      asked(21, { answered: 42 }),
      45,
      [1, 4],
    ],
    [
      'if it came between a request and its answer',
      [price(50, 20.5), price(25, 21.5)],
      asked(21, { answered: 23 }),
      22,
      [2, 4],
    ],
  ])('%s', (_case, readings, quote, minute, coins) => {
    expect(coinsAt(modelOf(readings, [quote]), minute)).toEqual(coins)
  })

  it('if it came before the first answer', () => {
    expect(coinsAt(modelOf([price(50, -0.5)]), 0.4)).toEqual([1, 2])
    expect(coinsAt(modelOf([price(50, -0.5)]), 0.6)).toEqual([1, 1])
  })

  it('if the first answer came after its quote had expired', () => {
    const late = { ...shown, answeredMs: msOf(20) }
    expect(coinsAt(modelOf([price(50, 24)], [], late), 25)).toEqual([1, 2])
    const inTime = { ...shown, answeredMs: msOf(20) - 1 }
    expect(coinsAt(modelOf([price(50, 24)], [], inTime), 25)).toEqual([2, 2])
  })
})

it.each<[number, number, bigint]>([
  [18, 3, 33_333_334n * 10n ** 12n],
  [8, 3, 3_333_333_400n],
  [6, 3, 33_333_334n],
  [2, 3, 3_334n],
  [18, 4, 25n * 10n ** 18n],
  [8, 4, 2_500_000_000n],
])(
  'amounts have six decimal places at most, and are rounded up: %i decimals at %i USD',
  (decimals, usd, minor) => {
    const time = { fromMs: msOf(25), toMs: msOf(25) }
    const fullAmounts = fullAmountsOf(modelOf([price(usd, 24)]), { ...asset, decimals }, shown, time)
    expect(fullAmounts).toEqual({ leastMinor: minor, mostMinor: minor })
  },
)

it('the lowest price is that of all prices that were read', () => {
  expect(lowestPriceUsd(modelOf([price(50, 1), unended(25, 2), price(80, 3)]), asset)).toBe(25n * 10n ** 12n)
  expect(lowestPriceUsd(modelOf([]), asset)).toBeUndefined()
})

describe('the quotes of an invoice', () => {
  it('are the first one and those that payers saw later, each with its amounts', () => {
    const { quotes } = quotesOf(modelOf([price(50, 20.9)], [asked(21), unanswered(30)]), asset, shown)
    expect(quotes).toEqual([
      { fromMs: msOf(0), toMs: msOf(0.5), expiresMs: msOf(20), fullAmounts: [minorOf(1)] },
      { fromMs: msOf(21), toMs: msOf(21.5), expiresMs: msOf(41), fullAmounts: [minorOf(2)] },
    ])
  })

  it.each<[string, PriceReading, readonly number[]]>([
    ['a price that was stored 90 seconds before the request', price(50, 19, 19.5), [2]],
    ['no price that was stored earlier', price(50, 19, 19.5 - millisecond), []],
    ['a price that was read when the answer came', price(50, 21.5), [2]],
    ['no price that was read later', price(50, 21.5 + millisecond), []],
    ['a price of which nobody knows whether it was stored', unended(50, 10), [2]],
  ])('may be made at %s', (_case, reading, coins) => {
    const { quotes } = quotesOf(modelOf([reading], [asked(21)]), asset, shown)
    expect(quotes[1]?.fullAmounts).toEqual(coins.map(minorOf))
  })

  it.each<[string, readonly number[], readonly number[]]>([
    ['any later price, if the API still runs', [0], [2, 4]],
    ['no price that was read after the API started again', [0, 22], [2]],
    ['a price that was read before the API started again', [0, 24], [2, 4]],
  ])('that a request without an answer made may be made at %s', (_case, starts, coins) => {
    const model = modelOf([price(50, 20.9), price(25, 23)], [unanswered(21), unanswered(21, 'other')])
    model.apiStartsMs.push(...starts.map(msOf))
    expect(quotesOf(model, asset, shown).unseenAmounts).toEqual(coins.map(minorOf))
  })

  it.each<[string, boolean, readonly AskedQuote[]]>([
    ['clear if nobody asked again', false, []],
    ['clear if each request was answered in time', false, [asked(21), asked(42)]],
    ['unclear if a request has no answer', true, [asked(21), unanswered(22)]],
    ['clear if a request for another invoice has no answer', false, [unanswered(22, 'other')]],
    ['unclear if an answer came when its quote expired', true, [asked(21, { answered: 41 })]],
    ['clear if an invoice that has ended shows its last quote', false, [asked(61, { expires: 60 })]],
  ])('are %s', (_case, isUnclear, quotes) => {
    expect(quotesOf(modelOf([], quotes), asset, shown).isUnclear).toBe(isUnclear)
  })
})

describe('a payer', () => {
  /** A payment of the invoice that was mined at a minute. */
  interface Paid {
    readonly minute: number
    readonly coins: number
    /** Whether a reorganisation dropped the payment for ever. */
    readonly isLost?: boolean
    readonly recipient?: string
    readonly contract?: string
  }

  /** Returns the amounts of which a finding says that no price explains them. */
  function unexplained(model: Model, payments: readonly Paid[] = []): readonly number[] {
    const chain = new FakeChain({ genesisAt: new Date(0), hashPrefix: '' })
    const firstMs = new Map<string, number>()
    const lost: FakeTransaction[] = []
    for (const { minute, coins, isLost = false, recipient = shown.address, contract } of payments) {
      const paid =
        contract === undefined ? ({ type: 'coin' } as const) : ({ type: 'token', contract } as const)
      const move = { asset: paid, sender: 'payer', recipient, amountMinor: minorOf(coins) }
      const transaction = chain.transaction([move])
      firstMs.set(transaction.hash, msOf(minute))
      if (isLost) lost.push(transaction)
      else chain.mine([transaction], new Date(msOf(minute)))
    }
    const checked: CheckedChain = {
      network: asset.network,
      chain,
      hotWallets: [],
      lost,
      feeTerms: undefined,
      firstMinedMs: (txHash) => firstMs.get(txHash) ?? 0,
    }
    const ours = new Set([shown.address])
    const transfers = transfersOn(checked, ours)
    const found = findWrongQuotes({
      model,
      assets: [asset],
      chains: [checked],
      ours,
      transfers,
      payments: [],
      charges: new Map(),
    })
    return found.map((sentence) => {
      const [, minor] =
        /^a payer was asked for (\d+) bitcoin\/BTC for an invoice of 100 USD$/.exec(sentence) ?? []
      return Number(minor) / 1e8
    })
  }

  it.each<[string, readonly PriceReading[], readonly number[]]>([
    ['may be asked first for an amount that the price of that time explains', [price(100, -1)], []],
    [
      'may be asked first for an amount that one of two prices explains',
      [price(50, -1), price(100, 0.2)],
      [],
    ],
    ['must not be asked first for less than the price explains', [price(50, -1)], [1]],
    ['must not be asked first for more than the price explains', [price(200, -1)], [1]],
    ['must not be asked first for an amount of an old price', [price(100, -3)], [1]],
    ['must not be asked first for an amount of a later price', [price(50, -1), price(100, 1)], [1]],
    ['may be asked first for any amount, if prices never change', [], []],
  ])('%s', (_case, readings, amounts) => {
    expect(unexplained(modelOf(readings))).toEqual(amounts)
  })

  const first = price(100, -1)
  const second = price(50, 20.9)
  it.each<[string, readonly PriceReading[], readonly AskedQuote[], readonly number[]]>([
    ['may be asked later for the whole amount', [first, second], [asked(21)], []],
    [
      'must not be asked later for more than the whole amount',
      [first, second],
      [asked(21, { coins: 2.1 })],
      [2.1],
    ],
    ['must not be asked later for an amount without a price of that time', [first], [asked(21)], [2]],
    [
      'may be asked later for the amount of the first quote',
      [first],
      [asked(10, { expires: 20, coins: 1 })],
      [],
    ],
    [
      'must not be asked for more while the first quote is in force',
      [first],
      [asked(10, { expires: 20, coins: 1.1 })],
      [1.1],
    ],
    [
      'may be shown any amount after the invoice has ended',
      [first],
      [asked(61, { expires: 60, coins: 9 })],
      [],
    ],
    [
      'may be asked later for any amount, if a request has no answer',
      [first, second],
      [asked(21, { coins: 9 }), unanswered(22)],
      [],
    ],
    [
      'must not be asked later for more, although a request for another invoice has no answer',
      [first, second],
      [asked(21, { coins: 9 }), unanswered(22, 'other')],
      [9],
    ],
    [
      'may be asked for more for an invoice that the model does not know',
      [first, second],
      [asked(21, { coins: 9, invoiceId: 'other' })],
      [],
    ],
  ])('%s', (_case, readings, quotes, amounts) => {
    expect(unexplained(modelOf(readings, quotes))).toEqual(amounts)
  })

  const half = { coins: 0.5, minute: 5 }
  const rest = [asked(21, { coins: 1 })]
  const askedTooLittle = [1]
  it.each<[string, readonly Paid[], readonly number[]]>([
    ['may be asked later for the rest, if a part was paid', [half], []],
    ['may be asked for the whole amount, if a payment may not be noticed yet', [{ ...half, coins: 0.6 }], []],
    ['must not be asked later for less than the whole amount, if nothing was paid', [], askedTooLittle],
    ['must not be asked later for less than the rest', [{ ...half, coins: 0.49 }], askedTooLittle],
    ['may be asked for the rest, if a part was paid at a later price', [{ coins: 1, minute: 21.2 }], []],
    [
      'may be asked for the rest, if two parts were paid',
      [
        { ...half, coins: 0.3 },
        { ...half, coins: 0.2 },
      ],
      [],
    ],
    [
      'must not be asked for less because of a payment that came later',
      [{ coins: 1, minute: 22 }],
      askedTooLittle,
    ],
    ['may be asked for less, if a reorganisation dropped a payment', [{ ...half, isLost: true }], []],
    [
      'must not be asked for less because of the payment of another',
      [{ ...half, recipient: 'other' }],
      askedTooLittle,
    ],
    ['must not be asked for less because of another asset', [{ ...half, contract: 'usdt' }], askedTooLittle],
  ])('%s', (_case, payments, amounts) => {
    expect(unexplained(modelOf([first, second], rest), payments)).toEqual(amounts)
  })

  it('may be asked for nothing, if more than the whole amount was paid', () => {
    const nothing = [asked(21, { coins: 0 })]
    expect(unexplained(modelOf([first, second], nothing), [{ coins: 1.2, minute: 5 }])).toEqual([])
  })

  it('must not be asked first for a wrong amount, although a later request has no answer', () => {
    expect(unexplained(modelOf([price(50, -1)], [unanswered(22)]))).toEqual([1])
  })
})
