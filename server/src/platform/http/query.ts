/** Parses query strings and path segments strictly, by the schema of each value. */
import type { FieldError } from '../../core/errors.ts'
import { unstorable } from './body.ts'
import type { JsonSchema } from './json-schema.ts'

export interface QueryReading {
  /** The parsed values with defaults filled in. The caller must still validate them by the schema. */
  readonly values: Readonly<Record<string, unknown>>
  readonly errors: readonly FieldError[]
}

/**
 * Parses the part of a URL after `?`. A list may be sent as `a[]=x&a[]=y`, `a=x&a=y`, `a=x` or `a=x,y`. An
 * undeclared name or an invalid percent-escape is an error. A parameter that is no list and is sent twice is
 * also an error; an alias counts as the same parameter.
 * @param mayBeEmpty if true, an empty value counts as not sent; if false, an empty value is an error
 */
export function readQuery(text: string, schema: JsonSchema, mayBeEmpty = true): QueryReading {
  const errors: FieldError[] = []
  const sent = new Map<string, string[]>()
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const { name, value, error } = readPair(pair, schema)
    if (error !== undefined) errors.push({ pointer: `query/${name}`, detail: error })
    else if (value !== '') sent.set(name, [...(sent.get(name) ?? []), value])
    else if (!mayBeEmpty) errors.push({ pointer: `query/${name}`, detail: 'must not be empty' })
  }
  const values = Object.entries(schema.properties ?? {}).flatMap(([name, part]): [string, unknown][] => {
    const { value = part.default, error } = readValue(sent.get(name) ?? [], part)
    if (error !== undefined) errors.push({ pointer: `query/${name}`, detail: error })
    return value === undefined || error !== undefined ? [] : [[name, value]]
  })
  return { values: Object.fromEntries(values), errors }
}

interface Pair {
  readonly name: string
  readonly value: string
  readonly error?: string
}

function readPair(pair: string, { properties = {}, 'x-aliases': aliases = {} }: JsonSchema): Pair {
  const declaredName = (sent: string) => (Object.hasOwn(aliases, sent) ? (aliases[sent] ?? sent) : sent)
  const cut = pair.indexOf('=')
  const rawName = decode(cut < 0 ? pair : pair.slice(0, cut))
  const value = decode(cut < 0 ? '' : pair.slice(cut + 1))
  if (rawName === undefined) return { name: pair.slice(0, 50), value: '', error: 'has an invalid escape' }
  const isList = rawName.endsWith('[]')
  const name = declaredName(isList ? rawName.slice(0, -2) : rawName)
  const known = Object.hasOwn(properties, name) ? properties[name] : undefined
  if (known === undefined || (isList && known.type !== 'array')) {
    return { name: rawName.slice(0, 50), value: '', error: 'is not a parameter of this request' }
  }
  if (value === undefined) return { name, value: '', error: 'has an invalid escape or is not UTF-8' }
  const error = unstorable(value)
  return error === undefined ? { name, value } : { name, value: '', error }
}

interface ValueReading {
  readonly value?: unknown
  readonly error?: string
}

function readValue(texts: readonly string[], schema: JsonSchema): ValueReading {
  if (schema.type === 'array') {
    // Splits at commas, because no value of a list contains a comma.
    const parts = texts.flatMap((text) => text.split(',')).filter((part) => part !== '')
    if (parts.length === 0) return {}
    const readings = parts.map((part) => readScalar(part, schema.items ?? {}))
    const error = readings.find((reading) => reading.error !== undefined)?.error
    return error === undefined ? { value: readings.map((reading) => reading.value) } : { error }
  }
  const [text, ...more] = texts
  if (more.length > 0) return { error: 'is given more than once' }
  return text === undefined ? {} : readScalar(text, schema)
}

/**
 * Parses one value. An integer must be plain digits, and a boolean `true` or `false`. A value of any other
 * type is the text itself.
 */
export function readScalar(text: string, schema: JsonSchema): ValueReading {
  switch (schema.type) {
    case 'integer':
      // JavaScript numbers are exact up to 15 digits, and a longer number exceeds the bound of every schema.
      if (!/^\d+$/.test(text)) return { error: 'must be a whole number in digits' }
      return text.length > 15 ? { error: 'is too large' } : { value: Number(text) }
    case 'boolean':
      return text === 'true' || text === 'false'
        ? { value: text === 'true' }
        : { error: 'must be true or false' }
    default:
      return { value: text }
  }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
