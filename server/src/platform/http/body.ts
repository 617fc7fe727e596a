/**
 * Parses the body of a request as JSON, and rejects values that JSON allows but the database cannot store.
 */
import { fail, failField } from '../../core/errors.ts'

const depthMax = 16
const decoder = new TextDecoder('utf-8', { fatal: true })

export interface BodyHeaders {
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
}

/**
 * Returns the JSON value of a body. Returns undefined for an empty body, whatever media type it has.
 * @throws Problem 415 if the media type is not JSON or the body is compressed, 400 if the body is not JSON or
 * contains a value that cannot be stored
 */
export function parseBody(bytes: Uint8Array, headers: BodyHeaders): unknown {
  if (bytes.length === 0) return undefined
  if (!isJson(headers)) {
    throw fail('unsupported-media-type', 'Send the body as UTF-8 with Content-Type: application/json.')
  }
  const value = parseJson(bytes)
  checkStorable(value, '', 0)
  return value
}

function isJson({ contentType, contentEncoding }: BodyHeaders): boolean {
  if (contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== 'identity') return false
  const [mediaType = '', ...parameters] = (contentType ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase())
  if (!/^application\/(?:[\w.-]+\+)?json$/.test(mediaType)) return false
  return parameters.every(
    (parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter),
  )
}

function parseJson(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw fail('malformed-json', 'The body is not valid UTF-8.')
  }
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw fail('malformed-json', 'The body is not valid JSON.')
  }
}

/**
 * Rejects strings that cannot be stored exactly (see `unstorable`), numbers above 2^53 - 1 or below -(2^53 -
 * 1), and values nested deeper than `depthMax`.
 * @throws Problem invalid-request with a pointer to the value
 */
function checkStorable(value: unknown, pointer: string, depth: number): void {
  if (depth > depthMax) throw failField(pointer.slice(0, 100), `is nested deeper than ${depthMax} levels`)
  if (typeof value === 'string') {
    const error = unstorable(value)
    if (error !== undefined) throw failField(pointer, error)
  } else if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw failField(pointer, 'is a number too large to be exact; send amounts as decimal strings')
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkStorable(item, `${pointer}/${index}`, depth + 1)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, part] of Object.entries(value)) checkField(name, part, pointer, depth)
  }
}

function checkField(name: string, part: unknown, pointer: string, depth: number): void {
  if (unstorable(name) !== undefined)
    throw failField(pointer === '' ? '/' : pointer, 'has a field whose name is not valid text')
  const step = name.slice(0, 50).replaceAll('~', '~0').replaceAll('/', '~1')
  checkStorable(part, `${pointer}/${step}`, depth + 1)
}

/**
 * Returns what is wrong with a string; undefined if it can be stored. PostgreSQL rejects U+0000 in a text.
 * UTF-8 cannot express a lone surrogate (RFC 3629, section 3), so encoding would silently replace the
 * surrogate.
 */
export function unstorable(text: string): string | undefined {
  if (text.includes('\u0000')) return 'must not contain the character U+0000'
  return /\p{Surrogate}/u.test(text) ? 'must be well-formed Unicode, without lone surrogates' : undefined
}
