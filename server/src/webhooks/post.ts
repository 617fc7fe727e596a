import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { startTimer } from '../core/clock.ts'
import { limits } from '../core/limits.ts'

/** A request with the exact bytes to send. */
export interface Prepared {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** The endpoint's answer, with the beginning of its body as `excerpt`. */
export interface Answered {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly excerpt: string
}

export interface PostParts {
  readonly agent: Dispatcher
  /**
   * Time limit for connecting, headers and body together, so that a slow receiver cannot keep an attempt
   * running.
   */
  readonly totalMs: number
  /** Aborts the attempt. */
  readonly stop: AbortSignal
}

export class AttemptTimeout extends Error {
  override readonly name = 'AttemptTimeout'
}

class BrokenOff extends Error {
  override readonly name = 'AbortError'
}

/**
 * Sends a request and reads the body of the answer up to a maximum size. The body is not decompressed, and
 * redirects are not followed.
 * @throws AttemptTimeout after `totalMs`, or the error that prevented a complete answer.
 */
export function post(
  { agent, totalMs, stop }: PostParts,
  { url, headers, body }: Prepared,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const { origin, pathname, search } = new URL(url)
    const exchange = new Exchange((ended) => {
      timer.cancel()
      stop.removeEventListener('abort', breakOff)
      if ('error' in ended) reject(ended.error)
      else resolve(ended)
    })
    const breakOff = () => exchange.breakOff(new BrokenOff())
    const timer = startTimer(() => exchange.breakOff(new AttemptTimeout()), totalMs)
    stop.addEventListener('abort', breakOff, { once: true })
    agent.dispatch(
      { origin, path: `${pathname}${search}`, method: 'POST', headers: { ...headers }, body },
      exchange,
    )
    if (stop.aborted) breakOff()
  })
}

/**
 * Handles one request, with the interface of undici's `dispatch`. undici's `request` is not used, because
 * creating its streams takes as much time as sending. Only the first bytes of the response body are kept.
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

  /**
   * Ends the request at once, in any state. If a connection is still being opened, the request is not sent on
   * it.
   */
  breakOff(reason: Error): void {
    this.#endWith({ error: reason })
    this.#brokenBy = reason
    this.#controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#brokenBy !== undefined) controller.abort(this.#brokenBy)
  }

  /**
   * Stores the status and Retry-After of the final response. undici also calls this method for interim
   * responses (RFC 9110, 15.2), which are ignored.
   */
  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    this.#status = status
    const retryAfter: string | string[] | undefined = headers['retry-after']
    this.#retryAfter = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter
  }

  /**
   * Reads the body to its end, so that the connection can be reused. If the body exceeds the size limit,
   * closes the connection.
   */
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
    // The character NUL is replaced, because PostgreSQL's type `text` cannot store it.
    const excerpt = text.replaceAll('\u0000', '\ufffd')
    return { status: this.#status, retryAfter: this.#retryAfter, excerpt }
  }

  #endWith(ended: Answered | { readonly error: Error }): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#end(ended)
  }
}
