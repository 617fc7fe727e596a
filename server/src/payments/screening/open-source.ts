import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type Dispatcher, getGlobalDispatcher, interceptors, request } from 'undici'

/** A list where it is published. */
export interface ListSource {
  /** How it is told of: the path, or the URL without what may be a key. */
  readonly name: string
  /** Up to when it is known to be what its publisher says. */
  readonly freshAt: Date
  readonly chunks: AsyncIterable<Uint8Array>
}

/** All of a list of 80 MB over a slow line. */
const fetchTimeoutMs = 10 * 60_000
const redirectsMax = 5

/**
 * Opens the list at a path or an https URL. A file is as fresh as its last change on this machine (ctime, which no tool
 * sets back): a copy that nobody renews grows old although it can be read.
 * @throws Error where it cannot be read, saying which and why
 */
export async function openSource(
  place: string,
  signal: AbortSignal,
  dispatcher?: Dispatcher,
): Promise<ListSource> {
  return isUrl(place) ? openUrl(new URL(place), signal, dispatcher) : openFile(place)
}

function isUrl(place: string): boolean {
  return /^https?:\/\//i.test(place)
}

async function openFile(path: string): Promise<ListSource> {
  const { ctime } = await stat(path)
  const now = new Date()
  return { name: path, freshAt: ctime < now ? ctime : now, chunks: createReadStream(path) }
}

async function openUrl(
  url: URL,
  signal: AbortSignal,
  dispatcher: Dispatcher = getGlobalDispatcher().compose(
    interceptors.redirect({ maxRedirections: redirectsMax }),
  ),
): Promise<ListSource> {
  const name = `${url.origin}${url.pathname}`
  if (url.protocol !== 'https:')
    throw new Error(`${name} must be https: nobody may change the list on its way`)
  const { statusCode, body } = await request(url, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(fetchTimeoutMs)]),
    headers: { 'user-agent': 'coffer' },
    dispatcher,
  })
  if (statusCode !== 200) {
    await body.dump()
    throw new Error(`${name} answered with status ${statusCode}`)
  }
  return { name, freshAt: new Date(), chunks: body as AsyncIterable<Uint8Array> }
}
