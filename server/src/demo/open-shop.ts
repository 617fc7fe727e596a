/** Creates a merchant with an API key and a webhook. */
import { openClient, textOf } from './client.ts'
import type { DemoParts, Session, Shop } from './session.ts'

export async function openShop(parts: DemoParts, session: Session): Promise<Shop> {
  const token = await logIn(parts, session)
  const merchantId = await makeMerchant(parts, session, token)
  const key = await generateKey(parts, session, token, merchantId)
  await setWebhook(parts, session, token, merchantId)
  return { token, merchantId, key }
}

const goodbyeMs = 2_000

/**
 * Removes the demo's webhook, even if the demo was stopped before its end. The demo no longer receives
 * events, so Coffer would retry the remaining deliveries for days. Ignores an error of the API.
 */
export async function removeWebhook(url: string, { token, merchantId }: Shop): Promise<void> {
  const client = openClient(url, AbortSignal.timeout(goodbyeMs))
  await client.call(204, 'DELETE', `/weebhook/${merchantId}`, { token }).catch(() => {})
}

function logIn({ narrator, email, password }: DemoParts, { client }: Session): Promise<string> {
  return narrator.step('Log in', async () => {
    const answer = await client.call(200, 'POST', '/auth/login', { body: { email, password } })
    return {
      lines: [`as ${email}, with a token valid until ${textOf(answer, 'expiresAt')}`],
      value: textOf(answer, 'token'),
    }
  })
}

function makeMerchant({ narrator }: DemoParts, { client }: Session, token: string): Promise<string> {
  return narrator.step('Create a merchant', async () => {
    const answer = await client.call(201, 'POST', '/merchants', { token, body: { name: 'Demo shop' } })
    const id = textOf(answer, 'id')
    return { lines: [`"Demo shop", ${id}`], value: id }
  })
}

function generateKey(
  { narrator }: DemoParts,
  { client }: Session,
  token: string,
  merchantId: string,
): Promise<string> {
  return narrator.step('Generate its API key', async () => {
    const key = textOf(await client.call(200, 'POST', `/key/generate/${merchantId}`, { token }), 'apiKey')
    return { lines: [`${key.slice(0, 9)}..., shown only once`], value: key }
  })
}

function setWebhook(
  { narrator, serviceName }: DemoParts,
  { client, receiver, secret }: Session,
  token: string,
  merchantId: string,
): Promise<void> {
  return narrator.step('Set its webhook', async () => {
    const body = { url: receiver.url, secret }
    textOf(await client.call(200, 'POST', `/weebhook/${merchantId}`, { token, body }), 'token')
    const rule = `events without a valid X-${serviceName}-Signature are rejected there`
    return { lines: [receiver.url, rule], value: undefined }
  })
}
