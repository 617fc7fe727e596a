/** Explains to the user what to do if the server rejects requests or does not answer. */
import type { CofferError } from '../coffer-error.ts'
import type { ServerOptions } from './read-order.ts'
import { plain } from './terminal.ts'

/** Returns one or two sentences for the person at the terminal. */
export function remedyFor(error: CofferError, server: ServerOptions): string {
  const { status, code, requestID } = error
  const said = plain(error.detail)
  switch (status) {
    case 0:
      return `Nothing answers at ${server.url} (${said}). Check that Coffer is running: "npm start" starts a sandbox. Set the URL of the server with --url or COFFER_URL.`
    case 401:
      return server.token === undefined
        ? 'The server does not know this API key: it was mistyped or revoked. Generate a new one with POST /key/generate/{merchantID} and set it as COFFER_API_KEY.'
        : 'The server does not accept this token: it was mistyped, was revoked or has expired. Get a new one with POST /auth/login and set it as COFFER_TOKEN.'
    case 403:
      return `The server rejected the request: ${said} ${server.token === undefined ? forbiddenKey : forbiddenToken}`
    case 404:
      return code === 'unreadable'
        ? `The server at ${server.url} is not Coffer. Set the URL of Coffer with --url or COFFER_URL.`
        : `The server rejected the request: ${said} Check --merchant and COFFER_MERCHANT_ID.`
    default:
      return `The server rejected the request (${status} ${plain(code)}): ${said}${requestID === undefined ? '' : ` For details, give the operator the request id ${plain(requestID)}.`}`
  }
}

const forbiddenKey =
  'An API key gives access to one merchant only: omit --merchant and COFFER_MERCHANT_ID, or use a key of that merchant; and check that its IP list allows this machine.'
const forbiddenToken = 'Use the token of an account that is a member of the merchant.'

/** Returns whether the same request may succeed later without a change by the user. */
export function isPassing({ status }: CofferError): boolean {
  return status === 0 || status === 429 || status >= 500
}
