import { describe, expect, it } from 'vitest'
import { decimal } from '../../core/money.ts'
import { rateSources, type SourceName, sourceFormats } from './sources.ts'

const now = new Date('2026-11-20T10:00:00Z')
const nowS = now.getTime() / 1000

/** Returns an answer in the documented format of each source, with the price as its bid and ask. */
function answerOf(source: SourceName, price: unknown): unknown {
  switch (source) {
    case 'coinbase':
      return { data: { amount: price, base: 'BTC', currency: 'USD' } }
    case 'kraken':
      return { error: [], result: { XXBTZUSD: { a: [price, '1', '1.000'], b: [price, '1', '1.000'] } } }
    case 'bitstamp':
      return { timestamp: `${nowS}`, bid: price, ask: price, last: price }
    case 'gemini':
      return { bid: price, ask: price, last: price, volume: { BTC: '1', USD: '1', timestamp: nowS } }
  }
}

const names = Object.keys(sourceFormats) as SourceName[]

function parse(source: SourceName, answer: unknown): bigint | undefined {
  return sourceFormats[source].parse(answer, 'BTC', now)
}

describe.each(names)('%s', (source) => {
  it('is read exactly, to 12 places', () => {
    expect(parse(source, answerOf(source, '60123.45'))).toBe(decimal('60123.45', 12))
    expect(parse(source, answerOf(source, '0.1234567890129999'))).toBe(decimal('0.123456789012', 12))
  })

  it.each([
    [60123.45],
    ['NaN'],
    ['Infinity'],
    ['1e5'],
    ['0x10'],
    ['-1'],
    ['+1'],
    ['1,000'],
    [' 1'],
    ['1.'],
    ['.5'],
    [''],
    [null],
    [true],
    [{}],
    ['9'.repeat(61)],
  ])('is refused when it gives %s for a price', (price) => {
    expect(parse(source, answerOf(source, price))).toBeUndefined()
  })

  it.each([[null], ['60000'], [60000], [[]], [{}], [{ error: 'down' }], [{ data: null, result: null }]])(
    'is refused when its whole answer is %j',
    (answer) => expect(parse(source, answer)).toBeUndefined(),
  )
})

it('refuses an answer about another pair than the one asked for', () => {
  expect(parse('coinbase', { data: { amount: '1', base: 'ETH', currency: 'USD' } })).toBeUndefined()
  expect(parse('coinbase', { data: { amount: '1', base: 'BTC', currency: 'EUR' } })).toBeUndefined()
  expect(parse('gemini', { bid: '1', ask: '1', volume: { ETH: '1', USD: '1' } })).toBeUndefined()
})

it('refuses a stale answer where the source says when it is from', () => {
  const at = (secondsAgo: number) => ({ timestamp: `${nowS - secondsAgo}`, bid: '1', ask: '1' })
  expect(parse('bitstamp', at(60))).toBeDefined()
  expect(parse('bitstamp', at(61))).toBeUndefined()
})

it('refuses what a source reports as an error, or more than one pair', () => {
  const pair = { a: ['1', '1', '1'], b: ['1', '1', '1'] }
  expect(parse('kraken', { error: ['EQuery:Unknown asset pair'], result: { X: pair } })).toBeUndefined()
  expect(parse('kraken', { error: [], result: { X: pair, Y: pair } })).toBeUndefined()
})

it('asks each source for the pair as that source writes it', () => {
  const paths = names.map((source) => sourceFormats[source].path('DOGE'))
  expect(paths).toEqual([
    '/v2/prices/DOGE-USD/spot',
    '/0/public/Ticker?pair=XDGUSD',
    '/api/v2/ticker/dogeusd/',
    '/v1/pubticker/dogeusd',
  ])
})

describe('the list of sources in the settings', () => {
  const setting = rateSources('RATE_SOURCES', '')

  it('reads names, and other addresses for them', () => {
    expect(setting.read(undefined)).toEqual({ value: [] })
    expect(setting.read('kraken, gemini=http://127.0.0.1:9000/')).toEqual({
      value: [
        { name: 'kraken', baseUrl: 'https://api.kraken.com' },
        { name: 'gemini', baseUrl: 'http://127.0.0.1:9000' },
      ],
    })
  })

  it.each(['nasdaq', 'kraken=ftp://x', 'kraken=', 'kraken,kraken', 'toString', 'kraken=http://'])(
    'refuses %s',
    (text) => expect(setting.read(text)).toHaveProperty('problem'),
  )
})
