/** Reads the body and headers of a webhook request in the forms in which frameworks provide them. */
import { WebhookRefusedError } from './webhook-refused-error.ts'

/** A `Headers` object, Node's `request.headers`, or a plain record. The case of the names does not matter. */
export type RequestHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** The raw body, exactly as received and not parsed. */
export type RawBody = string | Uint8Array | ArrayBuffer

const remedy =
  "Pass the raw body to verifyWebhook, before anything parses it: express.raw({ type: '*/*' }) in Express, " +
  "addContentTypeParser with parseAs 'buffer' in Fastify, request.arrayBuffer() with the fetch API."

/**
 * Returns the bytes of a body.
 * @throws WebhookRefusedError body-not-raw
 */
export function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  // `instanceof` is not used, because a test runner or an iframe has its own `ArrayBuffer` class.
  if (ArrayBuffer.isView(body))
    return Uint8Array.from(new Uint8Array(body.buffer, body.byteOffset, body.byteLength))
  if (isArrayBuffer(body)) return new Uint8Array(body)
  const found =
    body === undefined || body === null
      ? 'The request has no body, or the body was not read.'
      : `The body was parsed: it is ${typeof body === 'object' ? 'an object' : `a ${typeof body}`}, but only the raw bytes can be verified.`
  throw new WebhookRefusedError('body-not-raw', `${found} ${remedy}`)
}

function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]'
}

/**
 * Returns a function that looks up a header by its lower-case name. The values of a repeated header are
 * joined with spaces.
 */
export function headerReader(headers: RequestHeaders): (name: string) => string | undefined {
  if (typeof headers !== 'object' || headers === null)
    throw new TypeError('headers is missing: pass the headers of the request to verifyWebhook')
  if (isHeaders(headers)) return (name) => headers.get(name) ?? undefined
  const values = new Map<string, string>()
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined)
      values.set(name.toLowerCase(), typeof value === 'string' ? value : value.join(' '))
  return (name) => values.get(name)
}

function isHeaders(headers: RequestHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function'
}
