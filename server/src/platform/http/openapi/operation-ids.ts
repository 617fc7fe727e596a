/**
 * Names the operations of the OpenAPI document: by the `operationId` that a route declares, or else by its
 * method and path. A name must never change, because clients use it.
 */
import type { JsonSchema } from '../json-schema.ts'
import type { Route } from '../route.ts'

const verbs = { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'update', DELETE: 'delete' } as const

/** Verbs that may be the last word of a path: `POST .../invoices/:invoiceID/close` is `closeInvoice`. */
const actions = new Set(
  'accept approve assign cancel claim close generate list login logout recover redeliver refresh register reject release reset restore revoke rotate seize test verify'.split(
    ' ',
  ),
)

/** Adjectives that may be the last word of a path. They restrict the list that the previous word names. */
const states = new Set(['deleted', 'pending'])

/** Words of paths that are replaced in operation names. The specification itself writes `weebhook`. */
const subjects: ReadonlyMap<string, string> = new Map([
  ['auth', ''],
  ['healthz', 'health'],
  ['public', ''],
  ['readyz', 'readiness'],
  ['weebhook', 'webhook'],
])

/**
 * Returns the operation's name. Examples:
 * - `GET /merchants/:merchantID/invoices` is `listInvoices`.
 * - `GET /merchants/:merchantID/invoices/:invoiceID` is `getInvoice`.
 * - `GET /merchants/:merchantID/withdrawals/pending` is `listPendingWithdrawals`.
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

/**
 * Orders the words of a list's name. The word for the listed objects comes last. The words that qualify this
 * word come before it (`operatorDeletedMerchants`, `webhookDeliveries`).
 */
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
