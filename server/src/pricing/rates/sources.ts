/**
 * Defines the public price sources and their answer formats. To add a source, add a row to `sourceFormats`.
 */
import { rateDecimals } from '../../core/money.ts'
import type { Setting } from '../../core/settings.ts'

export interface SourceFormat {
  readonly baseUrl: string
  /**
   * Returns path and query of the request for the price of one asset in USD; undefined if the source does not
   * trade the asset.
   */
  path(symbol: string): string | undefined
  /**
   * Returns the price in 10^-12 USD per whole unit; undefined if the answer is not in the documented format.
   */
  parse(answer: unknown, symbol: string, now: Date): bigint | undefined
}

export const sourceFormats = {
  // The answer is {"data":{"amount","base","currency"}}.
  // https://docs.cdp.coinbase.com/coinbase-app/track-apis/prices
  coinbase: {
    baseUrl: 'https://api.coinbase.com',
    path: (symbol) => `/v2/prices/${symbol}-USD/spot`,
    parse: (answer, symbol) => {
      const spot = field(answer, 'data')
      const isAsked = field(spot, 'base') === symbol && field(spot, 'currency') === 'USD'
      return isAsked ? parsePrice(field(spot, 'amount')) : undefined
    },
  },
  // The answer is {"error":[],"result":{pair:{"a":[..],"b":[..]}}}.
  // https://docs.kraken.com/api/docs/rest-api/get-ticker-information
  kraken: {
    baseUrl: 'https://api.kraken.com',
    path: (symbol) => `/0/public/Ticker?pair=${krakenNames[symbol] ?? symbol}USD`,
    parse: (answer) => {
      const errors = field(answer, 'error')
      const pairs = Object.values(asRecord(field(answer, 'result')) ?? {})
      if (!Array.isArray(errors) || errors.length > 0 || pairs.length !== 1) return undefined
      return middle(field(field(pairs[0], 'b'), '0'), field(field(pairs[0], 'a'), '0'))
    },
  },
  // The answer is {"timestamp","bid","ask",...}, with the time in seconds. https://www.bitstamp.net/api/
  bitstamp: {
    baseUrl: 'https://www.bitstamp.net',
    path: (symbol) => `/api/v2/ticker/${symbol.toLowerCase()}usd/`,
    parse: (answer, _symbol, now) => {
      const seconds = field(answer, 'timestamp')
      if (typeof seconds !== 'string' || !/^\d{1,12}$/.test(seconds)) return undefined
      const isStale = now.getTime() - Number(seconds) * 1000 > readingAgeMaxMs
      return isStale ? undefined : middle(field(answer, 'bid'), field(answer, 'ask'))
    },
  },
  // The answer is {"bid","ask","last","volume":{...}}. https://docs.gemini.com/rest/market-data
  gemini: {
    baseUrl: 'https://api.gemini.com',
    path: (symbol) => `/v1/pubticker/${symbol.toLowerCase()}usd`,
    parse: (answer, symbol) => {
      const isAsked = field(field(answer, 'volume'), symbol) !== undefined
      return isAsked ? middle(field(answer, 'bid'), field(answer, 'ask')) : undefined
    },
  },
} as const satisfies Record<string, SourceFormat>

export type SourceName = keyof typeof sourceFormats

export interface SourceChoice {
  readonly name: SourceName
  readonly baseUrl: string
}

/**
 * Defines a setting such as `coinbase,kraken=http://127.0.0.1:9000`. Its value is a list of sources, each
 * with an optional base URL.
 */
export function rateSources(name: string, meaning: string): Setting<readonly SourceChoice[]> {
  const read = (text: string | undefined) => {
    const choices: SourceChoice[] = []
    for (const item of (text ?? '').split(',').map((part) => part.trim())) {
      if (item === '') continue
      const choice = parseChoice(item)
      if (choice === undefined || choices.some((other) => other.name === choice.name)) {
        const known = Object.keys(sourceFormats).join(', ')
        return {
          problem: `${name} must list each of ${known} at most once, as name or name=url, not "${item}"`,
        }
      }
      choices.push(choice)
    }
    return { value: choices }
  }
  return { name, meaning, read }
}

function parseChoice(item: string): SourceChoice | undefined {
  const [, name = '', url] = /^([a-z]+)(?:=(https?:\/\/\S+))?$/.exec(item) ?? []
  if (!isSourceName(name) || (url !== undefined && !URL.canParse(url))) return undefined
  return { name, baseUrl: url === undefined ? sourceFormats[name].baseUrl : url.replace(/\/+$/, '') }
}

function isSourceName(text: string): text is SourceName {
  return Object.hasOwn(sourceFormats, text)
}

/** The symbols for which Kraken uses a name of its own. */
const krakenNames: Readonly<Record<string, string>> = { BTC: 'XBT', DOGE: 'XDG' }

const readingAgeMaxMs = 60_000
/** Maximum length of a price. No source sends a longer price. */
const priceCharsMax = 60

/**
 * Parses a plain decimal in a JSON string. A JSON number is rejected, because it may have passed through a
 * float. Decimal places beyond 10^-12 USD are cut off, because they are far smaller than the difference
 * between two sources.
 */
function parsePrice(value: unknown): bigint | undefined {
  if (typeof value !== 'string' || value.length > priceCharsMax) return undefined
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(value) ?? []
  if (whole === undefined) return undefined
  return BigInt(whole + fraction.slice(0, rateDecimals).padEnd(rateDecimals, '0'))
}

/**
 * Returns the mean of bid and ask. The price of the last trade is not used, because on a quiet market it may
 * be hours old.
 */
function middle(bidText: unknown, askText: unknown): bigint | undefined {
  const bid = parsePrice(bidText)
  const ask = parsePrice(askText)
  return bid === undefined || ask === undefined || bid === 0n || ask === 0n ? undefined : (bid + ask) / 2n
}

function field(value: unknown, name: string): unknown {
  const record = asRecord(value)
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}
