import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type Dispatcher, getGlobalDispatcher, interceptors, request } from 'undici'
import { wallMs } from '../../core/clock.ts'
import { type LinkedSignal, linkSignal } from '../../core/concurrency/linked-signal.ts'

/** A sanctions list that was opened at its path or URL. */
export interface ListSource {
  /** The name for logs and messages: the path, or the URL without its query, which may contain a key. */
  readonly name: string
  /** The last time at which the content was known to be the newest list of its publisher. */
  readonly freshAt: Date
  readonly chunks: AsyncIterable<Uint8Array>
}

/** The time limit is long enough to load a list of 80 MB over a slow connection. */
const fetchTimeoutMs = 10 * 60_000
const redirectsMax = 5

/**
 * Opens the list at a path or an https URL. The age of a file's content is taken from the file's ctime,
 * because ordinary tools cannot set the ctime back. A file that nobody renews therefore becomes stale.
 * @throws Error if the list cannot be read; the message names the source and the reason
 */
export async function openSource(
  location: string,
  signal: AbortSignal,
  dispatcher?: Dispatcher,
): Promise<ListSource> {
  return isUrl(location) ? openUrl(new URL(location), signal, dispatcher) : openFile(location)
}

function isUrl(location: string): boolean {
  return /^https?:\/\//i.test(location)
}

async function openFile(path: string): Promise<ListSource> {
  const { ctime } = await stat(path)
  const now = new Date(wallMs())
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
    throw new Error(`${name} must be an https URL, so that the list cannot be altered in transit`)
  const bounded = linkSignal([signal], fetchTimeoutMs)
  try {
    const headers = { 'user-agent': 'coffer' }
    const { statusCode, body } = await request(url, { signal: bounded.signal, headers, dispatcher })
    if (statusCode !== 200) {
      await body.dump()
      throw new Error(`${name} answered with status ${statusCode}`)
    }
    return { name, freshAt: new Date(wallMs()), chunks: releasing(body, bounded) }
  } catch (error) {
    bounded.release()
    throw error
  }
}

/** Yields the chunks of a body. The time limit of the request also covers the body. */
async function* releasing(
  body: AsyncIterable<Uint8Array>,
  { release }: LinkedSignal,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* body
  } finally {
    release()
  }
}
