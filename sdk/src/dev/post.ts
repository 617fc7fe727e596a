/**
 * Sends one request to a receiver in the same way as a server's webhook delivery: with only the given
 * headers, and without following redirects.
 */
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'

export interface PostedRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Outcome {
  readonly tookMs: number
  /** Undefined if there was no complete response. */
  readonly status?: number
  /** The beginning of the response body. */
  readonly excerpt?: string
  /** The reason why there was no complete response. */
  readonly error?: string
}

/** Time limit of a request. A server has the same limit. */
const totalMs = 15_000
const excerptChars = 300

export async function post(target: URL, { headers, body }: PostedRequest): Promise<Outcome> {
  const startedAt = performance.now()
  const took = () => Math.round(performance.now() - startedAt)
  try {
    const { status, excerpt } = await send(target, headers, Buffer.from(body))
    return { tookMs: took(), status, excerpt }
  } catch (error) {
    return { tookMs: took(), error: reasonOf(error) }
  }
}

function send(target: URL, headers: Readonly<Record<string, string>>, body: Buffer) {
  return new Promise<{ status: number; excerpt: string }>((resolve, reject) => {
    const request = target.protocol === 'https:' ? tlsRequest : plainRequest
    const options = { method: 'POST', headers: { ...headers, 'content-length': body.length } }
    const sent = request(target, { ...options, signal: AbortSignal.timeout(totalMs) }, (response) => {
      let excerpt = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        if (excerpt.length < excerptChars) excerpt += text.slice(0, excerptChars)
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, excerpt }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'timeout'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

export function isTaken({ status = 0 }: Outcome): boolean {
  return status >= 200 && status < 300
}

const unreached = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Returns whether the connection to the receiver failed. The receiver has then not seen the request. */
export function isUnreached({ error }: Outcome): boolean {
  return error !== undefined && unreached.has(error)
}
