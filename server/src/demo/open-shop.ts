/** A merchant is made and given what it needs to sell. */
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

/** Nobody listens there any more: what is still to be told must not be tried for days. Also when stopped half-way. */
export async function removeWebhook(url: string, { token, merchantId }: Shop): Promise<void> {
  const client = openClient(url, AbortSignal.timeout(goodbyeMs))
  await client.call(204, 'DELETE', `/weebhook/${merchantId}`, { token }).catch(() => {})
}

function logIn({ narrator, email, password }: DemoParts, { client }: Session): Promise<string> {
  return narrator.step('Log in', async () => {
    const answer = await client.call(200, 'POST', '/auth/login', { body: { email, password } })
    return {
      lines: [`as ${email}, with a token good until ${textOf(answer, 'expiresAt')}`],
      value: textOf(answer, 'token'),
    }
  })
}

function makeMerchant({ narrator }: DemoParts, { client }: Session, token: string): Promise<string> {
  return narrator.step('Make a merchant', async () => {
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
    return { lines: [`${key.slice(0, 9)}..., shown this once`], value: key }
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
    const rule = `events without a right X-${serviceName}-Signature are refused there`
    return { lines: [receiver.url, rule], value: undefined }
  })
}
