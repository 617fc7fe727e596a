/** A browser that logged in to the dashboard, as far as the API can tell one from a program. */
import { type Answer, type Api, type CallOptions, password, publicUrl } from './api.ts'

export interface Browser {
  readonly cookie: string
  readonly csrfToken: string
  readonly login: Answer
  /** What a page of the server sends; `headers` of the call count more. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** The same with a proof that whoever sits there has just typed the password, or a code. */
  callProven(method: string, path: string, options?: CallOptions, code?: string): Promise<Answer>
}

/** What a browser says of a page of this server. */
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

/** `name=value` of the cookie that an answer sets. */
export function cookieOf({ headers }: Answer): string {
  return headers.get('set-cookie')?.split(';', 1)[0] ?? ''
}
