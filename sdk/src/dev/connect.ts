/** Finding out, before anything is forwarded, who asks and what there is. */
import type { Client, ClientOptions } from '../client.ts'
import type { ServerOptions } from './read-order.ts'
import { plain } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** The client's own further tries would hide from people what is going on. */
export function clientOptions({ url, apiKey, token }: ServerOptions): ClientOptions {
  return { baseUrl: url, apiKey, token, retries: { retriesMax: 0 } }
}

/** Which merchant is meant. @throws UsageError when that cannot be known. */
export async function findMerchant(
  coffer: Client,
  { merchantID, apiKey, token }: ServerOptions,
): Promise<string> {
  if (apiKey === undefined && token === undefined)
    throw new UsageError(
      'Say who you are: an API key as COFFER_API_KEY (POST /key/generate/{merchantID} makes one), or a Bearer token as COFFER_TOKEN.',
    )
  if (merchantID !== undefined) return merchantID
  const merchants = await coffer.listMerchants({ limit: 10 })
  const [only, ...others] = merchants
  if (only === undefined) throw new UsageError('This account has no merchant yet: POST /merchants makes one.')
  if (others.length === 0) return only.id
  const names = merchants.map(({ id, name }) => `  --merchant ${plain(id)}   ${plain(name)}`).join('\n')
  throw new UsageError(`This account has several merchants. Say which one:\n${names}`)
}

/** What the server calls itself in the names of its headers. */
export async function findServiceName(coffer: Client): Promise<string> {
  const text = JSON.stringify(await coffer.getContract().catch(() => undefined)) ?? ''
  return /"X-([A-Za-z0-9-]+)-Signature"/.exec(text)?.[1] ?? 'Service'
}

/**
 * A secret to sign with: the same each time for one credential, so that it is written into a receiver's settings once.
 * From it nobody finds the credential.
 */
export async function secretOf({ apiKey, token }: ServerOptions, merchantID: string): Promise<string> {
  const utf8 = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', utf8.encode(apiKey ?? token), algorithm, false, ['sign'])
  const bytes = await crypto.subtle.sign('HMAC', key, utf8.encode(`coffer-dev ${merchantID}`))
  return `dev_${Buffer.from(bytes).toString('base64url')}`
}
