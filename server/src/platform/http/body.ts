/** From the bytes of a request to a JSON value that can be stored: what JSON allows and a database does not ends here. */
import { fail, failField } from '../../core/errors.ts'

const depthMax = 16
const decoder = new TextDecoder('utf-8', { fatal: true })

export interface BodyHeaders {
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
}

/**
 * The JSON value of a body; undefined when it is empty, whatever its media type.
 * @throws Problem 415 for another media type or an encoded body, 400 for what is no storable JSON.
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

/** Refuses what cannot be kept exactly, naming its place: see `unstorable`; also numbers no integer can hold. */
function checkStorable(value: unknown, pointer: string, depth: number): void {
  if (depth > depthMax) throw failField(pointer.slice(0, 100), `is nested deeper than ${depthMax} levels`)
  if (typeof value === 'string') {
    const fault = unstorable(value)
    if (fault !== undefined) throw failField(pointer, fault)
  } else if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw failField(pointer, 'is a number too large to be exact; amounts are decimal strings')
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkStorable(item, `${pointer}/${index}`, depth + 1)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, part] of Object.entries(value)) checkField(name, part, pointer, depth)
  }
}

function checkField(name: string, part: unknown, pointer: string, depth: number): void {
  if (unstorable(name) !== undefined)
    throw failField(pointer === '' ? '/' : pointer, 'has a field whose name is no text')
  const step = name.slice(0, 50).replaceAll('~', '~0').replaceAll('/', '~1')
  checkStorable(part, `${pointer}/${step}`, depth + 1)
}

/**
 * What is wrong with a string, or undefined. PostgreSQL's text has no U+0000 and UTF-8 no lone surrogates (RFC 3629,
 * section 3): the first would be refused there, the second silently replaced.
 */
export function unstorable(text: string): string | undefined {
  if (text.includes('\u0000')) return 'must not contain the character U+0000'
  return /\p{Surrogate}/u.test(text) ? 'must be well-formed Unicode, without lone surrogates' : undefined
}
