import { failField } from '../../core/errors.ts'

const pointer = '/redirectURL'

/**
 * Rejects URLs to which the checkout must not redirect a payer. Only plain web addresses are allowed, not
 * `javascript:` or `data:`. A URL with a user name is rejected, because `https://bank.example@evil.example`
 * looks like the bank's URL.
 * @throws Problem invalid-request
 */
export function checkRedirect(text: string | undefined, allowHttp: boolean): void {
  if (text === undefined) return
  // `new URL` removes tabs, line ends and outer blanks, reads a backslash as a slash, and adds slashes to
  // "https:claim". Such text is rejected before it is parsed.
  if (/[\s\\\p{Cc}]/u.test(text) || /^https?:(?!\/\/[^/])/i.test(text) || !URL.canParse(text)) {
    throw failField(pointer, 'must be an absolute URL such as "https://shop.example/thanks"')
  }
  const { protocol, username, password } = new URL(text)
  if (protocol !== 'https:' && !(allowHttp && protocol === 'http:')) {
    throw failField(pointer, 'must begin with "https://"')
  }
  if (username !== '' || password !== '') throw failField(pointer, 'must not contain a user name or password')
}
