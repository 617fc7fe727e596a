/**
 * Parses the parts of a request that a route declares. Each route has its own reader, which compiles the
 * schemas only once.
 */
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { type FieldError, fail } from '../../core/errors.ts'
import { isId } from '../../core/ids.ts'
import { unstorable } from './body.ts'
import { fieldErrors } from './field-errors.ts'
import { closed, type JsonSchema, withoutNulls } from './json-schema.ts'
import { readQuery, readScalar } from './query.ts'
import type { Route } from './route.ts'

export interface RawRequest {
  /** The URL as it was sent. */
  readonly url: string
  readonly params: Readonly<Record<string, string>>
  /** Parsed JSON; undefined if the body is empty. */
  readonly body: unknown
}

export interface ReadRequest {
  readonly params: Readonly<Record<string, unknown>>
  readonly query: unknown
  readonly body: unknown
}

/**
 * @returns a function that parses a request. The function throws Problem 400 with the errors of query and
 * body. If these have no errors, it throws Problem 404 for an invalid value in the path
 */
export function requestReader(route: Route): (raw: RawRequest) => ReadRequest {
  const readQueryPart = queryReader(route)
  const readBodyPart = bodyReader(route.body)
  const readParams = paramsReader(route)
  return (raw) => {
    const query = readQueryPart(raw.url)
    const body = readBodyPart(raw.body)
    const errors = [...query.errors, ...body.errors]
    if (errors.length > 0) throw invalid(errors)
    return { params: readParams(raw.params), query: query.value, body: body.value }
  }
}

interface Part {
  readonly value: unknown
  readonly errors: readonly FieldError[]
}

function invalid(errors: readonly FieldError[]) {
  const detail = errors.map((error) => `${error.pointer} ${error.detail}`).join('; ')
  return fail('invalid-request', `${detail}.`, { errors })
}

function queryReader({ query: schema, method }: Route): (url: string) => Part {
  // On DELETE an empty parameter is an error. A filter that is empty by mistake must not delete more than was
  // meant.
  const mayBeEmpty = method !== 'DELETE'
  const declared = schema === undefined ? {} : closed(schema)
  const check = checker(declared)
  return (url) => {
    const cut = url.indexOf('?')
    const { values, errors } = readQuery(cut < 0 ? '' : url.slice(cut + 1), declared, mayBeEmpty)
    const misread = new Set(errors.map(({ pointer }) => pointer))
    const more = check(values)
      .map(({ pointer, detail }) => ({ pointer: `query${pointer}`, detail }))
      .filter(({ pointer }) => !misread.has(pointer))
    return { value: schema === undefined ? undefined : values, errors: [...errors, ...more].slice(0, 10) }
  }
}

function bodyReader(schema: TSchema | undefined): (body: unknown) => Part {
  const declared =
    schema === undefined
      ? ({ type: 'object', properties: {}, additionalProperties: false } as const)
      : closed(schema)
  const check = checker(declared)
  return (body) => {
    const value = withoutNulls(declared, body === undefined ? {} : body)
    return { value: schema === undefined ? undefined : value, errors: check(value) }
  }
}

function checker(schema: JsonSchema): (value: unknown) => readonly FieldError[] {
  const compiled = Compile(schema)
  return (value) => (compiled.Check(value) ? [] : fieldErrors(schema, compiled.Errors(value)))
}

function paramsReader(route: Route): (params: Readonly<Record<string, string>>) => Record<string, unknown> {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const declared = names
    .filter((name) => name !== 'merchantID')
    .map((name) => ({ name, read: paramReader(route.params?.[name]) }))
  return (params) => Object.fromEntries(declared.map(({ name, read }) => [name, read(params[name] ?? '')]))
}

/** Returns a parser of one path parameter. Ids become lower case, the form in which they are stored. */
function paramReader(schema: TSchema | undefined): (text: string) => unknown {
  if (schema === undefined) {
    return (text) => {
      if (!isId(text)) throw fail('not-found', 'Not found.')
      return text.toLowerCase()
    }
  }
  const declared = closed(schema)
  const compiled = Compile(declared)
  return (text) => {
    const { value, error = unstorable(text) } = readScalar(text, declared)
    if (error !== undefined || !compiled.Check(value)) throw fail('not-found', 'Not found.')
    return value
  }
}
