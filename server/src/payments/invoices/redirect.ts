import { failField } from '../../core/errors.ts'

const pointer = '/redirectURL'

/**
 * Refuses what the checkout must not send a payer to: anything but a plain web address (no `javascript:` or `data:`),
 * and one with a user name in it, which browsers show so that `https://bank.example@evil.example` deceives.
 * @throws Problem invalid-request
 */
export function checkRedirect(text: string | undefined, allowHttp: boolean): void {
  if (text === undefined) return
  // `new URL` drops tabs, line ends and outer blanks, reads a backslash as a slash, and adds slashes to "https:claim".
  if (/[\s\\\p{Cc}]/u.test(text) || /^https?:(?!\/\/[^/])/i.test(text) || !URL.canParse(text)) {
    throw failField(pointer, 'must be an absolute URL such as "https://shop.example/thanks"')
  }
  const { protocol, username, password } = new URL(text)
  if (protocol !== 'https:' && !(allowHttp && protocol === 'http:')) {
    throw failField(pointer, 'must begin with "https://"')
  }
  if (username !== '' || password !== '') throw failField(pointer, 'must not carry a user name or password')
}
