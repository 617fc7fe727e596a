/** Converts the errors of the schema validator into sentences for clients, such as "must not be empty". */
import type { FieldError } from '../../core/errors.ts'
import { type JsonSchema, schemaAt } from './json-schema.ts'

/** An error in the form in which TypeBox's compiled validator reports it. */
export interface SchemaFinding {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: object
}

const errorsMax = 10
const nameCharsMax = 100

/** Returns at most ten errors, at most one for each field, in the order of the findings. */
export function fieldErrors(schema: JsonSchema, findings: readonly SchemaFinding[]): readonly FieldError[] {
  const errors = new Map<string, FieldError>()
  for (const finding of findings) {
    for (const error of explain(schema, finding, findings)) {
      const pointer = shorten(error.pointer)
      if (errors.size < errorsMax && !errors.has(pointer)) errors.set(pointer, { ...error, pointer })
    }
  }
  return [...errors.values()]
}

function explain(
  schema: JsonSchema,
  finding: SchemaFinding,
  findings: readonly SchemaFinding[],
): readonly FieldError[] {
  const { keyword, instancePath: pointer, params } = finding
  switch (keyword) {
    case 'boolean':
      return []
    case 'additionalProperties':
      return names(params, 'additionalProperties').map((name) => ({
        pointer: `${pointer}/${escaped(name)}`,
        detail: 'is not a field of this request',
      }))
    case 'required':
      return names(params, 'requiredProperties').map((name) => ({
        pointer: `${pointer}/${escaped(name)}`,
        detail: 'is required',
      }))
    case 'const':
    case 'enum':
    case 'anyOf':
      return [{ pointer, detail: choicesAt(pointer, findings) }]
    default:
      return [{ pointer, detail: sentence(keyword, params, schemaAt(schema, finding.schemaPath)) }]
  }
}

function choicesAt(pointer: string, findings: readonly SchemaFinding[]): string {
  const choices = findings
    .filter((finding) => finding.instancePath === pointer)
    .flatMap(({ params }) => [
      ...('allowedValue' in params ? [params.allowedValue] : []),
      ...('allowedValues' in params && Array.isArray(params.allowedValues) ? params.allowedValues : []),
    ])
  return choices.length === 0 ? 'is not of a permitted type' : `must be one of ${choices.join(', ')}`
}

function sentence(keyword: string, params: object, schema: JsonSchema | undefined): string {
  const limit = 'limit' in params ? String(params.limit) : ''
  switch (keyword) {
    case 'type':
      return `must be ${article(schema?.type ?? 'value of another type')}`
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} characters`
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'minimum':
    case 'maximum':
      return bounds(schema)
    case 'minItems':
      return `must have at least ${limit} entries`
    case 'maxItems':
      return `must have at most ${limit} entries`
    case 'uniqueItems':
      return 'must not contain duplicate entries'
    default:
      return `must be ${schema?.description ?? 'of the documented form'}`
  }
}

function bounds(schema: JsonSchema | undefined): string {
  const { minimum, maximum } = schema ?? {}
  if (minimum !== undefined && maximum !== undefined) return `must be from ${minimum} to ${maximum}`
  return minimum !== undefined ? `must be at least ${minimum}` : `must be at most ${maximum}`
}

function article(type: string | readonly string[]): string {
  return /^[aeiou]/.test(String(type)) ? `an ${type}` : `a ${type}`
}

function names(params: object, key: string): readonly string[] {
  const value: unknown = new Map<string, unknown>(Object.entries(params)).get(key)
  return Array.isArray(value) ? value.map(String) : []
}

/** Escapes a name for a JSON pointer (RFC 6901, section 3). */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function shorten(pointer: string): string {
  return pointer.length <= nameCharsMax ? pointer : `${pointer.slice(0, nameCharsMax)}...`
}
