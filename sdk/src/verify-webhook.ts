import type { CofferEvent } from './event.ts'
import { WebhookRefusedError } from './webhook-refused-error.ts'
import { bytesOf, headerReader, type RawBody, type RequestHeaders } from './webhook-request.ts'
import {
  bodySignature,
  isSame,
  isSecret,
  openSigner,
  type Signer,
  signatureHeaderNames,
  standardSignature,
  unnamedService,
  type WebhookSecret,
} from './webhook-signature.ts'

export interface WebhookToVerify {
  /** The body as it came, before anything parses it. */
  readonly body: RawBody
  readonly headers: RequestHeaders
  /** What `POST /weebhook/{merchantID}` was given. */
  readonly secret?: WebhookSecret | undefined
  /** Several while the secret is changed: a request under any of them is genuine. */
  readonly secrets?: readonly WebhookSecret[]
  /** The server's SERVICE_NAME, where it has one of its own. */
  readonly serviceName?: string
  /** How far the time of sending may lie from now, both ways; 300. */
  readonly toleranceS?: number
  /** In place of this machine's clock. */
  readonly now?: Date
  /** Refuses what carries the contract's signature alone, which says nothing of when it was sent. */
  readonly mustBeDated?: boolean
}

/**
 * The event of a genuine request. Where the request carries `webhook-signature` (Standard Webhooks: id, time and body
 * are signed), that decides alone; where it does not, `X-<Name>-Signature` decides (the body is signed);
 * without `serviceName` that is X-Service-Signature or X-Coffer-Signature. An event may
 * come more than once: remember its `id`.
 * @throws WebhookRefusedError what came is not to be believed; `reason` says why
 * @throws TypeError what was configured cannot be used
 */
export async function verifyWebhook(request: WebhookToVerify): Promise<CofferEvent> {
  const rules = rulesOf(request)
  const header = headerReader(request.headers)
  const body = bytesOf(request.body)
  const signers = await Promise.all(rules.secrets.map(openSigner))
  if (header('webhook-signature') === undefined && !rules.mustBeDated)
    await requireBodySignature(header, rules.serviceName, { signers, body })
  else await requireStandardSignature(header, rules, { signers, body })
  return readEvent(body)
}

type ReadHeader = (name: string) => string | undefined

interface Signed {
  readonly signers: readonly Signer[]
  readonly body: Uint8Array<ArrayBuffer>
}

/** What the receiver configured; every fault of it throws, whatever came with the request. */
function rulesOf({
  secret,
  secrets = [],
  toleranceS = 300,
  now = new Date(),
  serviceName = unnamedService,
  mustBeDated = false,
}: WebhookToVerify) {
  // A text would be taken apart into letters, each a secret of its own.
  if (!Array.isArray(secrets)) throw new TypeError('secrets must be a list; one alone goes into secret')
  const given = secret === undefined ? secrets : [secret, ...secrets]
  if (given.length === 0 || !given.every(isSecret))
    throw new TypeError(
      'secret is missing, empty or no text: give what the webhook was set up with, as a string or a Uint8Array',
    )
  if (!(toleranceS >= 0)) throw new TypeError(`toleranceS must be a number of seconds: ${toleranceS}`)
  const nowS = now.getTime() / 1000
  if (Number.isNaN(nowS)) throw new TypeError('now must be a valid Date')
  return { secrets: given, toleranceS, nowS, serviceName, mustBeDated }
}

async function requireStandardSignature(
  header: ReadHeader,
  { toleranceS, nowS }: { toleranceS: number; nowS: number },
  { signers, body }: Signed,
): Promise<void> {
  const signatures = required(header, 'webhook-signature')
  const id = required(header, 'webhook-id')
  const timestamp = required(header, 'webhook-timestamp')
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookRefusedError('header-malformed', 'webhook-timestamp is no number of seconds.')
  // Several, parted by blanks: one for each secret that is valid. Versions other than v1 are not for shared secrets.
  const sent = signatures.split(/\s+/).filter((signature) => signature.startsWith('v1,'))
  if (sent.length === 0)
    throw new WebhookRefusedError('header-malformed', 'webhook-signature holds no signature of version v1.')
  const expected = await Promise.all(
    signers.map(async (sign) => `v1,${await standardSignature(sign, { id, timestamp, body })}`),
  )
  requireMatch(sent, expected, 'webhook-signature')
  requireFresh(Number(timestamp), { toleranceS, nowS })
}

async function requireBodySignature(
  header: ReadHeader,
  serviceName: string,
  { signers, body }: Signed,
): Promise<void> {
  const names = signatureHeaderNames(serviceName).map((name) => name.toLowerCase())
  const name = names.find((one) => header(one) !== undefined)
  const sent = name === undefined ? undefined : header(name)
  if (name === undefined || sent === undefined)
    throw new WebhookRefusedError(
      'header-missing',
      `The request has neither webhook-signature nor ${names.join(' nor ')}. If your server's SERVICE_NAME is not ${serviceName}, give serviceName; if a proxy stands before this receiver, let it pass these headers.`,
    )
  if (!/^[0-9a-f]{64}$/i.test(sent))
    throw new WebhookRefusedError('header-malformed', `${name} is no HMAC-SHA256 in hex.`)
  const expected = await Promise.all(signers.map((sign) => bodySignature(sign, body)))
  requireMatch([sent.toLowerCase()], expected, name)
}

function required(header: ReadHeader, name: string): string {
  const value = header(name)
  if (value === undefined || value === '')
    throw new WebhookRefusedError(
      'header-missing',
      `The request has no ${name}. If a proxy stands before this receiver, let it pass this header.`,
    )
  return value
}

/** Compares each with each, so that the time taken does not tell which one was nearly right. */
function requireMatch(sent: readonly string[], expected: readonly string[], name: string): void {
  const matches = sent.flatMap((one) => expected.map((other) => isSame(other, one)))
  if (!matches.includes(true))
    throw new WebhookRefusedError(
      'signature-wrong',
      `${name} does not fit the body and the secret. Either this is the secret of another webhook or an old one, or the body is no longer as it came (parsed and written anew), or the request is from somebody else.`,
    )
}

function requireFresh(sentS: number, { toleranceS, nowS }: { toleranceS: number; nowS: number }): void {
  const ageS = Math.round(nowS - sentS)
  if (nowS - sentS > toleranceS)
    throw new WebhookRefusedError(
      'too-old',
      `The request was sent ${ageS} s ago, and ${toleranceS} s are allowed: it was replayed, or this machine's clock is fast.`,
    )
  if (sentS - nowS > toleranceS)
    throw new WebhookRefusedError(
      'too-new',
      `The request was sent ${-ageS} s ahead of this machine's clock, and ${toleranceS} s are allowed: the clock is slow.`,
    )
}

function readEvent(body: Uint8Array<ArrayBuffer>): CofferEvent {
  const value = parse(new TextDecoder().decode(body))
  if (isEvent(value)) return value
  throw new WebhookRefusedError(
    'not-an-event',
    'The signature is right, and the body is no event of Coffer: something else signs with this secret.',
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isEvent(value: unknown): value is CofferEvent {
  if (typeof value !== 'object' || value === null) return false
  const { data, sequence, ...texts } = value as Partial<Record<string, unknown>>
  const areTexts = ['id', 'type', 'merchantID', 'timestamp'].every((name) => typeof texts[name] === 'string')
  return areTexts && Number.isSafeInteger(sequence) && typeof data === 'object' && data !== null
}
