/** Renders one operation of the API as a section of the HTML page that describes the API. */

import type { JsonSchema } from '../json-schema.ts'
import {
  isRef,
  type MediaType,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type Ref,
  type Response,
} from '../openapi/openapi.ts'
import { curlExample } from './curl-example.ts'
import { escapeHtml, markdownHtml } from './page.ts'

export function operationSection(
  document: OpenApiDocument,
  { method, path, operation }: { method: string; path: string; operation: Operation },
): string {
  const { summary, description = '', requestBody } = operation
  const body = requestBody?.content['application/json']
  return `<section id="${operation.operationId}"><h3>${escapeHtml(summary)}</h3>
<p><span class="${method}">${method.toUpperCase()}</span><span class="path">${escapeHtml(path)}</span></p>
<p class="soft">${credentialsOf(operation)}${operation.deprecated === true ? ' Deprecated.' : ''} <code>${operation.operationId}</code></p>
${description === '' ? '' : markdownHtml(description)}
${parameterTable(document, operation)}${body === undefined ? '' : fieldTable('Body', document, body)}
<pre><code>${escapeHtml(curlExample(method, path, operation))}</code></pre>
${successes(document, operation)}${errors(document, operation)}</section>`
}

function credentialsOf({ security }: Operation): string {
  if (security.length === 0) return 'Needs no credential.'
  return security.length > 1 ? 'Bearer token or API key.' : 'Bearer token only.'
}

function parameterTable(document: OpenApiDocument, { parameters = [] }: Operation): string {
  const rows = parameters
    .map((one): Parameter => (isRef(one) ? (document.components.parameters[nameOf(one)] as Parameter) : one))
    .map((one) => row(one.name, `${one.in}, ${kindOf(document, one.schema)}`, one.required, one.description))
  return rows.length === 0 ? '' : `<h4>Parameters</h4><table>${rows.join('')}</table>`
}

function fieldTable(title: string, document: OpenApiDocument, { schema }: MediaType): string {
  const { properties = {}, required = [] } = resolved(document, schema)
  const rows = Object.entries(properties).map(([name, part]) =>
    row(name, kindOf(document, part), required.includes(name), part.description),
  )
  return rows.length === 0 ? '' : `<h4>${title}</h4><table>${rows.join('')}</table>`
}

function row(name: string, kind: string, isRequired: boolean, description = ''): string {
  const text = `${escapeHtml(kind)}${isRequired ? '' : ', optional'}`
  return `<tr><td><code>${escapeHtml(name)}</code></td><td>${text}${description === '' ? '' : `<br><span class="soft">${escapeHtml(description)}</span>`}</td></tr>`
}

function kindOf(document: OpenApiDocument, schema: JsonSchema | Ref): string {
  const { type, items, format, enum: choices, default: preset } = resolved(document, schema)
  const kind = [
    type === 'array'
      ? `list of ${items === undefined ? 'values' : kindOf(document, items)}`
      : [type ?? 'any'].flat().join(' or '),
  ]
  if (format !== undefined) kind.push(`(${format})`)
  if (choices !== undefined) kind.push(`one of ${choices.join(', ')}`)
  if (preset !== undefined) kind.push(`default ${String(preset)}`)
  return kind.join(' ')
}

function successes(document: OpenApiDocument, { responses }: Operation): string {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, reply]) => {
      const body = Object.values(responseOf(document, reply).content ?? {})[0]
      const shown = body?.example === undefined ? '' : example(body.example)
      return `<h4>Response ${status}${body === undefined ? ', without a body' : ''}</h4>${shown}`
    })
    .join('')
}

function example(value: unknown): string {
  return `<pre><code>${escapeHtml(JSON.stringify(value, undefined, 2))}</code></pre>`
}

function errors(document: OpenApiDocument, { responses }: Operation): string {
  const rows = Object.entries(responses)
    .filter(([status]) => !status.startsWith('2'))
    .map(([status, reply]) => `<tr><td>${status}</td><td>${codesOf(responseOf(document, reply))}</td></tr>`)
  return `<details><summary>Errors</summary><table>${rows.join('')}</table></details>`
}

function codesOf({ content = {} }: Response): string {
  const examples = Object.values(content)[0]?.examples ?? {}
  return Object.entries(examples)
    .map(
      ([code, { summary }]) => `<a href="problems/${code}"><code>${code}</code></a> ${escapeHtml(summary)}`,
    )
    .join('<br>')
}

function responseOf({ components }: OpenApiDocument, reply: Response | Ref): Response {
  return isRef(reply) ? (components.responses[nameOf(reply)] as Response) : reply
}

function resolved({ components }: OpenApiDocument, schema: JsonSchema | Ref): JsonSchema {
  return isRef(schema) ? (components.schemas[nameOf(schema)] ?? {}) : schema
}

function nameOf({ $ref }: Ref): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}
