/** A webhook request as whatever framework hands it over. */
import { WebhookRefusedError } from './webhook-refused-error.ts'

/** A `Headers`, Node's `request.headers`, or a plain record; names in any case. */
export type RequestHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** The body as it came, before any parsing. */
export type RawBody = string | Uint8Array | ArrayBuffer

const remedy =
  "Give verifyWebhook the body as it came, before anything parses it: express.raw({ type: '*/*' }) in Express, " +
  "addContentTypeParser with parseAs 'buffer' in Fastify, request.arrayBuffer() where there is fetch."

/** The bytes of a body. @throws WebhookRefusedError body-not-raw */
export function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  // Not by instanceof: test runners and frames have classes of their own.
  if (ArrayBuffer.isView(body))
    return Uint8Array.from(new Uint8Array(body.buffer, body.byteOffset, body.byteLength))
  if (isArrayBuffer(body)) return new Uint8Array(body)
  const found =
    body === undefined || body === null
      ? 'The request has no body, or nothing read it.'
      : `The body was parsed: it is ${typeof body === 'object' ? 'an object' : `a ${typeof body}`}, and only the bytes that came can be verified.`
  throw new WebhookRefusedError('body-not-raw', `${found} ${remedy}`)
}

function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]'
}

/** Looks headers up by their names in lower case; what came several times is joined by blanks. */
export function headerReader(headers: RequestHeaders): (name: string) => string | undefined {
  if (typeof headers !== 'object' || headers === null)
    throw new TypeError('headers is missing: give verifyWebhook the headers of the request')
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
