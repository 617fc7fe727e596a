/** The one door to the server: the SDK, with the session's cookie and its CSRF token. */
import { type Client, CofferError, createClient } from 'coffer-sdk'
import { keptProof } from './session/kept-proof.ts'
import { watchTouches } from './session/watch-touches.ts'

let csrfToken: string | undefined

/** What proves that a change comes from this page; known once somebody is logged in. */
export function keepCsrfToken(token: string | undefined): void {
  csrfToken = token
}

let onSessionEnd: () => void = () => {}

/** Is called when the server no longer knows the session. */
export function whenSessionEnds(listener: () => void): void {
  onSessionEnd = listener
}

const isUnattended = watchTouches(window)

const unsafe = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

const send: typeof fetch = async (input, init = {}) => {
  const headers = new Headers(init.headers)
  if (csrfToken !== undefined && unsafe.has(init.method ?? 'GET')) headers.set('x-csrf-token', csrfToken)
  const proof = keptProof()
  if (proof !== undefined && unsafe.has(init.method ?? 'GET')) headers.set('x-session-proof', proof)
  if (isUnattended()) headers.set('x-unattended', '1')
  const response = await fetch(input, { ...init, headers, credentials: 'same-origin' })
  if (response.status === 401 && (await isSessionOver(response.clone()))) onSessionEnd()
  return response
}

/** A wrong password or code is a 401 as well, and ends nothing. */
async function isSessionOver(response: Response): Promise<boolean> {
  const problem: { readonly code?: string } = await response.json().catch(() => ({}))
  return problem.code === 'unauthenticated'
}

export const api: Client = createClient({ baseUrl: location.origin, fetch: send })

/** What went wrong, for people. */
export function faultText(error: unknown): string {
  if (!(error instanceof CofferError)) return error instanceof Error ? error.message : String(error)
  if (error.code === 'unreachable')
    return 'The server cannot be reached. Check your connection and try again.'
  if (error.code === 'proof-required') return 'Nothing was done: it needs your password, or a code.'
  return error.detail === '' ? error.title : error.detail
}

/** The same of a question about one thing alone, which need not be named. */
export function reasonText(error: unknown): string {
  const [first] = error instanceof CofferError ? error.errors : []
  return first?.detail ?? faultText(error)
}

/** What is wrong with one field of a form, by its name in the request's body. */
export function fieldFault(error: unknown, field: string): string | undefined {
  if (!(error instanceof CofferError)) return undefined
  return error.errors.find(({ pointer }) => pointer === `/${field}` || pointer === `#/${field}`)?.detail
}

/** What a form says of a refusal as a whole: nothing where it is said beside one of these fields. */
export function formFault(error: unknown, ...fields: readonly string[]): string | undefined {
  if (error === null || fields.some((field) => fieldFault(error, field) !== undefined)) return undefined
  return faultText(error)
}

/** Whether a refusal says which fields of a form it is about. */
export function hasFieldFaults(error: unknown): boolean {
  return error instanceof CofferError && error.errors.length > 0
}
