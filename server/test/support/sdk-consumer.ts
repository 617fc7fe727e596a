/**
 * Generates a third-party program that calls every operation of the contract, to be compiled against the SDK.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repositoryRoot } from './coffer-process.ts'

interface Schema {
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly type?: string | readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/**
 * A header that several operations share, as a reference to the components. The client sets all headers
 * itself.
 */
interface SharedParameter {
  readonly $ref: string
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: Schema
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly (Parameter | SharedParameter)[]
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: { readonly 'application/json': { readonly schema: Schema } }
  }
}

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Which optional fields an example holds. */
type Extent = 'required' | 'all'

/**
 * Returns the source text. It calls each operation with only the required input and with all input. Then it
 * calls each operation with wrong types, marked so that the compiler complains if one is accepted.
 * @param sdk the module that the client is imported from
 */
export function consumerProgram(sdk: string): { readonly source: string; readonly operations: number } {
  const contract: Contract = JSON.parse(readFileSync(join(repositoryRoot, 'contract/openapi.json'), 'utf8'))
  const operations = Object.values(contract.paths).flatMap((methods) => Object.values(methods))
  const calls = operations.flatMap((operation) => callsOf(contract, operation))
  const source = `import { createClient } from '${sdk}'
export const coffer = createClient({ baseUrl: 'http://localhost' })
${calls.join('\n')}
${typedReplies}
`
  return { source, operations: operations.length }
}

const typedReplies = `
const created = await coffer.createInvoice({ merchantID: 'x', body: { amount: '1', type: 'onetime', paymentMethodID: 1 } })
export const id: string = created.id
// @ts-expect-error: an id is no number
export const notAnId: number = created.id
for await (const { amount } of coffer.each('listInvoices', { merchantID: 'x' })) {
  // @ts-expect-error: an amount is a decimal string
  const wrong: number = amount
  console.log(wrong)
}
// @ts-expect-error: one invoice is no list
coffer.each('getInvoice', { merchantID: 'x', invoiceID: 'x' })`

function callsOf(contract: Contract, operation: Operation): readonly string[] {
  const { operationId } = operation
  const call = (input: object) => `await coffer.${operationId}(${JSON.stringify(input)})`
  const least = inputOf(contract, operation, 'required')
  const whole = inputOf(contract, operation, 'all')
  const mustFail = (what: string, line: string) => `// @ts-expect-error: ${what}\n${line}`
  const wrongValues = Object.keys(whole).map((name) =>
    mustFail(`${name} has no such type`, call({ ...whole, [name]: { not: 'a value' } })),
  )
  const needsInput = Object.keys(least).length > 0
  return [
    call(least),
    call(whole),
    needsInput
      ? mustFail('it needs an input', `await coffer.${operationId}()`)
      : `await coffer.${operationId}()`,
    mustFail('there is no such field', call({ ...whole, noSuchField: 1 })),
    ...wrongValues,
  ]
}

function inputOf(
  contract: Contract,
  { parameters = [], requestBody }: Operation,
  extent: Extent,
): Readonly<Record<string, unknown>> {
  const wanted = parameters.filter(
    (parameter): parameter is Parameter =>
      'name' in parameter && parameter.in !== 'header' && (parameter.required === true || extent === 'all'),
  )
  const sides = wanted.map(({ name, schema }) => [
    name.replace(/\[\]$/, ''),
    exampleOf(contract, schema, extent),
  ])
  const input = Object.fromEntries(sides)
  if (requestBody === undefined || (requestBody.required !== true && extent === 'required')) return input
  return { ...input, body: exampleOf(contract, requestBody.content['application/json'].schema, extent) }
}

/**
 * Returns a value of the schema's type. Rules beyond types, such as lengths and patterns, are invisible to a
 * compiler.
 */
function exampleOf(contract: Contract, schema: Schema, extent: Extent): unknown {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace('#/components/schemas/', '')
    return exampleOf(contract, contract.components.schemas[name] ?? {}, extent)
  }
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const [first] = schema.anyOf ?? []
  if (first !== undefined) return exampleOf(contract, first, extent)
  switch (typeof schema.type === 'string' ? schema.type : schema.type?.[0]) {
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return true
    case 'array':
      return [exampleOf(contract, schema.items ?? {}, extent)]
    case 'object':
      return exampleOfFields(contract, schema, extent)
    default:
      return 'text'
  }
}

function exampleOfFields(contract: Contract, { properties = {}, required = [] }: Schema, extent: Extent) {
  const wanted = Object.entries(properties).filter(([name]) => extent === 'all' || required.includes(name))
  return Object.fromEntries(wanted.map(([name, schema]) => [name, exampleOf(contract, schema, extent)]))
}

/**
 * The compiler settings that programs use in practice: with and without the checks that this repository adds
 * to `strict`.
 */
export const consumerSettings = {
  'strict alone, as Node resolves': { module: 'node16', moduleResolution: 'node16' },
  'strict alone, as bundlers resolve': { module: 'esnext', moduleResolution: 'bundler' },
  'strict with all that was found useful since': {
    module: 'nodenext',
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
  },
} as const

/**
 * The compiler settings that all entries of `consumerSettings` share. They exclude the types of Node, because
 * the SDK's types must also compile for a browser.
 */
export const consumerCommon = {
  strict: true,
  noEmit: true,
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  types: [],
}

/** Returns the compiler's messages about the programs in a folder, or an empty text if there are none. */
export async function compile(folder: string, compilerOptions: object): Promise<string> {
  const settings = join(folder, 'tsconfig.json')
  await writeFile(settings, JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', settings]).catch(
    (error: { stdout: string }) => error,
  )
  return stdout
}
