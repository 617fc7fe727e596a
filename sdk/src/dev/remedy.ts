/** What to do about a server that refuses or does not answer. */
import type { CofferError } from '../coffer-error.ts'
import type { ServerOptions } from './read-order.ts'
import { plain } from './terminal.ts'

/** One or two sentences for the person at the terminal. */
export function remedyFor(error: CofferError, server: ServerOptions): string {
  const { status, code, requestID } = error
  const said = plain(error.detail)
  switch (status) {
    case 0:
      return `Nothing answers at ${server.url} (${said}). Is Coffer running there? "npm start" starts a sandbox; --url or COFFER_URL says where it is.`
    case 401:
      return server.token === undefined
        ? 'The server does not know this API key: it was mistyped or revoked. POST /key/generate/{merchantID} makes a new one; give it as COFFER_API_KEY.'
        : 'The server does not take this token: it was mistyped, revoked or has expired. POST /auth/login gives a new one; give it as COFFER_TOKEN.'
    case 403:
      return `The server refuses: ${said} ${server.token === undefined ? forbiddenKey : forbiddenToken}`
    case 404:
      return code === 'unreadable'
        ? `What answers at ${server.url} is not Coffer. --url or COFFER_URL says where it is.`
        : `The server refuses: ${said} Look at --merchant and COFFER_MERCHANT_ID.`
    default:
      return `The server refuses (${status} ${plain(code)}): ${said}${requestID === undefined ? '' : ` Its operator finds more under ${plain(requestID)}.`}`
  }
}

const forbiddenKey =
  'An API key opens the one merchant it was made for: leave --merchant and COFFER_MERCHANT_ID away, or use a key of that merchant; and see that this machine is among its allowed IP addresses.'
const forbiddenToken = 'Use the token of an account that is a member of the merchant.'

/** Whether the same request may succeed later, with nothing changed here. */
export function isPassing({ status }: CofferError): boolean {
  return status === 0 || status === 429 || status >= 500
}
