/**
 * Generates the SDK's view of the contract: the types of every operation (`generated.ts`), how each is called
 * (`operations.ts`), and an example of each event (`sample-events.ts`). A test generates them again and compares.
 */
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Returns the generated files: the path from the repository's root, and the text. */
export async function generatedFiles() {
  const contract = JSON.parse(readFileSync(join(root, 'contract/openapi.json'), 'utf8'))
  // A field with a default need not be sent, so its type must let it be absent.
  const types = astToString(await openapiTS(contract, { defaultNonNullable: false }))
  return [
    { path: 'sdk/src/generated.ts', text: `${banner}${types}` },
    { path: 'sdk/src/operations.ts', text: `${banner}${operationsOf(contract)}` },
    { path: 'sdk/src/sample-events.ts', text: `${banner}${samplesOf(contract)}` },
  ]
}

const banner = '// Written from contract/openapi.json by "npm run contract"; not to be edited.\n'

function operationsOf({ paths }) {
  const entries = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => callOf(method, path, operation)),
  )
  const lines = entries.map(([name, call]) => `  ${name}: ${JSON.stringify(call)},`)
  return `export const operations = {\n${lines.join('\n')}\n} as const\n`
}

function callOf(method, path, { operationId, parameters = [] }) {
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  const isIdempotent = parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey'))
  return [operationId, { method: method.toUpperCase(), path, query, isIdempotent }]
}

function samplesOf({ webhooks }) {
  const { examples } = webhooks.event.post.requestBody.content['application/json']
  const lines = Object.entries(examples).map(
    ([type, { value }]) => `  ${JSON.stringify(type)}: ${JSON.stringify(value.data)},`,
  )
  return [
    "import type { EventOf, EventType } from './event.ts'\n",
    '/** Sample `data` of each event type. */',
    "export const samples: { readonly [T in EventType]: EventOf<T>['data'] } = {",
    ...lines,
    '}\n',
  ].join('\n')
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  for (const { path, text } of await generatedFiles()) writeFileSync(join(root, path), text)
}
