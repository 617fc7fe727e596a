import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { decimal } from '../../src/core/money.ts'
import { fetchRates } from '../../src/pricing/rates/fetch-rates.ts'
import { fixedReadings } from '../../src/pricing/rates/fixed-prices.ts'
import { keepRatesFresh, refreshRates } from '../../src/pricing/rates/refresh-rates.ts'
import type { SourceChoice, SourceName } from '../../src/pricing/rates/sources.ts'
import { freshRate } from '../../src/pricing/rates/store.ts'
import { useDatabase } from '../support/database.ts'
import { rateRecords } from '../support/payments/records.ts'

const database = useDatabase()

beforeEach(async () => {
  await rateRecords.remove(database.owner)
})

/** The answer of each of the four sources: a price, nothing, or an error. */
type Market = Readonly<Record<SourceName, string | 'silent' | 'broken'>>

const calm: Market = { coinbase: '2500', kraken: '2501', bitstamp: '2499.5', gemini: '2500.5' }

function bodyOf(name: SourceName, price: string, symbol: string): unknown {
  const timestamp = Math.floor(Date.now() / 1000)
  const answers = {
    coinbase: { data: { amount: price, base: symbol, currency: 'USD' } },
    kraken: { error: [], result: { pair: { a: [price, '1', '1'], b: [price, '1', '1'] } } },
    bitstamp: { timestamp: `${timestamp}`, bid: price, ask: price },
    gemini: { bid: price, ask: price, volume: { [symbol]: '1', USD: '1', timestamp: timestamp * 1000 } },
  }
  return answers[name]
}

/** Starts a server that answers as the four sources do, and returns the sources with its address. */
async function startMarket(market: Market, symbol = 'ETH'): Promise<readonly SourceChoice[]> {
  const server = createServer((request, response) => {
    const [, name = ''] = (request.url ?? '').split('/')
    const price = market[name as SourceName]
    if (price === 'silent') return
    if (price === 'broken') return void response.writeHead(502).end('<html>')
    response.end(JSON.stringify(bodyOf(name as SourceName, price, symbol)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const names = Object.keys(market) as SourceName[]
  return names.map((name) => ({ name, baseUrl: `http://127.0.0.1:${port}/${name}` }))
}

/** The timeout ends only the wait for a silent source. All others answer before it, also on a busy machine. */
const silentTimeoutMs = 2_000
const answeringTimeoutMs = 30_000

async function refreshFrom(market: Market): Promise<void> {
  const sources = await startMarket(market)
  const timeoutMs = Object.values(market).includes('silent') ? silentTimeoutMs : answeringTimeoutMs
  const parts = { sources, clock: systemClock, log: silentLog, timeoutMs }
  await refreshRates(
    {
      db: database.db,
      log: silentLog,
      symbolsOf: () => ['ETH'],
      agreeingMin: 3,
      read: (symbols, signal) => fetchRates(parts, symbols, signal),
    },
    new AbortController().signal,
  )
}

/** Forwards requests to the sources, and returns their answers in reverse order of the sources. */
async function startReversed(sources: readonly SourceChoice[]): Promise<readonly SourceChoice[]> {
  const answers = new Map<string, () => void>()
  const server = createServer(async (request, response) => {
    const [, name = '', ...path] = (request.url ?? '').split('/')
    const source = sources.find((one) => one.name === name)
    const answer = await fetch(`${source?.baseUrl}/${path.join('/')}`)
    const body = await answer.text()
    answers.set(name, () => response.end(body))
    if (answers.size < sources.length) return
    const lastFirst = sources.toReversed().flatMap((one) => answers.get(one.name) ?? [])
    for (const [index, go] of lastFirst.entries()) setTimeout(go, 20 * index)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return sources.map(({ name }) => ({ name, baseUrl: `http://127.0.0.1:${port}/${name}` }))
}

describe('refreshing rates', () => {
  it('returns the readings in the order of the sources, whichever answers first', async () => {
    const sources = await startReversed(await startMarket(calm))
    const parts = { sources, clock: systemClock, log: silentLog, timeoutMs: 5_000 }
    const readings = await fetchRates(parts, ['ETH'], new AbortController().signal)
    expect(readings.get('ETH')?.map(({ source }) => source)).toEqual(sources.map(({ name }) => name))
  })

  it("stores the median of the sources' prices, with the sources that answered", async () => {
    await refreshFrom(calm)
    const rate = await freshRate(database.db, 'ETH')
    expect(rate?.priceUsd).toBe(decimal('2500.25', 12))
    expect(rate?.sources.map((reading) => reading.source).sort()).toEqual(Object.keys(calm).sort())
  })

  it.each([
    ['one source is silent', { kraken: 'silent' }],
    ['one source is broken', { bitstamp: 'broken' }],
    ['one source says zero', { gemini: '0' }],
    ['one source is 10x off', { coinbase: '25000' }],
    ['one source says NaN', { coinbase: 'NaN' }],
  ])('still returns the right price while %s', async (_what, change: Partial<Market>) => {
    await refreshFrom({ ...calm, ...change })
    const rate = await freshRate(database.db, 'ETH')
    expect(rate?.sources).toHaveLength(3)
    expect(rate !== undefined && rate.priceUsd > decimal('2499', 12)).toBe(true)
    expect(rate !== undefined && rate.priceUsd < decimal('2502', 12)).toBe(true)
  })

  it.each([
    ['two of four sources are down', { kraken: 'silent', bitstamp: 'broken' }],
    ['all are down', { coinbase: 'broken', kraken: 'silent', bitstamp: 'broken', gemini: 'silent' }],
    ['all say zero', { coinbase: '0', kraken: '0', bitstamp: '0', gemini: '0' }],
    ['they contradict each other', { coinbase: '1000', kraken: '2000', bitstamp: '3000', gemini: '4000' }],
  ])('returns no price instead of a wrong one when %s', async (_what, change: Partial<Market>) => {
    await refreshFrom({ ...calm, ...change })
    expect(await freshRate(database.db, 'ETH')).toBeUndefined()
  })

  it('gives up a silent source in time, even if garbage is collected meanwhile', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    // A collection can take a tenth of a second, so most of the time must remain for the other sources.
    const collecting = setInterval(collect, silentTimeoutMs / 4)
    onTestFinished(() => clearInterval(collecting))
    await refreshFrom({ ...calm, kraken: 'silent' })
    expect((await freshRate(database.db, 'ETH'))?.sources).toHaveLength(3)
  })

  it('C12 keeps the last rate, which then becomes stale, when all sources jump tenfold', async () => {
    await refreshFrom(calm)
    await refreshFrom({ coinbase: '25000', kraken: '25000', bitstamp: '25000', gemini: '25000' })
    expect((await freshRate(database.db, 'ETH'))?.priceUsd).toBe(decimal('2500.25', 12))
  })

  it('knows the sandbox assets by a fixed table, and no others', async () => {
    const symbols = ['USDT', 'ETH', 'XYZ']
    const read = async () => fixedReadings(symbols)
    const parts = { db: database.db, log: silentLog, symbolsOf: () => symbols, agreeingMin: 1, read }
    await refreshRates(parts, new AbortController().signal)
    const prices = await Promise.all(symbols.map((symbol) => freshRate(database.db, symbol)))
    expect(prices.map((rate) => rate?.priceUsd)).toEqual([decimal('1', 12), decimal('2500', 12), undefined])
  })

  it('is done by one of several processes, and by another once that one stops', async () => {
    const readers: string[] = []
    const start = (name: string) => {
      const ending = new AbortController()
      const read = async (symbols: readonly string[]) => {
        readers.push(name)
        return fixedReadings(symbols)
      }
      const parts = {
        db: database.db,
        log: silentLog,
        clock: systemClock,
        symbolsOf: () => ['ETH'],
        agreeingMin: 1,
      }
      const running = keepRatesFresh({ ...parts, read, signal: ending.signal })
      const stop = () => {
        ending.abort()
        return running
      }
      onTestFinished(stop)
      return stop
    }
    const stopFirst = start('first')
    await vi.waitFor(async () => expect(await freshRate(database.db, 'ETH')).toBeDefined(), 5_000)
    start('second')
    await stopFirst()
    await vi.waitFor(() => expect(readers).toContain('second'), 5_000)
    expect(readers).toEqual(['first', 'second'])
  })
})
