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
  /** The raw body, exactly as received and not parsed. */
  readonly body: RawBody
  readonly headers: RequestHeaders
  /** The secret that was sent to `POST /weebhook/{merchantID}`. */
  readonly secret?: WebhookSecret | undefined
  /**
   * Several secrets, for use while a secret is replaced. A request is genuine if it is signed with any of
   * them.
   */
  readonly secrets?: readonly WebhookSecret[]
  /** The setting SERVICE_NAME of the server, if the server does not use the default. */
  readonly serviceName?: string
  /**
   * Maximum difference in seconds between the time of sending and the current time, in both directions; 300
   * by default.
   */
  readonly toleranceS?: number
  /** The current time; the clock of this machine by default. */
  readonly now?: Date
  /**
   * Rejects requests that have only the signature `X-<Name>-Signature`, which does not cover the time of
   * sending.
   */
  readonly mustBeDated?: boolean
}

/**
 * Returns the event of a genuine request. If the request has the header `webhook-signature` (Standard
 * Webhooks), only this signature is checked; it covers id, time and body. Otherwise the signature in
 * `X-<Name>-Signature` is checked, which covers only the body. The name is `serviceName`; if that is not
 * given, the header X-Service-Signature or X-Coffer-Signature is used. The same event may arrive more than
 * once: store its `id` to detect repetitions.
 * @throws WebhookRefusedError if the request is not genuine; `reason` is the reason
 * @throws TypeError if the configuration is invalid
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

/**
 * Validates the configuration of the receiver. An invalid configuration throws for every request, whatever
 * the request contains.
 */
function rulesOf({
  secret,
  secrets = [],
  toleranceS = 300,
  now = new Date(),
  serviceName = unnamedService,
  mustBeDated = false,
}: WebhookToVerify) {
  // If `secrets` were a string, it would be split into characters, and each character would be accepted as a
  // secret.
  if (!Array.isArray(secrets)) throw new TypeError('secrets must be a list; pass a single one as secret')
  const given = secret === undefined ? secrets : [secret, ...secrets]
  if (given.length === 0 || !given.every(isSecret))
    throw new TypeError(
      'secret is missing, empty or not text: pass the secret of the webhook as a string or a Uint8Array',
    )
  if (!(toleranceS >= 0)) throw new TypeError(`toleranceS must be a number of seconds, not ${toleranceS}`)
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
    throw new WebhookRefusedError('header-malformed', 'webhook-timestamp is not a number of seconds.')
  // The header has one signature for each valid secret, separated by spaces. Signatures of other versions than
  // v1 are ignored, because only v1 uses a shared secret.
  const sent = signatures.split(/\s+/).filter((signature) => signature.startsWith('v1,'))
  if (sent.length === 0)
    throw new WebhookRefusedError(
      'header-malformed',
      'webhook-signature contains no signature of version v1.',
    )
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
      `The request has neither webhook-signature nor ${names.join(' nor ')}. If your server's SERVICE_NAME is not ${serviceName}, set serviceName; if there is a proxy in front of this receiver, configure it to forward these headers.`,
    )
  if (!/^[0-9a-f]{64}$/i.test(sent))
    throw new WebhookRefusedError('header-malformed', `${name} is not an HMAC-SHA256 in hex.`)
  const expected = await Promise.all(signers.map((sign) => bodySignature(sign, body)))
  requireMatch([sent.toLowerCase()], expected, name)
}

function required(header: ReadHeader, name: string): string {
  const value = header(name)
  if (value === undefined || value === '')
    throw new WebhookRefusedError(
      'header-missing',
      `The request has no ${name}. If there is a proxy in front of this receiver, configure it to forward this header.`,
    )
  return value
}

/**
 * Compares every sent signature with every expected one, so that the duration does not reveal which
 * comparison nearly succeeded.
 */
function requireMatch(sent: readonly string[], expected: readonly string[], name: string): void {
  const matches = sent.flatMap((one) => expected.map((other) => isSame(other, one)))
  if (!matches.includes(true))
    throw new WebhookRefusedError(
      'signature-wrong',
      `${name} does not match the body and the secret. Either the secret is an old one or that of another webhook, or the body was changed (parsed and serialised again), or somebody else sent the request.`,
    )
}

function requireFresh(sentS: number, { toleranceS, nowS }: { toleranceS: number; nowS: number }): void {
  const ageS = Math.round(nowS - sentS)
  if (nowS - sentS > toleranceS)
    throw new WebhookRefusedError(
      'too-old',
      `The request was sent ${ageS} s ago, but only ${toleranceS} s are allowed: it was replayed, or this machine's clock is fast.`,
    )
  if (sentS - nowS > toleranceS)
    throw new WebhookRefusedError(
      'too-new',
      `The request was sent ${-ageS} s ahead of this machine's clock, but only ${toleranceS} s are allowed: the clock is slow.`,
    )
}

function readEvent(body: Uint8Array<ArrayBuffer>): CofferEvent {
  const value = parse(new TextDecoder().decode(body))
  if (isEvent(value)) return value
  throw new WebhookRefusedError(
    'not-an-event',
    'The signature is valid, but the body is not a Coffer event: something else signs with this secret.',
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
