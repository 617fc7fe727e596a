/**
 * The merchants' knowledge of their webhooks: the URLs and secrets that they set, and the requests that
 * arrived. Each request is checked independently of the service, as a receiver does it.
 */
import { createHmac } from 'node:crypto'
import { eventIn, type KnownEvents } from './known-events.ts'

/** A request that arrived at the server of a merchant. */
export interface ReceivedRequest {
  readonly host: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** When it was sent, and what the clock of its sender then showed. */
  readonly sentMs: number
  readonly senderClockMs: number
  /** Whether the server confirmed the event before the deadline. */
  readonly isConfirmed: boolean
}

/** A version of a webhook, as the merchant set it. */
export interface WebhookVersion {
  readonly merchantId: string
  readonly host: string
  readonly secret: string
  /** Whether the former secret becomes invalid at once, instead of after a day. */
  readonly revokesFormer: boolean
  readonly requestedMs: number
  /** The token and the time of the API's answer; undefined before the answer. */
  answered: { readonly token: string; readonly atMs: number } | undefined
  /** Whether the database lost the version, because it was restored. */
  isLost?: boolean
}

const dayMs = 24 * 60 * 60 * 1000
/** The longest time between reading the secrets and sending. PostgreSQL ends a transaction that waits longer. */
const readAheadMsMax = 60_000

export class WebhookModel {
  readonly #known: KnownEvents
  readonly #serviceName: string
  readonly versions: WebhookVersion[] = []
  /**
   * Merchants whose webhook was at some time not set, removed or disabled. Their events may not have been
   * delivered.
   */
  readonly unsteady = new Set<string>()
  /** The ids of the events that a receiver confirmed. */
  readonly confirmed = new Set<string>()
  /** One sentence for each wrong request. */
  readonly wrong: string[] = []

  constructor(known: KnownEvents, serviceName: string) {
    this.#known = known
    this.#serviceName = serviceName
  }

  /** Checks a request. Call this function when the request arrives. */
  note(request: ReceivedRequest): void {
    const { id, merchantID, type } = eventIn(request.body)
    this.#known.note(request.body)
    if (request.isConfirmed) this.confirmed.add(id)
    const problem = this.#problemOf(request, merchantID, id)
    if (problem !== undefined) this.wrong.push(`a request to ${request.host} with ${type} ${problem}`)
  }

  /** Notes that the database lost everything that happened since this time. */
  lose(sinceMs: number): void {
    for (const version of this.versions)
      version.isLost ||= (version.answered?.atMs ?? Number.POSITIVE_INFINITY) >= sinceMs
  }

  #problemOf(request: ReceivedRequest, merchantId: string, id: string): string | undefined {
    const { host, headers, body, senderClockMs } = request
    const hex = headers[`X-${this.#serviceName}-Signature`]
    const signers = this.versions.filter(
      (one) =>
        one.merchantId === merchantId &&
        one.host === host &&
        createHmac('sha256', one.secret).update(body).digest('hex') === hex,
    )
    if (signers.length === 0) return 'is signed with no secret that its merchant set for this host'
    const named = namedBy(headers[`X-${this.#serviceName}-Webhook-Token`], signers)
    if (named.length === 0) return 'names another version of the webhook'
    if (headers['webhook-id'] !== id) return 'names another event'
    if (headers['webhook-timestamp'] !== String(Math.floor(senderClockMs / 1_000)))
      return 'has another time than the clock of its sender'
    const problems = named.map((version) => this.#problemOfStandard(version, request, id))
    return problems.includes(undefined) ? undefined : problems.at(-1)
  }

  /** Checks the header of Standard Webhooks, which has a second signature while the former secret is valid. */
  #problemOfStandard(
    version: WebhookVersion,
    { headers, body, sentMs }: ReceivedRequest,
    id: string,
  ): string | undefined {
    const content = `${id}.${headers['webhook-timestamp']}.${body}`
    const signed = (secret: string) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`
    const [current, former, ...more] = (headers['webhook-signature'] ?? '').split(' ')
    if (current !== signed(version.secret) || more.length > 0) return 'has a wrong webhook-signature'
    if (former === undefined) return undefined
    const signers = this.#formersOf(version).filter(({ secret }) => signed(secret) === former)
    if (signers.length === 0) return 'is signed with a former secret that has ended'
    const isValid = signers.some((one) => sentMs <= this.#replacedMs(one) + dayMs + readAheadMsMax)
    return isValid ? undefined : 'is signed with a former secret after a day'
  }

  /**
   * Returns the earlier versions whose secrets may still be used for the second signature beside that of
   * `version`.
   */
  #formersOf(version: WebhookVersion): readonly WebhookVersion[] {
    const own = this.versions.filter(({ merchantId }) => merchantId === version.merchantId)
    return own.filter((one) => {
      if (one.host !== version.host || one.secret === version.secret || isBefore(version, one)) return false
      const ends = ({ host, secret, revokesFormer }: WebhookVersion) =>
        revokesFormer || host !== one.host || ![one.secret, version.secret].includes(secret)
      const between = own.filter((other) => !other.isLost && isBefore(one, other) && isBefore(other, version))
      const isRevoked = version.revokesFormer && isBefore(one, version)
      return !isRevoked && !between.some(ends)
    })
  }

  /** Returns the time by which the secret of a version had certainly been replaced; infinite if that is not certain. */
  #replacedMs(version: WebhookVersion): number {
    const successors = this.versions.filter(
      (other) =>
        other.merchantId === version.merchantId &&
        other.secret !== version.secret &&
        !other.isLost &&
        isBefore(version, other),
    )
    return Math.min(...successors.map(({ answered }) => answered?.atMs ?? Number.POSITIVE_INFINITY))
  }
}

/**
 * Returns the versions to which a request with this token may belong. If no answer contained the token, these are all
 * versions without an answer.
 */
function namedBy(token: string | undefined, signers: readonly WebhookVersion[]): readonly WebhookVersion[] {
  const known = signers.filter(({ answered }) => answered?.token === token)
  return known.length > 0 ? known : signers.filter(({ answered }) => answered === undefined)
}

/** Returns whether a version was certainly set before another one. A version without an answer may not exist. */
function isBefore(one: WebhookVersion, other: WebhookVersion): boolean {
  if (one.answered === undefined || other.answered === undefined) return false
  return one.answered.atMs < other.requestedMs
}
