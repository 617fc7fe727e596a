import { Readable } from 'node:stream'
import { limits } from '../core/limits.ts'
import { linkSignal } from '../core/linked-signal.ts'
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
    const mark = await readMark(parts, question)
    const first = await showCheckout(parts, question)
    const ending = linkSignal([signal], parts.streamMs ?? limits.checkoutStreamMs)
    const stream = Readable.from(tell(parts, question, { mark, first }, ending.signal))
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

interface Beginning {
  readonly mark: string | undefined
  readonly first: ShownStatus
}

async function* tell(
  parts: FollowParts,
  question: FollowQuestion,
  { mark: begun, first }: Beginning,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { viewers, heartbeatMs = limits.checkoutHeartbeatMs } = parts
  let mark = begun
  let status = first
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
    const news = await waiting
    if (signal.aborted) return
    if (news === 'same') {
      yield ': still here\n\n'
      continue
    }
    mark = await readMark(parts, question)
    isMarkNew = true
    // Deleted meanwhile: who asks again is told so.
    if (mark === undefined) return
    status = await showCheckout(parts, question)
  }
}

async function readMark({ db }: FollowParts, { invoiceId }: FollowQuestion): Promise<string | undefined> {
  return (await readMarks(db, [invoiceId])).get(invoiceId)
}

function eventOf(status: ShownStatus): string {
  return `id: ${status.version}\ndata: ${JSON.stringify(statusView(status))}\n\n`
}
