/** Operations as lines for a shell, which run as they stand once the first steps have set their variables. */
import type { MediaType, Operation, Parameter, Ref } from '../openapi/openapi.ts'
import { isRef } from '../openapi/openapi.ts'

/** Sets what the examples use: server, token, merchant, key and invoice. `publicUrl` has no trailing slash. */
export function firstSteps(publicUrl: string): string {
  return [
    `COFFER=${quoted(publicUrl)}`,
    'JSON="Content-Type: application/json"',
    'field() { sed -E "s/.*\\"$1\\":\\"([^\\"]*)\\".*/\\1/"; }   # picks one field out of an answer',
    '',
    '# an account of your own, logged in',
    'LOGIN="{\\"email\\":\\"me-$(date +%s)@shop.example\\",\\"password\\":\\"correct horse battery staple\\"}"',
    'curl -sS "$COFFER/auth/register" -H "$JSON" -d "$LOGIN"',
    'TOKEN=$(curl -sS "$COFFER/auth/login" -H "$JSON" -d "$LOGIN" | field token)',
    '',
    '# a merchant, its API key, and an invoice',
    `MERCHANT=$(curl -sS "$COFFER/merchants" -H "Authorization: Bearer $TOKEN" -H "$JSON" -d '{"name":"Corner Shop"}' | field id)`,
    'KEY=$(curl -sS -X POST "$COFFER/key/generate/$MERCHANT" -H "Authorization: Bearer $TOKEN" | field apiKey)',
    `INVOICE=$(curl -sS "$COFFER/merchants/$MERCHANT/invoices" -H "X-Api-Key: $KEY" -H "$JSON" -d '{"amount":"10.00","type":"onetime","paymentMethodID":1}' | field id)`,
    'echo "$MERCHANT $KEY $INVOICE"',
  ].join('\n')
}

/** One operation as a call of curl. */
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

/** Ids come from the first steps or are called `$WITHDRAWAL` and the like; anything else is its example. */
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

/** The API key where it may be used, since that is what a merchant's own server has. */
function credentialOf(security: Operation['security']): readonly string[] {
  if (security.some((scheme) => 'apiKey' in scheme)) return ['-H "X-Api-Key: $KEY"']
  return security.length === 0 ? [] : ['-H "Authorization: Bearer $TOKEN"']
}

function isIdempotencyKey(parameter: Parameter | Ref): boolean {
  return isRef(parameter) && parameter.$ref.endsWith('/IdempotencyKey')
}

/** In single quotes a shell changes nothing. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
