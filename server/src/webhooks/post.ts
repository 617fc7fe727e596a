import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { limits } from '../core/limits.ts'

/** A webhook as its bytes leave. */
export interface Prepared {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** A complete answer, or as much of it as is read. */
export interface Answered {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly excerpt: string
}

export interface PostParts {
  readonly agent: Dispatcher
  /** For connecting, headers and body together, so that neither can drip for ever. */
  readonly totalMs: number
  /** Breaks the attempt off. */
  readonly stop: AbortSignal
}

export class AttemptTimeout extends Error {
  override readonly name = 'AttemptTimeout'
}

class BrokenOff extends Error {
  override readonly name = 'AbortError'
}

/**
 * Sends, and reads as much of the answer as there may be, as it is: nothing is decompressed, no redirect is followed.
 * @throws AttemptTimeout, or what kept a complete answer from coming.
 */
export function post(
  { agent, totalMs, stop }: PostParts,
  { url, headers, body }: Prepared,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const { origin, pathname, search } = new URL(url)
    const exchange = new Exchange((ended) => {
      clearTimeout(timer)
      stop.removeEventListener('abort', breakOff)
      if ('error' in ended) reject(ended.error)
      else resolve(ended)
    })
    const breakOff = () => exchange.breakOff(new BrokenOff())
    const timer = setTimeout(() => exchange.breakOff(new AttemptTimeout()), totalMs)
    stop.addEventListener('abort', breakOff, { once: true })
    agent.dispatch(
      { origin, path: `${pathname}${search}`, method: 'POST', headers: { ...headers }, body },
      exchange,
    )
    if (stop.aborted) breakOff()
  })
}

/**
 * One request as undici tells of it. Without the streams of its `request`, whose making takes as much time as sending:
 * of an answer there are a few bytes to keep, or none.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #end: (ended: Answered | { readonly error: Error }) => void
  #controller: Dispatcher.DispatchController | undefined
  #hasEnded = false
  #brokenBy: Error | undefined
  #status = 0
  #retryAfter: string | undefined
  readonly #kept: Buffer[] = []
  #bytes = 0

  constructor(end: (ended: Answered | { readonly error: Error }) => void) {
    this.#end = end
  }

  /** Ends it now, whatever is under way; a connection that is only being made is not used for it any more. */
  breakOff(reason: Error): void {
    this.#endWith({ error: reason })
    this.#brokenBy = reason
    this.#controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#brokenBy !== undefined) controller.abort(this.#brokenBy)
  }

  /** Also called for interim answers (RFC 9110, 15.2), which are not the answer. */
  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    this.#status = status
    const retryAfter: string | string[] | undefined = headers['retry-after']
    this.#retryAfter = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter
  }

  /** Read to the end so that the connection can be kept, but no further than the cap: then it is closed. */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes < limits.deliveryResponseKeptBytes) this.#kept.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes <= limits.deliveryResponseBytes) return
    this.#endWith(this.#answered())
    controller.abort(new BrokenOff())
  }

  onResponseEnd(): void {
    this.#endWith(this.#answered())
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#endWith({ error })
  }

  #answered(): Answered {
    const text = Buffer.concat(this.#kept).subarray(0, limits.deliveryResponseKeptBytes).toString('utf8')
    // Postgres text holds every character but this one.
    const excerpt = text.replaceAll('\u0000', '\ufffd')
    return { status: this.#status, retryAfter: this.#retryAfter, excerpt }
  }

  #endWith(ended: Answered | { readonly error: Error }): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#end(ended)
  }
}
