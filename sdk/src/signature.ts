/**
 * Whether the body of a webhook request was signed with the webhook's secret.
 * @param body the bytes or text as they came, before any parsing
 * @param signature the header `X-Service-Signature` (with the server's own name in the place of Service)
 */
export async function isGenuine(
  body: string | Uint8Array<ArrayBuffer>,
  signature: string | undefined,
  secret: string,
): Promise<boolean> {
  if (signature === undefined || !/^([0-9a-f]{2}){32}$/i.test(signature)) return false
  const utf8 = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', utf8.encode(secret), algorithm, false, ['verify'])
  const sent = Uint8Array.from(signature.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))
  // WebCrypto compares in constant time.
  return crypto.subtle.verify('HMAC', key, sent, typeof body === 'string' ? utf8.encode(body) : body)
}
