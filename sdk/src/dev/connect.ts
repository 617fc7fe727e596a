/** Determines the credential, the merchant and the service name before any event is forwarded. */
import type { Client, ClientOptions } from '../client.ts'
import type { ServerOptions } from './read-order.ts'
import { plain } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Disables the client's own retries, because they would hide problems from the person at the terminal. */
export function clientOptions({ url, apiKey, token }: ServerOptions): ClientOptions {
  return { baseUrl: url, apiKey, token, retries: { retriesMax: 0 } }
}

/** Returns the id of the merchant. @throws UsageError if it cannot be determined */
export async function findMerchant(
  coffer: Client,
  { merchantID, apiKey, token }: ServerOptions,
): Promise<string> {
  if (apiKey === undefined && token === undefined)
    throw new UsageError(
      'A credential is required: set COFFER_API_KEY to an API key (POST /key/generate/{merchantID} generates one), or COFFER_TOKEN to a Bearer token.',
    )
  if (merchantID !== undefined) return merchantID
  const merchants = await coffer.listMerchants({ limit: 10 })
  const [only, ...others] = merchants
  if (only === undefined)
    throw new UsageError('This account has no merchant yet: create one with POST /merchants.')
  if (others.length === 0) return only.id
  const names = merchants.map(({ id, name }) => `  --merchant ${plain(id)}   ${plain(name)}`).join('\n')
  throw new UsageError(`This account has several merchants. Choose one of them:\n${names}`)
}

/** Returns the service name that the server uses in the names of its headers. */
export async function findServiceName(coffer: Client): Promise<string> {
  const text = JSON.stringify(await coffer.getContract().catch(() => undefined)) ?? ''
  return /"X-([A-Za-z0-9-]+)-Signature"/.exec(text)?.[1] ?? 'Service'
}

/**
 * Derives a secret from the credential. The secret signs the forwarded events. The same credential always
 * gives the same secret, so a receiver is configured only once. The credential cannot be derived from the secret.
 */
export async function secretOf({ apiKey, token }: ServerOptions, merchantID: string): Promise<string> {
  const utf8 = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', utf8.encode(apiKey ?? token), algorithm, false, ['sign'])
  const bytes = await crypto.subtle.sign('HMAC', key, utf8.encode(`coffer-dev ${merchantID}`))
  return `dev_${Buffer.from(bytes).toString('base64url')}`
}
