/** A browser with a session of the dashboard. It sends what the API uses to tell a browser from a program. */
import { type Answer, type Api, type CallOptions, password, publicUrl } from './api.ts'

export interface Browser {
  readonly cookie: string
  readonly csrfToken: string
  readonly login: Answer
  /** Sends a request as a page of the server does. `headers` of the options take precedence. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Sends a request with a session proof, for which the password or a code was given just before. */
  callProven(method: string, path: string, options?: CallOptions, code?: string): Promise<Answer>
}

/** The headers that a browser sends from a page of this server. */
export const ownPage = { origin: publicUrl, 'sec-fetch-site': 'same-origin' } as const

export async function logInBrowser(
  api: Pick<Api, 'call'>,
  { email, code }: { readonly email: string; readonly code?: string },
): Promise<Browser> {
  const json = { email, password, ...(code === undefined ? {} : { code }) }
  const login = await api.call('POST', '/dashboard/session', { json, headers: ownPage })
  if (login.status !== 200) throw new Error(`expected 200, got ${login.status}: ${login.text}`)
  const { csrfToken } = login.body
  const cookie = cookieOf(login)
  const call: Browser['call'] = (method, path, { headers = {}, ...options } = {}) =>
    api.call(method, path, {
      ...options,
      headers: { ...ownPage, cookie, 'x-csrf-token': csrfToken, ...headers },
    })
  return {
    cookie,
    csrfToken,
    login,
    call,
    async callProven(method, path, { headers = {}, ...options } = {}, typedCode) {
      const typed = typedCode === undefined ? { password } : { code: typedCode }
      const { body, status, text } = await call('POST', '/dashboard/session/proof', { json: typed })
      if (status !== 200) throw new Error(`expected 200, got ${status}: ${text}`)
      return call(method, path, { ...options, headers: { ...headers, 'x-session-proof': body.proof } })
    },
  }
}

/** Returns the cookie that an answer sets, as `name=value`. */
export function cookieOf({ headers }: Answer): string {
  return headers.get('set-cookie')?.split(';', 1)[0] ?? ''
}
