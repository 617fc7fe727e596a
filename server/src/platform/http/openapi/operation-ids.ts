/** Names of operations: what a route declares, else made from its method and path, the same for ever. */
import type { JsonSchema } from '../json-schema.ts'
import type { Route } from '../route.ts'

const verbs = { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'update', DELETE: 'delete' } as const

/** Last words of paths that say themselves what is done: `POST .../invoices/:invoiceID/close` is `closeInvoice`. */
const actions = new Set(
  'accept approve assign cancel claim close generate list login logout recover redeliver refresh register reject release reset restore revoke rotate seize test verify'.split(
    ' ',
  ),
)

/** Last words of paths that say which of the things before them are listed. */
const states = new Set(['deleted', 'pending'])

/** Path words whose operations are better known by another. */
const subjects: ReadonlyMap<string, string> = new Map([
  ['auth', ''],
  ['healthz', 'health'],
  ['public', ''],
  ['readyz', 'readiness'],
  ['weebhook', 'webhook'],
])

/**
 * `GET /merchants/:merchantID/invoices` is `listInvoices`; a path that ends in an id is about one: `getInvoice`.
 * `GET /merchants/:merchantID/withdrawals/pending` is `listPendingWithdrawals`.
 */
export function operationIdOf(route: Route): string {
  if (route.operationId !== undefined) return route.operationId
  const { method } = route
  const isAboutOne = /:(?!merchantID$)\w+$|^\/merchants\/:merchantID$/.test(route.path)
  const words = route.path
    .split('/')
    .filter((step) => step !== '' && !step.startsWith(':'))
    .map((step) => subjects.get(step) ?? step)
    .filter((word) => word !== '')
  const own = words.length > 1 && words[0] === 'merchants' ? words.slice(1) : words
  const last = own.at(-1) ?? 'root'
  if (method !== 'GET' && !isAboutOne && actions.has(last))
    return camel([last, ...own.slice(0, -1).map(last === 'list' ? String : singular)])
  if (method === 'GET' && answersList(route)) return camel(['list', ...listWords(own)])
  const isSingular = isAboutOne || method === 'POST'
  return camel([verbs[method], ...own.slice(0, -1).map(singular), isSingular ? singular(last) : last])
}

/** What is listed comes last; what it is like stands before it: `operatorDeletedMerchants`, `webhookDeliveries`. */
function listWords(words: readonly string[]): readonly string[] {
  const last = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  if (!states.has(last)) return [...before.map(singular), last]
  return [...before.slice(0, -1).map(singular), last, ...before.slice(-1)]
}

function answersList({ replies }: Route): boolean {
  const schema = (replies[200] ?? {}) as JsonSchema
  return schema.type === 'array' || schema.properties?.['data']?.type === 'array'
}

function singular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(ses|xes)$/.test(word)) return word.slice(0, -2)
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word
}

function camel([first = '', ...more]: readonly string[]): string {
  const rest = more.flatMap((word) => word.split(/[^A-Za-z0-9]+/))
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
