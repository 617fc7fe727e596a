import { Readable } from 'node:stream'
import { linkSignal } from '../core/concurrency/linked-signal.ts'
import { fail } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { type ShowCheckoutParts, type ShownStatus, type ShowQuestion, showCheckout } from './show-checkout.ts'
import { readMarks } from './store.ts'
import { statusView } from './view.ts'
import type { Viewers } from './viewers.ts'

export interface FollowParts extends ShowCheckoutParts {
  readonly viewers: Viewers
  readonly heartbeatMs?: number
  readonly streamMs?: number
}

export interface FollowQuestion extends ShowQuestion {
  /** Names who follows, for the bound on their number. */
  readonly client: string
  /** What the page shows already. */
  readonly version: string | undefined
}

/**
 * What a page shows, as a stream of server-sent events (HTML Standard, section 9.2): first if it is not what the page
 * has, then each time it is another. It ends when the signal aborts and after a while; the page then asks again.
 * @throws Problem too-many-requests, too-busy where no more may follow; not-found
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
    const stream = Readable.from(tell(parts, question, first, ending.signal))
    // Also where the client reads nothing, so that the next event is never asked for.
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
  readonly mark: string
  readonly status: ShownStatus
}

async function* tell(
  parts: FollowParts,
  question: FollowQuestion,
  first: News,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { viewers, heartbeatMs = limits.checkoutHeartbeatMs } = parts
  let { mark, status } = first
  let told = question.version
  let isMarkNew = true
  // Before the first event the browser must hear something to call the stream open.
  yield 'retry: 2000\n\n'
  while (!signal.aborted) {
    if (status.version !== told) yield eventOf(status)
    told = status.version
    const waiting = viewers.waitFor(question.invoiceId, mark, heartbeatMs, signal)
    // What came since the mark was read was told to nobody.
    if (isMarkNew) viewers.wake.now()
    isMarkNew = false
    const change = await waiting
    if (signal.aborted) return
    if (change === 'same') {
      yield ': still here\n\n'
      continue
    }
    const news = await readNews(parts, question, signal)
    // Deleted meanwhile: who asks again is told so.
    if (news === undefined) return
    mark = news.mark
    status = news.status
    isMarkNew = true
  }
}

/** What the page shows, with a mark that is not newer; undefined where the invoice, or who follows it, is gone. */
function readNews(
  parts: FollowParts,
  question: FollowQuestion,
  signal: AbortSignal,
): Promise<News | undefined> {
  return parts.viewers.inTurn(async () => {
    if (signal.aborted) return undefined
    const mark = (await readMarks(parts.db, [question.invoiceId])).get(question.invoiceId)
    return mark === undefined ? undefined : { mark, status: await showCheckout(parts, question) }
  })
}

function eventOf(status: ShownStatus): string {
  return `id: ${status.version}\ndata: ${JSON.stringify(statusView(status))}\n\n`
}
