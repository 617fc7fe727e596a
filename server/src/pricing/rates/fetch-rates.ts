import { type Dispatcher, request } from 'undici'
import type { Clock } from '../../core/clock.ts'
import { withinTime } from '../../core/concurrency/linked-signal.ts'
import type { Log } from '../../core/log.ts'
import type { Reading } from './rate.ts'
import { type SourceChoice, sourceFormats } from './sources.ts'

export interface FetchRatesParts {
  readonly sources: readonly SourceChoice[]
  readonly clock: Clock
  readonly log: Log
  readonly dispatcher?: Dispatcher
  readonly timeoutMs?: number
}

/**
 * Asks every source for the price of every symbol. The sources are asked in parallel. The symbols of one
 * source are asked one after another, because of the source's rate limits. If a source fails, is slow or
 * sends an invalid answer, its readings are left out, and the other sources are not affected. The readings of
 * a symbol are in the order of the sources, whichever answers first. The promise never rejects.
 */
export async function fetchRates(
  parts: FetchRatesParts,
  symbols: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly Reading[]>> {
  const askAll = (source: SourceChoice) =>
    withinTime([signal], parts.timeoutMs ?? sourceTimeoutMs, async (bounded) => {
      const readings = new Map<string, Reading>()
      for (const symbol of symbols) {
        const reading = await askOne(parts, { source, symbol }, bounded)
        if (reading !== undefined) readings.set(symbol, reading)
      }
      return readings
    })
  const bySource = await Promise.all(parts.sources.map(askAll))
  return new Map(symbols.map((symbol) => [symbol, bySource.flatMap((own) => own.get(symbol) ?? [])]))
}

/** The timeout for all symbols of one source. It is far less than the 90 s for which a rate is fresh. */
const sourceTimeoutMs = 10_000
const answerBytesMax = 64 * 1024

async function askOne(
  parts: FetchRatesParts,
  { source, symbol }: { source: SourceChoice; symbol: string },
  signal: AbortSignal,
): Promise<Reading | undefined> {
  const format = sourceFormats[source.name]
  try {
    const answer = await readJson(`${source.baseUrl}${format.path(symbol)}`, parts.dispatcher, signal)
    const priceUsd = format.parse(answer, symbol, parts.clock.now())
    if (priceUsd === undefined) throw new Error('the answer is not a price in the format of the source')
    return { source: source.name, priceUsd }
  } catch (error) {
    if (!signal.aborted) parts.log.warn({ source: source.name, symbol, err: error }, 'no price from a source')
    return undefined
  }
}

async function readJson(
  url: string,
  dispatcher: Dispatcher | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  const headers = { accept: 'application/json', 'user-agent': 'coffer' }
  const options = dispatcher === undefined ? { signal, headers } : { signal, headers, dispatcher }
  const { statusCode, body } = await request(url, options)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > answerBytesMax) throw new Error('the answer is too long to be a price')
    chunks.push(chunk)
  }
  if (statusCode !== 200) throw new Error(`status ${statusCode}`)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}
