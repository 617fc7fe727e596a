/**
 * Formats operations as curl commands for a shell. The commands contain shell variables, which the lines of
 * `firstSteps` set.
 */
import type { MediaType, Operation, Parameter, Ref } from '../openapi/openapi.ts'
import { isRef } from '../openapi/openapi.ts'

/**
 * Returns the lines that set the variables of the examples: server, token, merchant, key and invoice.
 * `publicUrl` has no trailing slash.
 */
export function firstSteps(publicUrl: string): string {
  return [
    `COFFER=${quoted(publicUrl)}`,
    'JSON="Content-Type: application/json"',
    'field() { sed -E "s/.*\\"$1\\":\\"([^\\"]*)\\".*/\\1/"; }   # extracts one field from a response',
    '',
    '# register an account and log in',
    'LOGIN="{\\"email\\":\\"me-$(date +%s)@shop.example\\",\\"password\\":\\"correct horse battery staple\\"}"',
    'curl -sS "$COFFER/auth/register" -H "$JSON" -d "$LOGIN"',
    'TOKEN=$(curl -sS "$COFFER/auth/login" -H "$JSON" -d "$LOGIN" | field token)',
    '',
    '# create a merchant, its API key and an invoice',
    `MERCHANT=$(curl -sS "$COFFER/merchants" -H "Authorization: Bearer $TOKEN" -H "$JSON" -d '{"name":"Corner Shop"}' | field id)`,
    'KEY=$(curl -sS -X POST "$COFFER/key/generate/$MERCHANT" -H "Authorization: Bearer $TOKEN" | field apiKey)',
    `INVOICE=$(curl -sS "$COFFER/merchants/$MERCHANT/invoices" -H "X-Api-Key: $KEY" -H "$JSON" -d '{"amount":"10.00","type":"onetime","paymentMethodID":1}' | field id)`,
    'echo "$MERCHANT $KEY $INVOICE"',
  ].join('\n')
}

export function curlExample(method: string, path: string, operation: Operation): string {
  const { requestBody, security, parameters = [] } = operation
  const body = requestBody?.content['application/json']
  const parts = [
    `curl -sS${methodFlag(method, body)} "$COFFER${pathOf(path, parameters)}${queryOf(parameters)}"`,
    ...credentialOf(security),
    ...(parameters.some(isIdempotencyKey) ? ['-H "Idempotency-Key: $(date +%s%N)"'] : []),
    ...(body === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(body.example))}`]),
  ]
  return parts.join(' \\\n  ')
}

function methodFlag(method: string, body: MediaType | undefined): string {
  if (method === 'get' || (method === 'post' && body !== undefined)) return ''
  return ` -X ${method.toUpperCase()}`
}

const variables: ReadonlyMap<string, string> = new Map([
  ['merchantID', '$MERCHANT'],
  ['invoiceID', '$INVOICE'],
])

/**
 * Replaces the parameters of a path. A merchant's or invoice's id becomes a variable that `firstSteps` sets.
 * Any other id becomes a variable that the user must set, such as `$WITHDRAWAL`. Any other parameter becomes
 * its example.
 */
function pathOf(path: string, parameters: NonNullable<Operation['parameters']>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const known = variables.get(name)
    if (known !== undefined) return known
    const parameter = parameters.find((one): one is Parameter => !isRef(one) && one.name === name)
    const isId = parameter !== undefined && !isRef(parameter.schema) && parameter.schema.format === 'uuid'
    return isId ? `$${name.replace(/ID$/, '').toUpperCase()}` : encodeURIComponent(String(parameter?.example))
  })
}

function queryOf(parameters: NonNullable<Operation['parameters']>): string {
  const pairs = parameters
    .filter((one): one is Parameter => !isRef(one) && one.in === 'query' && one.example !== undefined)
    .flatMap(({ name, example }) =>
      [example].flat().map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`),
    )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/**
 * Returns the curl option with the credential. It is the API key if the operation accepts API keys, because a
 * merchant's own server has one.
 */
function credentialOf(security: Operation['security']): readonly string[] {
  if (security.some((scheme) => 'apiKey' in scheme)) return ['-H "X-Api-Key: $KEY"']
  return security.length === 0 ? [] : ['-H "Authorization: Bearer $TOKEN"']
}

function isIdempotencyKey(parameter: Parameter | Ref): boolean {
  return isRef(parameter) && parameter.$ref.endsWith('/IdempotencyKey')
}

/** Quotes a text for a shell. Single quotes are used because a shell expands nothing in them. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
