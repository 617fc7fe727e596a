import { Readable } from 'node:stream'
import { linkSignal } from '../core/concurrency/linked-signal.ts'
import { fail } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { type ShowCheckoutParts, type ShownStatus, type ShowQuestion, showCheckout } from './show-checkout.ts'
import { readVersions } from './store.ts'
import { statusView } from './view.ts'
import type { Viewers } from './viewers.ts'

export interface FollowParts extends ShowCheckoutParts {
  readonly viewers: Viewers
  readonly heartbeatMs?: number
  readonly streamMs?: number
}

export interface FollowQuestion extends ShowQuestion {
  /** Identifies the client, which may open only a limited number of such streams at once. */
  readonly client: string
  /** The version of the content that the page shows already. */
  readonly version: string | undefined
}

/**
 * Streams the content of a page as server-sent events (HTML Standard, section 9.2). If the page does not show
 * the current version, the first event is sent at once. Another event follows whenever the content changes.
 * The stream ends when the signal aborts or after a maximum time; the page then reconnects.
 * @throws Problem too-many-requests or too-busy if too many streams are open; not-found
 */
export async function followCheckout(
  parts: FollowParts,
  question: FollowQuestion,
  signal: AbortSignal,
): Promise<Readable> {
  const leave = parts.viewers.admit(question.client)
  try {
    const first = await readNews(parts, question, signal)
    if (first === undefined) throw fail('not-found', 'No such invoice.')
    const ending = linkSignal([signal], parts.streamMs ?? limits.checkoutStreamMs)
    const stream = Readable.from(watchStatus(parts, question, first, ending.signal))
    // Aborting is not enough: while the client reads nothing, the generator is suspended and does not see the
    // signal. The stream is therefore destroyed.
    const end = () => stream.destroy()
    ending.signal.addEventListener('abort', end, { once: true })
    stream.once('close', () => {
      ending.release()
      leave()
    })
    return stream
  } catch (error) {
    leave()
    throw error
  }
}

interface News {
  readonly version: string
  readonly status: ShownStatus
}

async function* watchStatus(
  parts: FollowParts,
  question: FollowQuestion,
  first: News,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { viewers, heartbeatMs = limits.checkoutHeartbeatMs } = parts
  let { version, status } = first
  let sentVersion = question.version
  let isVersionNew = true
  // The browser reports the stream as open only after the first bytes have arrived.
  yield 'retry: 2000\n\n'
  while (!signal.aborted) {
    if (status.version !== sentVersion) yield eventOf(status)
    sentVersion = status.version
    const waiting = viewers.waitFor(question.invoiceId, version, heartbeatMs, signal)
    // The version may have changed after it was read and before this wait began. A poll at once finds such a
    // change.
    if (isVersionNew) viewers.wake.now()
    isVersionNew = false
    const change = await waiting
    if (signal.aborted) return
    if (change === 'same') {
      yield ': still here\n\n'
      continue
    }
    const news = await readNews(parts, question, signal)
    // The invoice was deleted meanwhile. A client that reconnects gets not-found.
    if (news === undefined) return
    version = news.version
    status = news.status
    isVersionNew = true
  }
}

/**
 * Reads the version of a page first, and then its content. If the content changes between the two reads, the
 * new version is noticed later, so the change is not missed. Returns undefined if the invoice was deleted or
 * the client has disconnected.
 */
function readNews(
  parts: FollowParts,
  question: FollowQuestion,
  signal: AbortSignal,
): Promise<News | undefined> {
  return parts.viewers.readLimit(async () => {
    if (signal.aborted) return undefined
    const version = (await readVersions(parts.db, [question.invoiceId])).get(question.invoiceId)
    return version === undefined ? undefined : { version, status: await showCheckout(parts, question) }
  })
}

function eventOf(status: ShownStatus): string {
  return `id: ${status.version}\ndata: ${JSON.stringify(statusView(status))}\n\n`
}
