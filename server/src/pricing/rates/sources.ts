/** The public price sources and the formats they speak. Each is a row: adding one is a literal. */
import { rateDecimals } from '../../core/money.ts'
import type { Setting } from '../../core/settings.ts'

export interface SourceFormat {
  readonly baseUrl: string
  /** Path and query of the request for one asset in USD; undefined when the source does not trade it. */
  path(symbol: string): string | undefined
  /** The price in 10^-12 USD per whole unit; undefined when the answer is not what the source documents. */
  parse(answer: unknown, symbol: string, now: Date): bigint | undefined
}

export const sourceFormats = {
  // https://docs.cdp.coinbase.com/coinbase-app/track-apis/prices : {"data":{"amount","base","currency"}}
  coinbase: {
    baseUrl: 'https://api.coinbase.com',
    path: (symbol) => `/v2/prices/${symbol}-USD/spot`,
    parse: (answer, symbol) => {
      const spot = field(answer, 'data')
      const isAsked = field(spot, 'base') === symbol && field(spot, 'currency') === 'USD'
      return isAsked ? parsePrice(field(spot, 'amount')) : undefined
    },
  },
  // https://docs.kraken.com/api/docs/rest-api/get-ticker-information : {"error":[],"result":{pair:{"a":[..],"b":[..]}}}
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
  // https://www.bitstamp.net/api/ : {"timestamp" in seconds,"bid","ask",...}
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
  // https://docs.gemini.com/rest/market-data : {"bid","ask","last","volume":{...}}
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

/** `coinbase,kraken=http://127.0.0.1:9000`: names of sources, each with another base URL if need be. */
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

/** Kraken's own spelling of some assets. */
const krakenNames: Readonly<Record<string, string>> = { BTC: 'XBT', DOGE: 'XDG' }

const readingAgeMaxMs = 60_000
/** More digits than any source sends; a longer text is not a price. */
const priceCharsMax = 60

/**
 * A plain decimal in a JSON string: sources that send numbers have passed through a float. Places beyond 10^-12 USD
 * are cut, which is far below what two sources differ by.
 */
function parsePrice(value: unknown): bigint | undefined {
  if (typeof value !== 'string' || value.length > priceCharsMax) return undefined
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(value) ?? []
  if (whole === undefined) return undefined
  return BigInt(whole + fraction.slice(0, rateDecimals).padEnd(rateDecimals, '0'))
}

/** Half way between bid and ask: the last trade of a quiet market may be hours old. */
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
