import { beforeEach, describe, expect, it } from 'vitest'
import { readProgress, startCursor } from '../../src/chains/blocks/store.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { forgetRates } from '../../src/pricing/rates/forget-rates.ts'
import { freshRate, rateAt, ratesAt, recentPrices, saveRates } from '../../src/pricing/rates/store.ts'
import { useDatabase } from '../support/database.ts'
import { ageRates } from '../support/payments/age-rates.ts'
import { rateRecords } from '../support/payments/records.ts'

const database = useDatabase()

beforeEach(async () => {
  await rateRecords.remove(database.owner)
})

const price = 2500n * 10n ** 12n
const sources = [{ source: 'kraken', priceUsd: price }]

/** Makes every stored rate older by some seconds. */
const age = (seconds: number) => ageRates(database.db, seconds)

async function keep(minute: string, priceUsd: bigint): Promise<void> {
  await rateRecords.add(database.db, {
    symbol: 'ETH',
    minute,
    price: priceUsd.toString(),
    sources: '[]',
    takenAt: minute,
  })
}

describe('a fresh rate', () => {
  it('is returned exactly as it was stored, with its sources', async () => {
    await saveRates(database.db, [{ symbol: 'ETH', priceUsd: price, sources }])
    expect(await freshRate(database.db, 'ETH')).toEqual({
      symbol: 'ETH',
      priceUsd: price,
      sources,
      takenAt: expect.any(Date),
    })
  })

  it('is fresh for 90 seconds and no longer', async () => {
    await saveRates(database.db, [{ symbol: 'ETH', priceUsd: price, sources }])
    await age(85)
    expect(await freshRate(database.db, 'ETH')).toBeDefined()
    await age(6)
    expect(await freshRate(database.db, 'ETH')).toBeUndefined()
  })

  it('is the last one taken in its minute', async () => {
    for (const priceUsd of [price, price + 1n])
      await saveRates(database.db, [{ symbol: 'ETH', priceUsd, sources }])
    expect((await freshRate(database.db, 'ETH'))?.priceUsd).toBe(price + 1n)
  })
})

describe('old rates', () => {
  const never = new AbortController().signal
  const forget = () =>
    forgetRates({ db: database.db, readBooked: () => readProgress(database.db) }).runBatch(never)
  const minutes = () => rateRecords.all(database.db, {}, 'minute')

  it('are deleted after half a year, for every symbol, and newer ones are not', async () => {
    for (const symbol of ['BTC', 'ETH', 'LTC'])
      await saveRates(database.db, [{ symbol, priceUsd: price, sources }])
    await age(179 * 86_400)
    expect(await forget()).toBe(0)
    await age(2 * 86_400)
    await saveRates(database.db, [{ symbol: 'ETH', priceUsd: price, sources }])
    expect(await forget()).toBe(3)
    expect(await forget()).toBe(0)
    expect(await minutes()).toHaveLength(1)
  })

  it('are kept for the blocks of a network that stalls, which are priced when they are booked', async () => {
    const standsAt = new Date('2021-03-01T12:00:00Z')
    await inTransaction(database.db, (tx) =>
      startCursor(tx, 'ethereum', { height: 1, hash: '0x1', parentHash: '0x0', minedAt: standsAt }),
    )
    for (const minute of ['2021-02-28T11:59:00Z', '2021-02-28T12:00:00Z', '2021-03-01T12:01:00Z'])
      await keep(minute, 1n)
    expect(await forget()).toBe(1)
    expect((await minutes())[0]?.minute).toEqual(new Date('2021-02-28T12:00:00Z'))
  })
})

describe('the rate at a moment', () => {
  it('is that of its minute, else the latest within the 10 minutes before, else none', async () => {
    await keep('2026-11-20T10:00:00Z', 1n)
    await keep('2026-11-20T10:02:00Z', 2n)
    const at = (time: string) => rateAt(database.db, 'ETH', new Date(`2026-11-20T${time}Z`))
    expect((await at('10:00:59'))?.priceUsd).toBe(1n)
    expect((await at('10:01:30'))?.priceUsd).toBe(1n)
    expect((await at('10:02:00'))?.priceUsd).toBe(2n)
    expect((await at('10:12:59'))?.priceUsd).toBe(2n)
    expect(await at('10:13:00')).toBeUndefined()
    expect(await at('09:59:59')).toBeUndefined()
  })

  it('is found for many moments in their order, with a gap where there is none', async () => {
    await keep('2026-11-20T10:00:00Z', 1n)
    const at = new Date('2026-11-20T10:00:00Z')
    const found = await ratesAt(database.db, [
      { symbol: 'BTC', at },
      { symbol: 'ETH', at },
      { symbol: 'ETH', at },
    ])
    expect(found.map((rate) => rate?.priceUsd)).toEqual([undefined, 1n, 1n])
  })
})

it('compares new prices only with those of the last hour', async () => {
  await saveRates(database.db, [{ symbol: 'ETH', priceUsd: price, sources }])
  expect(await recentPrices(database.db, ['ETH', 'BTC'])).toEqual(new Map([['ETH', price]]))
  await age(3700)
  expect(await recentPrices(database.db, ['ETH', 'BTC'])).toEqual(new Map())
})
