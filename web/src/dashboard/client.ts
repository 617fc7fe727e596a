/** The dashboard's only client of the server: the SDK with the session cookie and its CSRF token. */
import { type Client, CofferError, createClient } from 'coffer-sdk'
import { keptProof } from './session/kept-proof.ts'
import { watchTouches } from './session/watch-touches.ts'

let csrfToken: string | undefined

/**
 * Stores the CSRF token. With it, this page proves that a request for a change comes from the dashboard. The
 * server sends the token at login.
 */
export function keepCsrfToken(token: string | undefined): void {
  csrfToken = token
}

let onSessionEnd: () => void = () => {}

/** Registers the listener that is called when the server no longer knows the session. */
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

/**
 * Returns whether a 401 means that the session has ended. A wrong password or code is answered with 401 too,
 * but does not end the session.
 */
async function isSessionOver(response: Response): Promise<boolean> {
  const problem: { readonly code?: string } = await response.json().catch(() => ({}))
  return problem.code === 'unauthenticated'
}

export const api: Client = createClient({ baseUrl: location.origin, fetch: send })

/** Returns the text of an error as users see it. */
export function errorText(error: unknown): string {
  if (!(error instanceof CofferError)) return error instanceof Error ? error.message : String(error)
  if (error.code === 'unreachable')
    return 'The server cannot be reached. Check your connection and try again.'
  if (error.code === 'proof-required')
    return 'Nothing was changed. This action needs your password or a code.'
  return error.detail === '' ? error.title : error.detail
}

/** Returns the first field error without the name of the field, for a request about one field only. */
export function reasonText(error: unknown): string {
  const [first] = error instanceof CofferError ? error.errors : []
  return first?.detail ?? errorText(error)
}

/** Returns the error of one field of a form, by the field's name in the request body. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof CofferError)) return undefined
  return error.errors.find(({ pointer }) => pointer === `/${field}` || pointer === `#/${field}`)?.detail
}

/**
 * Returns the error of a whole form. Returns undefined if one of the given fields already shows the error.
 */
export function formError(error: unknown, ...fields: readonly string[]): string | undefined {
  if (error === null || fields.some((field) => fieldError(error, field) !== undefined)) return undefined
  return errorText(error)
}

/** Returns whether an error names fields of the form. */
export function hasFieldErrors(error: unknown): boolean {
  return error instanceof CofferError && error.errors.length > 0
}
